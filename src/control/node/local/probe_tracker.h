// One probe of one run of a container: when it is due, and what its answers mean. Pure.
//
// The verdict changes when as many answers in a row agree as the probe's thresholds ask for. A startup probe, and a
// liveness probe that failed, are over with their verdict: there is nothing more to learn about this run.
#pragma once

#include <cstdint>
#include <optional>

#include "base/instant.h"
#include "control/node/local/pod_run_spec.h"

namespace basalt::node {

class ProbeTracker {
 public:
  enum class Verdict : uint8_t { Unknown, Good, Bad };

  // A new run: nothing is known about it.
  void reset() { *this = ProbeTracker(); }

  // A run that a former node had found good.
  void take_over(ProbeKind kind) {
    verdict_ = Verdict::Good;
    over_ = kind == ProbeKind::Startup;
  }

  // When the next one is due, for a container that runs since `started`. Nothing: an answer is awaited, or it is over.
  [[nodiscard]] std::optional<Instant> due(const ProbeSpec& spec, Instant started) const;
  void sent(const ProbeSpec& spec, Instant now);
  // Answers whether the verdict changed.
  bool answered(const ProbeSpec& spec, ProbeKind kind, bool good);

  [[nodiscard]] Verdict verdict() const { return verdict_; }

 private:
  Verdict verdict_ = Verdict::Unknown;
  bool under_way_ = false, over_ = false, last_good_ = false;
  int64_t in_a_row_ = 0;
  Instant next_ = kNever;
};

}  // namespace basalt::node

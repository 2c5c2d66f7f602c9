// How a simulated pod runs, from its annotations, the seed and its uid. Pure; nothing here looks at a clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "kube/api/view_base.h"

namespace basalt::node {

inline constexpr int64_t kMaxRunSeconds = 1'000'000'000;  // some 30 years

// "30", "0.5", "10..60".
struct RunRange {
  Duration low, high;
};
[[nodiscard]] Result<RunRange> parse_run_range(std::string_view text);

struct Behaviour {
  std::optional<RunRange> run;     // none: until it is deleted
  Duration start;                  // from bound to Running
  Duration stop;                   // from its deletion to its end, within its grace period
  int64_t exit_code = 0;           // of every container
  double fail_chance = 0;          // that a run ends with exit code 1 instead
  std::vector<std::string> wrong;  // sentences about annotations that do not parse; they count as absent
};

// `run`: of pods without an annotation. Cost: O(annotations of ours).
[[nodiscard]] Behaviour behaviour_of(api::StringMapView annotations, const std::optional<RunRange>& run);

// How long each run of the pod's containers lasts: the same for all of them. None: for ever.
[[nodiscard]] std::optional<Duration> run_length(const Behaviour& behaviour, uint64_t seed, std::string_view uid);
// How the run ends that came after `restarts` restarts.
[[nodiscard]] int64_t exit_code_of(const Behaviour& behaviour, uint64_t seed, std::string_view uid,
                                   std::string_view container, int64_t restarts);

}  // namespace basalt::node

// Why a node does not take a task, as numbers.
//
// A reason is a text interned once ("node(s) had untolerated taint(s)"). A verdict is a set of reasons with a kind that
// says what could help. Columns store one VerdictId per node; 0 means it fits.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strong_id.h"

namespace basalt::engine {

enum class Fit : uint8_t {
  Fits,
  EvictMayHelp,  // Volcano's Unschedulable: fewer pods on the node could change it
  Never,         // UnschedulableAndUnresolvable: only another node spec could
};

using ReasonId = StrongId<struct ReasonTag>;
using VerdictId = uint16_t;
inline constexpr VerdictId kFits = 0;

struct FitVerdict {
  Fit fit = Fit::Fits;
  std::vector<ReasonId> reasons;
  friend auto operator<=>(const FitVerdict&, const FitVerdict&) = default;
};

class VerdictTable {
 public:
  VerdictTable();
  ReasonId reason(std::string_view text);
  [[nodiscard]] std::string_view text(ReasonId id) const { return reasons_[id.index()]; }
  VerdictId verdict(Fit fit, std::span<const ReasonId> reasons);
  VerdictId verdict(Fit fit, ReasonId reason) { return verdict(fit, std::span(&reason, 1)); }
  // "Insufficient <name>": asked for every node without room, so it is kept by resource.
  VerdictId insufficient(size_t resource, std::string_view name);
  [[nodiscard]] const FitVerdict& operator[](VerdictId id) const { return verdicts_[id]; }
  [[nodiscard]] Fit fit(VerdictId id) const { return verdicts_[id].fit; }
  [[nodiscard]] size_t size() const { return verdicts_.size(); }

 private:
  std::vector<std::string> reasons_;
  std::map<std::string, ReasonId, std::less<>> reason_ids_;
  std::vector<FitVerdict> verdicts_;
  std::map<FitVerdict, VerdictId> verdict_ids_;
  std::vector<VerdictId> insufficient_;  // by resource; kFits: not made yet
};

}  // namespace basalt::engine

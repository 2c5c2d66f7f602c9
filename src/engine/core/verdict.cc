#include "engine/core/verdict.h"

#include <limits>

#include "base/check.h"

namespace basalt::engine {

VerdictTable::VerdictTable() { verdicts_.push_back({}); }

ReasonId VerdictTable::reason(std::string_view text) {
  if (auto known = reason_ids_.find(text); known != reason_ids_.end()) return known->second;
  const ReasonId id(reasons_.size());
  reasons_.emplace_back(text);
  reason_ids_.emplace(reasons_.back(), id);
  return id;
}

VerdictId VerdictTable::verdict(Fit fit, std::span<const ReasonId> reasons) {
  FitVerdict wanted{.fit = fit, .reasons = {reasons.begin(), reasons.end()}};
  if (auto known = verdict_ids_.find(wanted); known != verdict_ids_.end()) return known->second;
  check(verdicts_.size() < std::numeric_limits<VerdictId>::max(), "the number of distinct verdicts stays small");
  const auto id = static_cast<VerdictId>(verdicts_.size());
  verdicts_.push_back(wanted);
  verdict_ids_.emplace(std::move(wanted), id);
  return id;
}

VerdictId VerdictTable::insufficient(size_t resource, std::string_view name) {
  if (resource >= insufficient_.size()) insufficient_.resize(resource + 1, kFits);
  VerdictId& known = insufficient_[resource];
  if (known == kFits) known = verdict(Fit::EvictMayHelp, reason("Insufficient " + std::string(name)));
  return known;
}

}  // namespace basalt::engine

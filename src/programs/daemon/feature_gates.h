// --feature-gates: which of Volcano's and Kubernetes' gates were switched, and what that means here.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace basalt::daemon {

class FeatureGates {
 public:
  // `given`: "Name=true" or "Name=false" each. An unknown gate is an error that names the nearest; the last word about
  // one wins.
  static Result<FeatureGates> read(const std::vector<std::string>& given);

  // Requires: `name` is a gate of Volcano's. Its default where it was not given.
  [[nodiscard]] bool on(std::string_view name) const;
  // A line for each gate that was given another value than its default though that changes nothing here. `effective`:
  // those that the program heeds.
  [[nodiscard]] std::vector<std::string> idle(std::span<const std::string_view> effective) const;

 private:
  std::map<std::string, bool, std::less<>> given_;
};

inline constexpr std::string_view kCronJobGate = "CronVolcanoJobSupport";
inline constexpr std::string_view kQueueAdmissionGate = "SchedulingGatesQueueAdmission";

}  // namespace basalt::daemon

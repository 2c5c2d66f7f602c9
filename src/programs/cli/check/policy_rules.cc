#include "control/scheduler/state/conf.h"
#include "programs/cli/check/check_rules.h"

namespace basalt::cli::checkup {

// Volcano's own scheduler obeys what is skipped here; that is why it is advice.
void check_policy(const CheckedCluster& cluster, std::vector<Finding>& findings) {
  const auto add = [&](std::string_view rule, const std::string& message, bool advice) {
    findings.push_back({.rule = rule,
                        .kind = "ConfigMap",
                        .object = cluster.policy_place.map,
                        .message = message,
                        .firm = true,
                        .advice = advice});
  };
  if (!cluster.policy_refused.empty()) add(kPolicyRefused, cluster.policy_refused, false);
  if (cluster.policy.empty()) return;
  const auto loaded = state::load_conf(cluster.policy);
  if (!loaded) return add(kPolicyRefused, loaded.error().message, false);
  for (const std::string& warning : loaded->warnings) add(kPolicySkipped, warning, true);
}

}  // namespace basalt::cli::checkup

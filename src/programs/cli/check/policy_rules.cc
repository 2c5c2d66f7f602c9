#include "control/scheduler/state/conf.h"
#include "programs/cli/check/check_rules.h"

namespace basalt::cli::checkup {

// Volcano's own scheduler obeys what is skipped here; that is why it is advice.
void check_policy(const CheckedCluster& cluster, std::vector<Finding>& findings) {
  if (cluster.policy.empty()) return;
  const auto add = [&](std::string_view rule, const std::string& message, bool advice) {
    findings.push_back({.rule = rule,
                        .kind = "ConfigMap",
                        .object = std::string(kPolicyMap),
                        .message = message,
                        .firm = true,
                        .advice = advice});
  };
  const auto loaded = state::load_conf(cluster.policy);
  if (!loaded) return add(kPolicyRefused, loaded.error().message, false);
  for (const std::string& warning : loaded->warnings) add(kPolicySkipped, warning, true);
}

}  // namespace basalt::cli::checkup

#include "programs/cli/check/check_rules.h"

#include <algorithm>
#include <tuple>

namespace basalt::cli::checkup {

std::vector<Finding> check_cluster(const CheckedCluster& cluster, const CheckOptions& options) {
  std::vector<Finding> findings = cluster.unreadable;
  check_nodes(cluster, findings);
  check_groups(cluster, options, findings);
  check_queues(cluster, findings);
  check_jobs(cluster, findings);
  check_policy(cluster, findings);
  std::ranges::stable_sort(findings, [](const Finding& left, const Finding& right) {
    return std::tie(left.rule, left.kind, left.object) < std::tie(right.rule, right.kind, right.object);
  });
  return findings;
}

}  // namespace basalt::cli::checkup

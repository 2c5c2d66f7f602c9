// The tasks of a Job.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kube/api/go_quote.h"
#include "kube/api/name_validation.h"
#include "kube/api/object_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "server/admission/dependency_order.h"
#include "server/admission/job_admission.h"

namespace basalt::admission {
namespace {

void check_pod_name(api::TaskSpecView task, std::string_view job, size_t index, RefusalMessage& refusal) {
  const std::string_view name = task.name();
  // Volcano tries the number of the task. Pods are numbered by replica, so the last of them has the longest name.
  const int64_t last = std::max(task.replicas().value_or(0) - 1, static_cast<int64_t>(index));
  for (const int64_t number : {static_cast<int64_t>(index), last}) {
    const std::string pod = fmt::format("{}-{}-{}", job, name, number);
    const api::ValidationMessages complaints = api::qualified_name(pod);
    if (complaints.empty()) continue;
    refusal.say(fmt::format("create pod with name {} validate failed {};", pod, go_list(complaints)));
    refusal.remedy("shorten the name of the job or the task: pods are named <job>-<task>-<number>");
    return;
  }
}

void check_minimum(api::TaskSpecView task, std::string_view job, size_t index, RefusalMessage& refusal) {
  const auto minimum = task.min_available();
  const int64_t replicas = task.replicas().value_or(0);
  if (!minimum || *minimum <= replicas) return;
  refusal.say(fmt::format(" 'minAvailable' is greater than 'replicas' in task: {}, job: {};", task.name(), job));
  refusal.remedy(fmt::format("spec.tasks[{}].minAvailable is {}, replicas is {}: lower the one or raise the other",
                             index, *minimum, replicas));
}

// True: the name was used before.
bool check_unique(std::set<std::string_view>& names, api::TaskSpecView task, size_t index, RefusalMessage& refusal) {
  const std::string_view name = task.name();
  if (names.insert(name).second) return false;
  refusal.say(fmt::format(" duplicated task name {};", name));
  refusal.remedy(fmt::format("rename spec.tasks[{}]", index));
  return true;
}

}  // namespace

std::string_view topology_complaint(api::NetworkTopologyView topology) {
  if (!topology.highest_tier_allowed() || topology.highest_tier_name().empty()) return "";
  return "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously";
}

std::string partition_complaint(api::TaskSpecView task, std::string_view job) {
  const api::PartitionPolicySpecView partitions = task.partition_policy();
  if (!partitions) return "";
  const int64_t total = partitions.total_partitions().value_or(0);
  const int64_t size = partitions.partition_size().value_or(0);
  const int64_t least = partitions.min_partitions().value_or(0);
  const auto minimum = task.min_available();
  const auto product_is = [size](int64_t count, int64_t expected) {
    int64_t product = 0;
    return !__builtin_mul_overflow(count, size, &product) && product == expected;
  };
  std::string_view fault;
  if (total <= 0) {
    fault = "'TotalPartitions' must be greater than 0";
  } else if (size <= 0) {
    fault = "'PartitionSize' must be greater than 0";
  } else if (!product_is(total, task.replicas().value_or(0))) {
    fault = "'Replicas' are not equal to TotalPartitions*PartitionSize";
  } else if (minimum && least > 0 && !product_is(least, *minimum)) {
    fault = "'MinAvailable' is not equal to MinPartitions*PartitionSize";
  }
  std::string text;
  if (!fault.empty()) text = fmt::format("{} in task: {}, job: {}", fault, task.name(), job);
  return text.append(topology_complaint(partitions.network_topology()));
}

void check_tasks(const AdmissionRequest& request, RefusalMessage& refusal) {
  const api::VolcanoJobView job(*request.object);
  const api::VolcanoJobSpecView spec = job.spec();
  const std::string_view job_name = job.metadata().name();
  std::set<std::string_view> names;
  const api::ListView<api::TaskSpecView> tasks = spec.tasks();
  int64_t replicas = 0;
  for (size_t i = 0; i < tasks.size() && !refusal.full(); ++i) {
    const api::TaskSpecView task = tasks[i];
    if (!task) continue;  // the schema refuses it
    check_minimum(task, job_name, i, refusal);
    if (__builtin_add_overflow(replicas, task.replicas().value_or(0), &replicas)) break;
    if (check_unique(names, task, i, refusal)) break;
    check_policies(task.policies(), "spec.tasks.policies", refusal);
    check_pod_name(task, job_name, i, refusal);
    check_task_template(request, task, i, refusal);
    refusal.say(partition_complaint(task, job_name));
  }
  if (const api::ValidationMessages complaints = api::qualified_name(job_name); !complaints.empty()) {
    refusal.say(fmt::format("create job with name {} validate failed {}", job_name, go_list(complaints)));
  }
  if (const int64_t minimum = spec.min_available().value_or(0); replicas < minimum) {
    refusal.say(" job 'minAvailable' should not be greater than total replicas in tasks;");
    refusal.remedy(fmt::format("spec.minAvailable is {}, all replicas together are {}", minimum, replicas));
  }
}

void check_task_order(api::VolcanoJobSpecView spec, RefusalMessage& refusal) {
  std::vector<Dependent> dependents;
  bool any = false;
  for (const api::TaskSpecView task : spec.tasks()) {
    any = any || task.depends_on();
    Dependent one{.name = task.name(), .on = {}};
    std::set<std::string_view> once;
    for (const std::string_view name : task.depends_on().name()) {
      if (once.insert(name).second) one.on.push_back(name);
    }
    dependents.push_back(std::move(one));
  }
  if (!any) return;
  std::set<std::string_view> names;
  for (const Dependent& one : dependents) names.insert(one.name);
  const auto fault = find_dependency_error(dependents);
  if (!fault && names.size() == dependents.size()) return;
  refusal.say(" job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);");
  if (!fault) return;
  refusal.remedy(fault->cycle.empty() ? fmt::format("task {} depends on {}, which is no task of the job",
                                                    api::go_quote(fault->name), api::go_quote(fault->missing))
                                      : "tasks wait for each other: " + fault->cycle);
}

}  // namespace basalt::admission

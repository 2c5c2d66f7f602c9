#include "control/kubernetes/finished_pods.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kube/api/job_phase.h"
#include "kube/api/views/batch_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/views/volcano_pod_group_view.h"

namespace basalt::kubernetes {
namespace {

using KindName = std::pair<std::string_view, std::string_view>;  // group and kind
constexpr std::array<KindName, 5> kReplacing = {{{"apps", "ReplicaSet"},
                                                 {"apps", "StatefulSet"},
                                                 {"apps", "DaemonSet"},
                                                 {"", "ReplicationController"},
                                                 {"", "Node"}}};
constexpr std::array<std::string_view, 5> kEnds = {"Complete", "Completed", "Succeeded", "Failed", "Finished"};

template <size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Of any kind, in the words of Kubernetes' own jobs.
bool says_it_is_over(const text::Object& object) {
  const api::JobStatusView status = api::JobView(object).status();
  if (!status.completion_time().empty()) return true;
  bool over = false;
  for (const api::JobConditionView condition : status.conditions()) {
    over = over || (condition.status() == "True" && among(kEnds, condition.type()));
  }
  return over;
}

}  // namespace

bool counts_finished_pods(const WatchedKind& kind, const text::Object& object) {
  constexpr std::array<std::string_view, 2> kPodEnds = {"Succeeded", "Failed"};
  const KindName name{kind.resource.group, kind.kind};
  if (name == KindName{"", "Pod"}) return !among(kPodEnds, api::PodView(object).status().phase());
  if (name == KindName{"batch.volcano.sh", "Job"})
    return !api::is_finished_job(api::VolcanoJobView(object).status().state().phase());
  if (name == KindName{"scheduling.volcano.sh", "PodGroup"})
    return api::PodGroupView(object).status().phase() != "Completed";
  if (std::ranges::find(kReplacing, name) != kReplacing.end()) return false;
  return !says_it_is_over(object);
}

}  // namespace basalt::kubernetes

#include "control/kubernetes/finished_pods.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kube/api/job_phase.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/views/pod_view.h"

namespace basalt::kubernetes {
namespace {

using api::string_at;

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

bool says_it_is_over(const text::Object& object) {
  const text::Object& status = api::rules::part_of(object, "status");
  if (!string_at(status, "completionTime").empty()) return true;
  bool over = false;
  api::rules::each_object(status, "conditions", [&](const text::Object& condition, size_t) {
    over = over || (string_at(condition, "status") == "True" && among(kEnds, string_at(condition, "type")));
  });
  return over;
}

}  // namespace

bool counts_finished_pods(const WatchedKind& kind, const text::Object& object) {
  constexpr std::array<std::string_view, 2> kPodEnds = {"Succeeded", "Failed"};
  const KindName name{kind.resource.group, kind.kind};
  if (name == KindName{"", "Pod"}) return !among(kPodEnds, api::PodView(object).status().phase());
  if (name == KindName{"batch.volcano.sh", "Job"})
    return !api::is_finished_job(string_at(object, {"status", "state", "phase"}));
  if (name == KindName{"scheduling.volcano.sh", "PodGroup"})
    return string_at(object, {"status", "phase"}) != "Completed";
  if (std::ranges::find(kReplacing, name) != kReplacing.end()) return false;
  return !says_it_is_over(object);
}

}  // namespace basalt::kubernetes

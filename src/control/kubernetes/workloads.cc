// Workloads that nobody runs here: an event on each says so, for whoever wonders where its pods are.
#include "control/kubernetes/kubernetes_controller.h"
#include "kube/api/kinds_without_controller.h"

namespace basalt::kubernetes {
namespace {

constexpr char kItemMark = ' ';  // neither in a kind nor in a key

// "apps Deployment default/web"
void wake_workloads(const KubernetesContext& /*context*/, const RecordChange& change, std::vector<std::string>& items) {
  if (change.before != nullptr || change.now == nullptr) return;
  const std::string& group = change.kind.resource.group;
  if (!api::has_no_controller(group, change.kind.kind)) return;
  if (change.now->namespace_name == kComponentNamespace)
    return;  // the parts of this process, and what a chart makes of them
  // Jobs with the plugin svc have one each; nobody wonders about that.
  if (change.kind.kind == "NetworkPolicy" && !change.now->owners().empty()) return;
  items.push_back(group + kItemMark + change.kind.kind + kItemMark + change.now->key());
}

ControllerPlan plan_workloads(const KubernetesContext& context, const std::string& item, Instant /*now*/) {
  ControllerPlan plan;
  const size_t first = item.find(kItemMark);
  const size_t second = item.find(kItemMark, first + 1);
  const std::string group = item.substr(0, first);
  const std::string name = item.substr(first + 1, second - first - 1);
  const WatchedKind& kind = context.kinds.builtin(group, name);
  const ObjectRecord* workload = context.cache.find(kind.id, item.substr(second + 1));
  if (workload == nullptr || workload->leaving()) return plan;
  const std::string& version = kind.resource.version;
  plan.notes.push_back({.regarding = {{"apiVersion", group.empty() ? version : group + "/" + version},
                                      {"kind", name},
                                      {"namespace", workload->namespace_name},
                                      {"name", workload->name},
                                      {"uid", workload->uid}},
                        .warning = true,
                        .reason = "NotRun",
                        .message = api::no_controller_warning(group, name)});
  return plan;
}

}  // namespace

KubernetesController workload_controller() {
  return {.name = "workloads", .wake = wake_workloads, .plan = plan_workloads};
}

}  // namespace basalt::kubernetes

// Workloads that nobody runs here: an event on each says so, for whoever wonders where its pods are.
#include "control/kubernetes/controller.h"
#include "kube/api/unrun_kinds.h"

namespace basalt::kubernetes {
namespace {

constexpr char kItemMark = ' ';  // neither in a kind nor in a key

// "apps Deployment default/web"
void wake_workloads(const World& /*world*/, const Change& change, std::vector<std::string>& items) {
  if (change.before != nullptr || change.now == nullptr) return;
  const std::string& group = change.kind.resource.group;
  if (!api::is_unrun(group, change.kind.kind)) return;
  if (change.now->space == kComponentSpace) return;  // the parts of this process, and what a chart makes of them
  items.push_back(group + kItemMark + change.kind.kind + kItemMark + change.now->key());
}

Plan plan_workloads(const World& world, const std::string& item, Instant /*now*/) {
  Plan plan;
  const size_t first = item.find(kItemMark);
  const size_t second = item.find(kItemMark, first + 1);
  const std::string group = item.substr(0, first);
  const std::string name = item.substr(first + 1, second - first - 1);
  const Kind& kind = world.kinds.builtin(group, name);
  const Facts* workload = world.cache.find(kind.id, item.substr(second + 1));
  if (workload == nullptr || workload->leaving()) return plan;
  const std::string& version = kind.resource.version;
  plan.notes.push_back({.regarding = {{"apiVersion", group.empty() ? version : group + "/" + version},
                                      {"kind", name},
                                      {"namespace", workload->space},
                                      {"name", workload->name},
                                      {"uid", workload->uid}},
                        .warning = true,
                        .reason = "NotRun",
                        .message = api::unrun_text(group, name)});
  return plan;
}

}  // namespace

Controller workload_controller() { return {.name = "workloads", .wake = wake_workloads, .plan = plan_workloads}; }

}  // namespace basalt::kubernetes

// The status of a ResourceQuota: hard as in the spec, used as the index has it.
#include "control/kubernetes/kubernetes_controller.h"
#include "control/kubernetes/kubernetes_writes.h"
#include "kube/api/views/quota_view.h"

namespace basalt::kubernetes {
namespace {

void wake_quotas(const KubernetesContext& context, const RecordChange& change, std::vector<std::string>& items) {
  const ObjectRecord& one = change.either();
  if (one.namespace_name.empty() || change.is("", "Event")) return;
  if (change.is("", "ResourceQuota")) items.push_back(one.key());
  for (const auto& [name, used] : context.quota_usage.in(one.namespace_name))
    items.push_back(one.namespace_name + "/" + name);
}

ControllerPlan plan_quotas(const KubernetesContext& context, const std::string& item, Instant) {
  ControllerPlan plan;
  const WatchedKind& kind = context.kinds.builtin("", "ResourceQuota");
  const ObjectRecord* quota = context.cache.find(kind.id, item);
  if (quota == nullptr || quota->leaving()) return plan;
  const auto& tallies = context.quota_usage.in(quota->namespace_name);
  const auto used = tallies.find(quota->name);
  if (used == tallies.end()) return plan;
  const api::ResourceQuotaView fields(quota->object());
  const api::ResourceList limits = api::resource_list_in(fields.spec().hard().json());
  const api::ResourceList old_limits = api::resource_list_in(fields.status().hard().json());
  const api::ResourceList old_used = api::resource_list_in(fields.status().used().json());
  if (limits == old_limits && used->second == old_used) return plan;
  text::Object hard;
  text::Object amounts;
  for (const auto& [name, limit] : limits) hard[name] = limit.to_string();
  for (const auto& [name, amount] : used->second) amounts[name] = amount.to_string();
  // A merge patch keeps what it does not name; a resource that is limited no longer has to be named.
  for (const auto& [name, limit] : old_limits) {
    if (!limits.contains(name)) hard[name] = nullptr;
  }
  for (const auto& [name, amount] : old_used) {
    if (!used->second.contains(name)) amounts[name] = nullptr;
  }
  plan.writes.push_back(patch_status(kind, *quota, {{"hard", std::move(hard)}, {"used", std::move(amounts)}}));
  return plan;
}

}  // namespace

KubernetesController quota_controller() { return {.name = "quotas", .wake = wake_quotas, .plan = plan_quotas}; }

}  // namespace basalt::kubernetes

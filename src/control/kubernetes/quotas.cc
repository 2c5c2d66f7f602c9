// The status of a ResourceQuota: hard as in the spec, used as the ledger has it.
#include "control/kubernetes/controller.h"
#include "control/kubernetes/writes.h"
#include "kube/api/object_fields.h"

namespace basalt::kubernetes {
namespace {

void wake_quotas(const World& world, const Change& change, std::vector<std::string>& items) {
  const Facts& one = change.either();
  if (one.space.empty() || change.is("", "Event")) return;
  if (change.is("", "ResourceQuota")) items.push_back(one.key());
  for (const auto& [name, used] : world.ledger.in(one.space)) items.push_back(one.space + "/" + name);
}

Plan plan_quotas(const World& world, const std::string& item, Instant) {
  Plan plan;
  const Kind& kind = world.kinds.builtin("", "ResourceQuota");
  const Facts* quota = world.cache.find(kind.id, item);
  if (quota == nullptr || quota->leaving()) return plan;
  const auto& tallies = world.ledger.in(quota->space);
  const auto used = tallies.find(quota->name);
  if (used == tallies.end()) return plan;
  const api::Amounts limits = api::amounts_in(api::object_at(quota->object(), {"spec", "hard"}));
  const api::Amounts old_limits = api::amounts_in(api::object_at(quota->object(), {"status", "hard"}));
  const api::Amounts old_used = api::amounts_in(api::object_at(quota->object(), {"status", "used"}));
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

Controller quota_controller() { return {.name = "quotas", .wake = wake_quotas, .plan = plan_quotas}; }

}  // namespace basalt::kubernetes

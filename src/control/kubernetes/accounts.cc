// Every active namespace has a service account "default". The certificate map kube-root-ca.crt is left out: nobody
// runs pods that would call back with it.
#include "control/kubernetes/controller.h"
#include "control/kubernetes/writes.h"

namespace basalt::kubernetes {
namespace {

constexpr std::string_view kName = "default";

void wake_accounts(const World&, const Change& change, std::vector<std::string>& items) {
  if (change.is("", "Namespace") && change.before == nullptr) items.push_back(change.now->name);
  if (change.is("", "ServiceAccount") && change.now == nullptr && change.before->name == kName) {
    items.push_back(change.before->space);
  }
}

Plan plan_accounts(const World& world, const std::string& item, Instant) {
  Plan plan;
  const Facts* space = world.find("", "Namespace", item);
  const Kind& accounts = world.kinds.builtin("", "ServiceAccount");
  if (space == nullptr || space->leaving() || !world.synced.contains(accounts.id)) return plan;
  if (world.cache.find(accounts.id, item + "/" + std::string(kName)) != nullptr) return plan;
  api::Call call = call_of(api::Verb::Create, accounts, item, "");
  call.body = text::Object{{"apiVersion", "v1"},
                           {"kind", "ServiceAccount"},
                           {"metadata", text::Object{{"name", kName}, {"namespace", item}}}};
  plan.writes.push_back(std::move(call));
  return plan;
}

}  // namespace

Controller account_controller() { return {.name = "accounts", .wake = wake_accounts, .plan = plan_accounts}; }

}  // namespace basalt::kubernetes

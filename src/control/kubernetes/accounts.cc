// Every active namespace has a service account "default". The certificate map kube-root-ca.crt is left out: nobody
// runs pods that would call back with it.
#include "control/kubernetes/kubernetes_controller.h"
#include "control/kubernetes/kubernetes_writes.h"

namespace basalt::kubernetes {
namespace {

constexpr std::string_view kName = "default";

void wake_accounts(const KubernetesContext&, const RecordChange& change, std::vector<std::string>& items) {
  if (change.is("", "Namespace") && change.before == nullptr) items.push_back(change.now->name);
  if (change.is("", "ServiceAccount") && change.now == nullptr && change.before->name == kName) {
    items.push_back(change.before->namespace_name);
  }
}

ControllerPlan plan_accounts(const KubernetesContext& context, const std::string& item, Instant) {
  ControllerPlan plan;
  const ObjectRecord* ns_record = context.find("", "Namespace", item);
  const WatchedKind& accounts = context.kinds.builtin("", "ServiceAccount");
  if (ns_record == nullptr || ns_record->leaving() || !context.synced.contains(accounts.id)) return plan;
  if (context.cache.find(accounts.id, item + "/" + std::string(kName)) != nullptr) return plan;
  api::Call call = call_of(api::Verb::Create, accounts, item, "");
  call.body = text::Object{{"apiVersion", "v1"},
                           {"kind", "ServiceAccount"},
                           {"metadata", text::Object{{"name", kName}, {"namespace", item}}}};
  plan.writes.push_back(std::move(call));
  return plan;
}

}  // namespace

KubernetesController account_controller() { return {.name = "accounts", .wake = wake_accounts, .plan = plan_accounts}; }

}  // namespace basalt::kubernetes

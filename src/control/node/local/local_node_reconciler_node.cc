// The Node object and its heartbeat.
#include <utility>

#include "control/loop/api_writes.h"
#include "control/node/local/local_node_reconciler.h"
#include "kube/api/object_fields.h"

namespace basalt::node {
namespace {

using loop::WritePlan;

api::GroupVersionResource nodes() { return {.group = "", .version = "v1", .plural = "nodes"}; }

}  // namespace

WritePlan LocalNodeReconciler::plan_node(Instant now) {
  WritePlan plan;
  if (!std::exchange(swept_, true)) {
    std::set<std::string> uids;
    std::set<std::string> keys;
    for (const auto& [uid, pod] : pods_) uids.insert(uid);
    for (const auto& [key, uid] : by_key_) keys.insert(key);
    runtime_->sweep(std::move(uids), std::move(keys));
  }
  if (node_ == nullptr) {
    // Once: a Node that somebody removed stays away until the next start, as a kubelet's would.
    if (!std::exchange(registered_, true)) plan.write(loop::create(nodes(), node_object(options_.node, now)));
    return plan;
  }
  registered_ = true;
  loop::WriteTarget target = loop::target_of(nodes(), node_->get_object());
  target.version.clear();
  text::Object change = node_change(options_.node, node_->get_object());
  if (!change.empty()) plan.write(loop::patch(target, std::move(change)));
  text::Object status = node_status_change(options_.node, node_->get_object(), now);
  if (!status.empty()) plan.write(loop::patch_status(target, std::move(status)));
  return plan;
}

WritePlan LocalNodeReconciler::plan_heartbeat(Instant now) {
  WritePlan plan;
  if (node_ == nullptr) {
    has_lease_ = false;  // it is woken when there is a Node
    return plan;
  }
  plan.again = now + kLeaseRenewal;
  const api::GroupVersionResource leases{.group = "coordination.k8s.io", .version = "v1", .plural = "leases"};
  if (!std::exchange(has_lease_, true)) {
    plan.write(loop::create(
        leases, node_lease(options_.node.name, api::string_at(node_->get_object(), {"metadata", "uid"}), now)));
    plan.then();
  }
  api::Call renew{.verb = api::Verb::Patch, .resource = leases, .namespace_name = std::string(kLeaseNamespace)};
  renew.name = options_.node.name;
  renew.body = lease_renewal(now);
  plan.write(std::move(renew));
  return plan;
}

}  // namespace basalt::node

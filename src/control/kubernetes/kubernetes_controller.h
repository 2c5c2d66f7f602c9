// A controller as two pure functions: which items a change concerns, and what to write about one item.
//
// An item is a work queue key, mostly the key of an object ("namespace/name"). plan() looks at the
// observed state and the time, and answers everything that is to be done about the item; run again on the state that
// the writes brought about, it answers nothing. So losing a wake-up is the only way to lose work, and waking too often
// only costs time.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "control/kubernetes/object_cache.h"
#include "control/kubernetes/quota_usage_index.h"
#include "control/loop/write_plan.h"
#include "kube/api/call.h"

namespace basalt::kubernetes {

// How long things last. The values are Kubernetes' defaults.
struct Periods {
  Duration event_life = Duration::seconds(3600);
  Duration lease_grace = Duration::seconds(40);       // a node that does not renew its lease is lost after this
  Duration missing_node = Duration::seconds(40);      // pods of a node that is gone stay this long
  Duration disruption_life = Duration::seconds(120);  // an eviction that was granted and did not happen is taken back
  size_t terminated_pods = 12'500;  // finished pods that nobody counts; more are deleted, oldest first; 0: none is
};

struct KubernetesContext {
  const WatchedKinds& kinds;
  const ObjectCache& cache;
  const QuotaUsageIndex& quota_usage;
  const Periods& periods;
  const std::set<KindId>& synced;                // kinds whose present objects are all known
  std::span<const std::string> components = {};  // labels "app" of the parts that this process is

  [[nodiscard]] const ObjectRecord* find(std::string_view group, std::string_view kind, std::string_view key) const {
    return cache.find(kinds.builtin(group, kind).id, key);
  }
};

struct RecordChange {
  const WatchedKind& kind;
  const ObjectRecord* before;  // null: created
  const ObjectRecord* now;     // null: gone

  [[nodiscard]] const ObjectRecord& either() const { return now != nullptr ? *now : *before; }
  [[nodiscard]] bool is(std::string_view group, std::string_view name) const {
    return kind.kind == name && kind.resource.group == group;
  }
};

// "Is this owner really absent?", to be asked of the server because the cache may be behind.
struct OwnerLookup {
  api::Call get;
  std::string uid, namespace_name;
};

struct ControllerPlan {
  std::vector<api::Call> writes;           // in this order
  std::vector<OwnerLookup> owner_lookups;  // answered, the item is planned again
  std::vector<loop::EventNote> notes;
  Instant again = kNever;  // look again then, even if nothing changes
};

struct KubernetesController {
  std::string_view name;
  void (*wake)(const KubernetesContext& context, const RecordChange& change, std::vector<std::string>& items);
  ControllerPlan (*plan)(const KubernetesContext& context, const std::string& item, Instant now);
};

[[nodiscard]] KubernetesController namespace_controller();  // drains a namespace that is being deleted
[[nodiscard]] KubernetesController owner_controller();      // owner references: background, foreground, orphan
[[nodiscard]] KubernetesController account_controller();    // the service account "default"
[[nodiscard]] KubernetesController node_controller();       // heartbeats and taints
[[nodiscard]] KubernetesController eviction_controller();   // pods that do not bear their node's NoExecute taints
[[nodiscard]] KubernetesController event_controller();      // old events
[[nodiscard]] KubernetesController quota_controller();      // status of ResourceQuotas
[[nodiscard]] KubernetesController budget_controller();     // status of PodDisruptionBudgets
[[nodiscard]] KubernetesController
definition_controller();                              // objects of a CustomResourceDefinition that is being deleted
[[nodiscard]] KubernetesController pod_controller();  // pods nobody else ends: lost node, never bound, too many done
[[nodiscard]] KubernetesController workload_controller();   // tells of workloads that nobody runs
[[nodiscard]] KubernetesController component_controller();  // Deployments of parts that this process is

// All of them, in the order in which their items are planned when they are due together.
[[nodiscard]] std::vector<KubernetesController> all_controllers();

}  // namespace basalt::kubernetes

// What the controllers remember of an object: a few hundred bytes instead of the whole, because they remember every
// object of the cluster. What the pods of a job have in common (owners, demands, mostly labels) is kept once for all of
// them, in RecordPools.
//
// WatchedKinds that are few and whose plans need much (namespaces, nodes, quotas, budgets, definitions, workloads of
// kComponentNamespace) are kept whole; with the embedded server that is the server's own value, not a copy.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/value_pool.h"
#include "control/kubernetes/flat_labels.h"
#include "control/kubernetes/watched_kinds.h"
#include "kube/api/quota_usage.h"
#include "kube/api/resource_list.h"
#include "kube/api/selector_text.h"
#include "kube/client/object_client.h"

namespace basalt::kubernetes {

struct OwnerRecord {
  std::string api_version, kind, name, uid;
  std::optional<bool> controller, blocks;
  friend auto operator<=>(const OwnerRecord&, const OwnerRecord&) = default;
};

struct NoExecuteToleration {
  std::string key, op, value, effect;
  std::optional<int64_t> seconds;
  friend auto operator<=>(const NoExecuteToleration&, const NoExecuteToleration&) = default;
};

// What a pod's spec asks for, as far as taints and quotas look at it.
struct PodDemands {
  std::vector<NoExecuteToleration> tolerations;  // those that can bear NoExecute
  api::ResourceList usage;                       // of a quota, while it is not over; without count/pods
  api::PodScopes scopes;
};
// By everything that can be told apart: of amounts also the format, which equality of quantities leaves out.
[[nodiscard]] bool operator<(const PodDemands& left, const PodDemands& right);

struct RecordPools {
  ValuePool<std::vector<OwnerRecord>> owners;
  ValuePool<FlatLabels> labels;
  ValuePool<PodDemands> demands;
  ValuePool<std::string> groups;
};

// The reason in the condition DisruptionTarget of a pod whose node is gone, as Kubernetes words it.
inline constexpr std::string_view kDeletedWithItsNode = "DeletionByPodGC";

// Where the parts of a batch system are, as Deployments.
inline constexpr std::string_view kComponentNamespace = "volcano-system";

struct PodRecord {
  std::string node;
  ValuePool<FlatLabels>::Ptr labels;   // never null
  ValuePool<PodDemands>::Ptr demands;  // never null
  ValuePool<std::string>::Ptr group;   // PodGroup of a pod that has no owner; null: none
  Instant grace_end = kNever;          // set: being deleted, over after this
  bool terminal = false, ready = false, evicted = false;
  bool given_up = false;  // failed because its node is gone, and about to be deleted for it
  bool over = false;      // as quotas see it, when it was last looked at: terminal, or past its grace
};

struct ObjectRecord {
  KindId kind;
  std::string namespace_name, name, uid, version;
  ValuePool<std::vector<OwnerRecord>>::Ptr shared_owners;  // null: none
  std::vector<std::string> finalizers;
  Instant created, deletion;        // deletion: kNever while it lives
  Instant stamp;                    // events: when it last happened; leases: renewTime
  Instant seen;                     // when we first saw this stamp, by our clock
  std::optional<int64_t> replicas;  // kinds with a scale subresource
  bool counts_finished = false;     // pods of its own that have finished; see finished_pods.h
  std::unique_ptr<PodRecord> pod;
  std::shared_ptr<const api::LabelQuery> selector;  // of a budget; shared because records are moved and queries are not
  client::ObjectPtr whole;                          // null for kinds that are not kept whole
  std::vector<std::pair<std::string, Instant>> taints_since;  // nodes: "key:effect" of NoExecute taints and their start

  [[nodiscard]] const std::vector<OwnerRecord>& owners() const;
  [[nodiscard]] std::string key() const { return namespace_name.empty() ? name : namespace_name + "/" + name; }
  [[nodiscard]] bool leaving() const { return deletion.is_set(); }
  [[nodiscard]] bool has_finalizer(std::string_view finalizer) const;
  [[nodiscard]] const text::Object& object() const;  // Requires: whole.
};

// `before`: what was known of the object (same uid), or null. `now`: when it was seen.
[[nodiscard]] ObjectRecord record_of(const WatchedKind& kind, const client::ObjectPtr& object,
                                     const ObjectRecord* before, Instant now, RecordPools& pools);

}  // namespace basalt::kubernetes

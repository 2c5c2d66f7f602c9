// Owner references: who goes when an owner goes.
//
// background: an object all of whose owners are gone is deleted; if some remain, only the dangling references go.
// foreground: an owner that waits (finalizer foregroundDeletion) goes after the dependents that block it.
// orphan: an owner with the finalizer orphan goes after its dependents have forgotten it.
//
// An owner is what the reference names (kind, name, in the dependent's own namespace or without one) with the same uid.
// One that the cache does not know is asked for before anything is deleted. An object whose owner is of a kind that
// nobody serves, or is namespaced while the object is not, is left alone, as in Kubernetes.
#include <algorithm>

#include "control/kubernetes/kubernetes_controller.h"
#include "control/kubernetes/kubernetes_writes.h"
#include "kube/api/object_fields.h"

namespace basalt::kubernetes {
namespace {

constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";
constexpr Duration kServedAgain = Duration::seconds(300);  // the kind of an owner may come to be served

std::string item_of(const ObjectRef& ref) { return std::to_string(ref.kind.value) + "|" + ref.key; }

ObjectRef ref_of(const std::string& item) {
  const size_t bar = item.find('|');
  return {.kind = KindId(static_cast<uint32_t>(std::stoul(item.substr(0, bar)))), .key = item.substr(bar + 1)};
}

bool waits_for_dependents(const ObjectRecord* record) {
  return record != nullptr && record->leaving() && record->has_finalizer(kForeground);
}

bool needs_work(const ObjectRecord* record) {
  return record != nullptr && (!record->owners().empty() || (record->leaving() && !record->finalizers.empty()));
}

void wake_owners(const KubernetesContext& context, const ObjectRecord& record, std::vector<std::string>& items) {
  for (const OwnerRecord& reference : record.owners()) {
    const ObjectRecord* owner = context.cache.owner(record, reference);
    if (owner != nullptr && owner->leaving()) items.push_back(item_of({.kind = owner->kind, .key = owner->key()}));
  }
}

void wake_owners(const KubernetesContext& context, const RecordChange& change, std::vector<std::string>& items) {
  const ObjectRecord& one = change.either();
  if (needs_work(change.now)) items.push_back(item_of({.kind = one.kind, .key = one.key()}));
  if (change.before != nullptr) wake_owners(context, *change.before, items);
  const bool gone = change.before != nullptr && (change.now == nullptr || change.now->uid != change.before->uid);
  const bool begins_to_wait = waits_for_dependents(change.now) && !waits_for_dependents(change.before);
  const auto wake_dependents = [&](const std::string& uid) {
    for (const ObjectRef& dependent : context.cache.dependents(uid)) items.push_back(item_of(dependent));
  };
  if (gone) wake_dependents(change.before->uid);
  if (begins_to_wait) wake_dependents(change.now->uid);
}

struct Owners {
  std::vector<std::string> solid, dangling, waiting;  // uids
  bool unclear = false;                               // of a kind that is not known, or still to be asked for
};

Owners judge(const KubernetesContext& context, const ObjectRecord& record, Instant now, ControllerPlan& plan) {
  Owners owners;
  for (const OwnerRecord& reference : record.owners()) {
    if (const ObjectRecord* owner = context.cache.owner(record, reference); owner != nullptr) {
      (waits_for_dependents(owner) ? owners.waiting : owners.solid).push_back(reference.uid);
      continue;
    }
    if (context.cache.is_absent(reference.uid, record.namespace_name)) {
      owners.dangling.push_back(reference.uid);
      continue;
    }
    owners.unclear = true;
    const WatchedKind* kind = context.kinds.find_owner(reference.api_version, reference.kind);
    if (kind == nullptr || (kind->namespaced && record.namespace_name.empty())) {
      plan.again = now + kServedAgain;
      continue;
    }
    plan.owner_lookups.push_back(
        {.get = call_of(api::Verb::Get, *kind, kind->namespaced ? record.namespace_name : "", reference.name),
         .uid = reference.uid,
         .namespace_name = record.namespace_name});
  }
  return owners;
}

void let_owner_go(const KubernetesContext& context, const ObjectRecord& owner, ControllerPlan& plan) {
  for (const ObjectRef& ref : context.cache.dependents(owner.uid)) {
    const ObjectRecord* dependent = context.cache.find(ref);
    if (dependent == nullptr) continue;
    for (const OwnerRecord& reference : dependent->owners()) {
      // Only an object that this one really owns can hold it back.
      if (reference.uid == owner.uid && reference.blocks.value_or(false) &&
          context.cache.owner(*dependent, reference) == &owner) {
        return;
      }
    }
  }
  plan.writes.push_back(drop_finalizer(context.kinds.at(owner.kind), owner, kForeground));
}

void orphan_dependents(const KubernetesContext& context, const ObjectRecord& owner, ControllerPlan& plan) {
  for (const ObjectRef& ref : context.cache.dependents(owner.uid)) {
    const ObjectRecord* dependent = context.cache.find(ref);
    const WatchedKind& kind = context.kinds.at(ref.kind);
    if (dependent != nullptr && kind.known) plan.writes.push_back(drop_owners(kind, *dependent, {owner.uid}));
  }
  if (plan.writes.empty()) plan.writes.push_back(drop_finalizer(context.kinds.at(owner.kind), owner, kOrphan));
}

// A circle of owners that wait for each other: the reference that closes it stops blocking.
bool unblock_circle(const KubernetesContext& context, const ObjectRecord& record, const WatchedKind& kind,
                    ControllerPlan& plan) {
  const bool in_circle = std::ranges::any_of(context.cache.dependents(record.uid), [&](const ObjectRef& ref) {
    return waits_for_dependents(context.cache.find(ref));
  });
  const bool blocks =
      std::ranges::any_of(record.owners(), [](const OwnerRecord& one) { return one.blocks.value_or(false); });
  if (!in_circle || !blocks) return false;
  std::vector<OwnerRecord> owners = record.owners();
  for (OwnerRecord& one : owners) {
    if (one.blocks) one.blocks = false;
  }
  plan.writes.push_back(set_owners(kind, record, owners));
  return true;
}

ControllerPlan plan_owners(const KubernetesContext& context, const std::string& item, Instant now) {
  ControllerPlan plan;
  const ObjectRef ref = ref_of(item);
  const ObjectRecord* record = context.cache.find(ref);
  if (record == nullptr) return plan;
  const WatchedKind& kind = context.kinds.at(ref.kind);
  if (!kind.known) return plan;
  if (record->leaving()) {
    if (record->has_finalizer(kOrphan)) {
      orphan_dependents(context, *record, plan);
    } else if (record->has_finalizer(kForeground)) {
      let_owner_go(context, *record, plan);
    }
    return plan;
  }
  if (record->owners().empty()) return plan;
  Owners owners = judge(context, *record, now, plan);
  if (owners.dangling.empty() && owners.waiting.empty()) return plan;
  if (!owners.solid.empty()) {
    std::ranges::copy(owners.waiting, std::back_inserter(owners.dangling));
    plan.writes.push_back(drop_owners(kind, *record, owners.dangling));
    return plan;
  }
  if (owners.unclear) return plan;  // the answer, or the kind, brings us back
  if (!owners.waiting.empty() && !context.cache.dependents(record->uid).empty()) {
    if (unblock_circle(context, *record, kind, plan)) return plan;
    plan.writes.push_back(delete_object(kind, *record, {.propagation = "Foreground", .same_version = true}));
    return plan;
  }
  const std::string_view how = record->has_finalizer(kOrphan)       ? "Orphan"
                               : record->has_finalizer(kForeground) ? "Foreground"
                                                                    : "Background";
  plan.writes.push_back(delete_object(kind, *record, {.propagation = how, .same_version = true}));
  return plan;
}

}  // namespace

KubernetesController owner_controller() { return {.name = "owners", .wake = wake_owners, .plan = plan_owners}; }

}  // namespace basalt::kubernetes

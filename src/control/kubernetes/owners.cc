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

#include "control/kubernetes/controller.h"
#include "control/kubernetes/writes.h"
#include "kube/api/object_fields.h"

namespace basalt::kubernetes {
namespace {

constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";
constexpr Duration kServedAgain = Duration::seconds(300);  // the kind of an owner may come to be served

std::string item_of(const Ref& ref) { return std::to_string(ref.kind.value) + "|" + ref.key; }

Ref ref_of(const std::string& item) {
  const size_t bar = item.find('|');
  return {.kind = KindId(static_cast<uint32_t>(std::stoul(item.substr(0, bar)))), .key = item.substr(bar + 1)};
}

bool waits_for_dependents(const Facts* facts) {
  return facts != nullptr && facts->leaving() && facts->has_finalizer(kForeground);
}

bool needs_work(const Facts* facts) {
  return facts != nullptr && (!facts->owners().empty() || (facts->leaving() && !facts->finalizers.empty()));
}

void wake_owners(const World& world, const Facts& facts, std::vector<std::string>& items) {
  for (const OwnerReference& reference : facts.owners()) {
    const Facts* owner = world.cache.owner(facts, reference);
    if (owner != nullptr && owner->leaving()) items.push_back(item_of({.kind = owner->kind, .key = owner->key()}));
  }
}

void wake_owners(const World& world, const Change& change, std::vector<std::string>& items) {
  const Facts& one = change.either();
  if (needs_work(change.now)) items.push_back(item_of({.kind = one.kind, .key = one.key()}));
  if (change.before != nullptr) wake_owners(world, *change.before, items);
  const bool gone = change.before != nullptr && (change.now == nullptr || change.now->uid != change.before->uid);
  const bool begins_to_wait = waits_for_dependents(change.now) && !waits_for_dependents(change.before);
  const auto wake_dependents = [&](const std::string& uid) {
    for (const Ref& dependent : world.cache.dependents(uid)) items.push_back(item_of(dependent));
  };
  if (gone) wake_dependents(change.before->uid);
  if (begins_to_wait) wake_dependents(change.now->uid);
}

struct Owners {
  std::vector<std::string> solid, dangling, waiting;  // uids
  bool unclear = false;                               // of a kind that is not known, or still to be asked for
};

Owners judge(const World& world, const Facts& facts, Instant now, Plan& plan) {
  Owners owners;
  for (const OwnerReference& reference : facts.owners()) {
    if (const Facts* owner = world.cache.owner(facts, reference); owner != nullptr) {
      (waits_for_dependents(owner) ? owners.waiting : owners.solid).push_back(reference.uid);
      continue;
    }
    if (world.cache.is_absent(reference.uid, facts.space)) {
      owners.dangling.push_back(reference.uid);
      continue;
    }
    owners.unclear = true;
    const Kind* kind = world.kinds.find_owner(reference.api_version, reference.kind);
    if (kind == nullptr || (kind->namespaced && facts.space.empty())) {
      plan.again = now + kServedAgain;
      continue;
    }
    plan.doubts.push_back({.get = call_of(api::Verb::Get, *kind, kind->namespaced ? facts.space : "", reference.name),
                           .uid = reference.uid,
                           .space = facts.space});
  }
  return owners;
}

void let_owner_go(const World& world, const Facts& owner, Plan& plan) {
  for (const Ref& ref : world.cache.dependents(owner.uid)) {
    const Facts* dependent = world.cache.find(ref);
    if (dependent == nullptr) continue;
    for (const OwnerReference& reference : dependent->owners()) {
      // Only an object that this one really owns can hold it back.
      if (reference.uid == owner.uid && reference.blocks.value_or(false) &&
          world.cache.owner(*dependent, reference) == &owner) {
        return;
      }
    }
  }
  plan.writes.push_back(drop_finalizer(world.kinds.at(owner.kind), owner, kForeground));
}

void orphan_dependents(const World& world, const Facts& owner, Plan& plan) {
  for (const Ref& ref : world.cache.dependents(owner.uid)) {
    const Facts* dependent = world.cache.find(ref);
    const Kind& kind = world.kinds.at(ref.kind);
    if (dependent != nullptr && kind.known) plan.writes.push_back(drop_owners(kind, *dependent, {owner.uid}));
  }
  if (plan.writes.empty()) plan.writes.push_back(drop_finalizer(world.kinds.at(owner.kind), owner, kOrphan));
}

// A circle of owners that wait for each other: the reference that closes it stops blocking.
bool unblock_circle(const World& world, const Facts& facts, const Kind& kind, Plan& plan) {
  const bool in_circle = std::ranges::any_of(
      world.cache.dependents(facts.uid), [&](const Ref& ref) { return waits_for_dependents(world.cache.find(ref)); });
  const bool blocks =
      std::ranges::any_of(facts.owners(), [](const OwnerReference& one) { return one.blocks.value_or(false); });
  if (!in_circle || !blocks) return false;
  std::vector<OwnerReference> owners = facts.owners();
  for (OwnerReference& one : owners) {
    if (one.blocks) one.blocks = false;
  }
  plan.writes.push_back(set_owners(kind, facts, owners));
  return true;
}

Plan plan_owners(const World& world, const std::string& item, Instant now) {
  Plan plan;
  const Ref ref = ref_of(item);
  const Facts* facts = world.cache.find(ref);
  if (facts == nullptr) return plan;
  const Kind& kind = world.kinds.at(ref.kind);
  if (!kind.known) return plan;
  if (facts->leaving()) {
    if (facts->has_finalizer(kOrphan)) {
      orphan_dependents(world, *facts, plan);
    } else if (facts->has_finalizer(kForeground)) {
      let_owner_go(world, *facts, plan);
    }
    return plan;
  }
  if (facts->owners().empty()) return plan;
  Owners owners = judge(world, *facts, now, plan);
  if (owners.dangling.empty() && owners.waiting.empty()) return plan;
  if (!owners.solid.empty()) {
    std::ranges::copy(owners.waiting, std::back_inserter(owners.dangling));
    plan.writes.push_back(drop_owners(kind, *facts, owners.dangling));
    return plan;
  }
  if (owners.unclear) return plan;  // the answer, or the kind, brings us back
  if (!owners.waiting.empty() && !world.cache.dependents(facts->uid).empty()) {
    if (unblock_circle(world, *facts, kind, plan)) return plan;
    plan.writes.push_back(delete_object(kind, *facts, {.propagation = "Foreground", .same_version = true}));
    return plan;
  }
  const std::string_view how = facts->has_finalizer(kOrphan)       ? "Orphan"
                               : facts->has_finalizer(kForeground) ? "Foreground"
                                                                   : "Background";
  plan.writes.push_back(delete_object(kind, *facts, {.propagation = how, .same_version = true}));
  return plan;
}

}  // namespace

Controller owner_controller() { return {.name = "owners", .wake = wake_owners, .plan = plan_owners}; }

}  // namespace basalt::kubernetes

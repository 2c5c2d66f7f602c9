// What is known of every object of the cluster, and the ways to find it that plans need.
//
// 1. put() and remove() are the only writers and keep all indexes in step; each costs O(log objects + owners).
// 2. Walks are in the order of keys, so plans are repeatable.
// 3. terminated() has the finished pods that nobody needs: without finalizers, and each owner is there and no longer
//    needs its finished pods (finished_pods.h); or without an owner, and the PodGroup is gone, no longer needs them, or
//    was made for this pod alone. Owners that are not there are left to the garbage collector. When an owner's need
//    changes, or it goes, its pods are sorted anew: O(pods of that owner).
// 4. A uid that was seen to go, or that was asked for and not found, is remembered for a while
//    (kMaxRememberedAbsences): the garbage collector then need not ask the server for each of a thousand dependents.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "control/kubernetes/object_record.h"

namespace basalt::kubernetes {

inline constexpr size_t kMaxRememberedAbsences = 5'000;

struct ObjectRef {
  KindId kind;
  std::string key;
  friend auto operator<=>(const ObjectRef&, const ObjectRef&) = default;
};

class ObjectCache {
 public:
  // What a namespace holds.
  struct Contents {
    std::map<KindId, size_t> objects, living;  // living: not being deleted
    std::map<std::string, size_t> finalizers;
  };
  // Finished pods that nobody counts, those that go first in front: evicted ones, then by age.
  using Terminated = std::set<std::tuple<bool, Instant, std::string>>;

  explicit ObjectCache(const WatchedKinds& kinds);  // Requires: they outlive it.

  [[nodiscard]] const ObjectRecord* find(KindId kind, std::string_view key) const;
  [[nodiscard]] const ObjectRecord* find(const ObjectRef& ref) const { return find(ref.kind, ref.key); }
  [[nodiscard]] size_t count(KindId kind) const;
  template <class Visit>
  void each(KindId kind, Visit&& visit) const;
  template <class Visit>
  void each_in(KindId kind, std::string_view ns, Visit&& visit) const;

  // Takes the new state; answers what was known before.
  std::optional<ObjectRecord> put(ObjectRecord next, Instant now);
  std::optional<ObjectRecord> remove(const ObjectRef& ref, Instant now);

  // The object that a reference of `record` names: of this kind and name, in the same namespace or in none, with the
  // same uid; nullptr: not there.
  [[nodiscard]] const ObjectRecord* owner(const ObjectRecord& record, const OwnerRecord& reference) const;
  // Requires: a pod that has finished.
  [[nodiscard]] bool is_counted(const ObjectRecord& pod) const;
  // Objects that name this uid as their owner; empty: none.
  [[nodiscard]] const std::set<ObjectRef>& dependents(const std::string& uid) const;
  [[nodiscard]] const Contents* contents(std::string_view ns) const;  // nullptr: nothing
  [[nodiscard]] const std::set<std::string>& pods_on(std::string_view node) const;
  // Since when pods have been bound to a node that is not there; kNever: it is there, or nobody asks for it.
  [[nodiscard]] Instant missing_since(std::string_view node) const;
  [[nodiscard]] const Terminated& terminated() const { return terminated_; }

  // An owner, as seen from `ns`, that is certainly not there.
  [[nodiscard]] bool is_absent(const std::string& uid, std::string_view ns) const;
  void note_absent(const std::string& uid, std::string_view ns);

 private:
  using Objects = std::map<std::string, ObjectRecord, std::less<>>;

  void link(const ObjectRecord& record, Instant now);
  void unlink(const ObjectRecord& record);
  void count_contents(const ObjectRecord& record, bool more);
  void sort_finished(const ObjectRecord& pod);
  void sort_pods_of(const ObjectRecord& owner);
  void remember(std::string absence);

  const WatchedKinds& kinds_;
  KindId pods_, nodes_;
  std::map<KindId, Objects> objects_;
  std::unordered_map<std::string, std::set<ObjectRef>> dependents_;
  std::map<std::string, Contents, std::less<>> contents_;
  std::map<std::string, std::set<std::string>, std::less<>> pods_on_;
  std::map<std::string, Instant, std::less<>> missing_since_;
  std::map<std::string, std::set<std::string>, std::less<>> pods_in_;  // of a PodGroup, by key; those without an owner
  Terminated terminated_;
  std::unordered_set<std::string> absent_;  // uid, or uid@ns
  std::deque<std::string> absent_order_;
};

template <class Visit>
void ObjectCache::each(KindId kind, Visit&& visit) const {
  const auto objects = objects_.find(kind);
  if (objects == objects_.end()) return;
  for (const auto& [key, record] : objects->second) visit(record);
}

template <class Visit>
void ObjectCache::each_in(KindId kind, std::string_view ns, Visit&& visit) const {
  const auto objects = objects_.find(kind);
  if (objects == objects_.end()) return;
  const std::string prefix = std::string(ns) + "/";
  for (auto at = objects->second.lower_bound(prefix); at != objects->second.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    visit(at->second);
  }
}

}  // namespace basalt::kubernetes

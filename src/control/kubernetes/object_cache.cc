#include "control/kubernetes/object_cache.h"

#include <algorithm>
#include <utility>

namespace basalt::kubernetes {
namespace {

template <class Map, class Key>
void count_down(Map& map, const Key& key) {
  const auto at = map.find(key);
  if (at != map.end() && --at->second == 0) map.erase(at);
}

template <class Key>
void drop(std::map<Key, std::set<std::string>, std::less<>>& map, const Key& key, const std::string& member) {
  const auto at = map.find(key);
  if (at == map.end()) return;
  at->second.erase(member);
  if (at->second.empty()) map.erase(at);
}

constexpr std::pair<std::string_view, std::string_view> kPodGroup = {"scheduling.volcano.sh", "PodGroup"};

}  // namespace

ObjectCache::ObjectCache(const WatchedKinds& kinds)
    : kinds_(kinds), pods_(kinds.builtin("", "Pod").id), nodes_(kinds.builtin("", "Node").id) {}

const ObjectRecord* ObjectCache::find(KindId kind, std::string_view key) const {
  const auto objects = objects_.find(kind);
  if (objects == objects_.end()) return nullptr;
  const auto at = objects->second.find(key);
  return at == objects->second.end() ? nullptr : &at->second;
}

size_t ObjectCache::count(KindId kind) const {
  const auto objects = objects_.find(kind);
  return objects == objects_.end() ? 0 : objects->second.size();
}

std::optional<ObjectRecord> ObjectCache::put(ObjectRecord next, Instant now) {
  Objects& objects = objects_[next.kind];
  const auto [at, inserted] = objects.try_emplace(next.key());
  std::optional<ObjectRecord> before;
  if (!inserted) {
    before = std::move(at->second);
    unlink(*before);
    if (before->uid != next.uid) remember(before->uid);
  }
  at->second = std::move(next);
  link(at->second, now);
  const bool other = !before || before->uid != at->second.uid;
  if (before && other) sort_pods_of(*before);
  if (other || before->counts_finished != at->second.counts_finished) sort_pods_of(at->second);
  return before;
}

std::optional<ObjectRecord> ObjectCache::remove(const ObjectRef& ref, Instant now) {
  const auto objects = objects_.find(ref.kind);
  if (objects == objects_.end()) return std::nullopt;
  const auto at = objects->second.find(ref.key);
  if (at == objects->second.end()) return std::nullopt;
  ObjectRecord before = std::move(at->second);
  objects->second.erase(at);
  unlink(before);
  remember(before.uid);
  if (ref.kind == nodes_ && pods_on_.contains(ref.key)) missing_since_[ref.key] = now;
  sort_pods_of(before);
  return before;
}

void ObjectCache::link(const ObjectRecord& record, Instant now) {
  const ObjectRef ref{.kind = record.kind, .key = record.key()};
  for (const OwnerRecord& owner : record.owners()) dependents_[owner.uid].insert(ref);
  count_contents(record, true);
  if (record.kind == nodes_) missing_since_.erase(record.name);
  if (record.pod == nullptr) return;
  if (record.pod->group != nullptr) pods_in_[record.namespace_name + "/" + *record.pod->group].insert(ref.key);
  if (record.pod->terminal) sort_finished(record);
  const std::string& node = record.pod->node;
  if (node.empty()) return;
  pods_on_[node].insert(ref.key);
  if (find(nodes_, node) == nullptr) missing_since_.try_emplace(node, now);
}

void ObjectCache::unlink(const ObjectRecord& record) {
  const ObjectRef ref{.kind = record.kind, .key = record.key()};
  for (const OwnerRecord& owner : record.owners()) {
    const auto at = dependents_.find(owner.uid);
    if (at == dependents_.end()) continue;
    at->second.erase(ref);
    if (at->second.empty()) dependents_.erase(at);
  }
  count_contents(record, false);
  if (record.pod == nullptr) return;
  if (record.pod->group != nullptr) drop(pods_in_, record.namespace_name + "/" + *record.pod->group, ref.key);
  if (record.pod->terminal) terminated_.erase({!record.pod->evicted, record.created, ref.key});
  if (!record.pod->node.empty()) drop(pods_on_, record.pod->node, ref.key);
}

void ObjectCache::count_contents(const ObjectRecord& record, bool more) {
  if (record.namespace_name.empty()) return;
  if (more) {
    Contents& contents = contents_[record.namespace_name];
    ++contents.objects[record.kind];
    if (!record.leaving()) ++contents.living[record.kind];
    for (const std::string& finalizer : record.finalizers) ++contents.finalizers[finalizer];
    return;
  }
  const auto at = contents_.find(record.namespace_name);
  if (at == contents_.end()) return;
  count_down(at->second.objects, record.kind);
  if (!record.leaving()) count_down(at->second.living, record.kind);
  for (const std::string& finalizer : record.finalizers) count_down(at->second.finalizers, finalizer);
  if (at->second.objects.empty()) contents_.erase(at);
}

const ObjectRecord* ObjectCache::owner(const ObjectRecord& record, const OwnerRecord& reference) const {
  const WatchedKind* kind = kinds_.find_owner(reference.api_version, reference.kind);
  if (kind == nullptr) return nullptr;
  const ObjectRecord* found =
      find(kind->id, kind->namespaced ? record.namespace_name + "/" + reference.name : std::string(reference.name));
  return found != nullptr && found->uid == reference.uid ? found : nullptr;
}

bool ObjectCache::is_counted(const ObjectRecord& pod) const {
  if (!pod.finalizers.empty()) return true;
  for (const OwnerRecord& reference : pod.owners()) {
    const ObjectRecord* found = owner(pod, reference);
    if (found == nullptr || found->counts_finished) return true;
  }
  if (pod.pod->group == nullptr) return false;
  const WatchedKind* groups = kinds_.find(kPodGroup.first, kPodGroup.second);
  const ObjectRecord* group =
      groups == nullptr ? nullptr : find(groups->id, pod.namespace_name + "/" + *pod.pod->group);
  if (group == nullptr || !group->counts_finished) return false;
  return std::ranges::find(group->owners(), pod.uid, &OwnerRecord::uid) == group->owners().end();
}

void ObjectCache::sort_finished(const ObjectRecord& pod) {
  std::tuple place(!pod.pod->evicted, pod.created, pod.key());
  if (is_counted(pod)) {
    terminated_.erase(place);
  } else {
    terminated_.insert(std::move(place));
  }
}

void ObjectCache::sort_pods_of(const ObjectRecord& owner) {
  for (const ObjectRef& ref : dependents(owner.uid)) {
    const ObjectRecord* pod = ref.kind == pods_ ? find(ref) : nullptr;
    if (pod != nullptr && pod->pod->terminal) sort_finished(*pod);
  }
  const WatchedKind& kind = kinds_.at(owner.kind);
  if (std::pair<std::string_view, std::string_view>(kind.resource.group, kind.kind) != kPodGroup) return;
  const auto members = pods_in_.find(owner.key());
  if (members == pods_in_.end()) return;
  for (const std::string& key : members->second) {
    const ObjectRecord* pod = find(pods_, key);
    if (pod != nullptr && pod->pod->terminal) sort_finished(*pod);
  }
}

const std::set<ObjectRef>& ObjectCache::dependents(const std::string& uid) const {
  static const std::set<ObjectRef> kNone;
  const auto at = dependents_.find(uid);
  return at == dependents_.end() ? kNone : at->second;
}

const ObjectCache::Contents* ObjectCache::contents(std::string_view ns) const {
  const auto at = contents_.find(ns);
  return at == contents_.end() ? nullptr : &at->second;
}

const std::set<std::string>& ObjectCache::pods_on(std::string_view node) const {
  static const std::set<std::string> kNone;
  const auto at = pods_on_.find(node);
  return at == pods_on_.end() ? kNone : at->second;
}

Instant ObjectCache::missing_since(std::string_view node) const {
  const auto at = missing_since_.find(node);
  return at == missing_since_.end() ? kNever : at->second;
}

bool ObjectCache::is_absent(const std::string& uid, std::string_view ns) const {
  return absent_.contains(uid) || absent_.contains(uid + "@" + std::string(ns));
}

void ObjectCache::note_absent(const std::string& uid, std::string_view ns) { remember(uid + "@" + std::string(ns)); }

void ObjectCache::remember(std::string absence) {
  if (!absent_.insert(absence).second) return;
  absent_order_.push_back(std::move(absence));
  if (absent_order_.size() <= kMaxRememberedAbsences) return;
  absent_.erase(absent_order_.front());
  absent_order_.pop_front();
}

}  // namespace basalt::kubernetes

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

ObjectCache::ObjectCache(const Kinds& kinds)
    : kinds_(kinds), pods_(kinds.builtin("", "Pod").id), nodes_(kinds.builtin("", "Node").id) {}

const Facts* ObjectCache::find(KindId kind, std::string_view key) const {
  const auto objects = objects_.find(kind);
  if (objects == objects_.end()) return nullptr;
  const auto at = objects->second.find(key);
  return at == objects->second.end() ? nullptr : &at->second;
}

size_t ObjectCache::count(KindId kind) const {
  const auto objects = objects_.find(kind);
  return objects == objects_.end() ? 0 : objects->second.size();
}

std::optional<Facts> ObjectCache::put(Facts next, Instant now) {
  Objects& objects = objects_[next.kind];
  const auto [at, inserted] = objects.try_emplace(next.key());
  std::optional<Facts> before;
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

std::optional<Facts> ObjectCache::remove(const Ref& ref, Instant now) {
  const auto objects = objects_.find(ref.kind);
  if (objects == objects_.end()) return std::nullopt;
  const auto at = objects->second.find(ref.key);
  if (at == objects->second.end()) return std::nullopt;
  Facts before = std::move(at->second);
  objects->second.erase(at);
  unlink(before);
  remember(before.uid);
  if (ref.kind == nodes_ && pods_on_.contains(ref.key)) missing_since_[ref.key] = now;
  sort_pods_of(before);
  return before;
}

void ObjectCache::link(const Facts& facts, Instant now) {
  const Ref ref{.kind = facts.kind, .key = facts.key()};
  for (const OwnerReference& owner : facts.owners()) dependents_[owner.uid].insert(ref);
  count_contents(facts, true);
  if (facts.kind == nodes_) missing_since_.erase(facts.name);
  if (facts.pod == nullptr) return;
  if (facts.pod->group != nullptr) pods_in_[facts.space + "/" + *facts.pod->group].insert(ref.key);
  if (facts.pod->terminal) sort_finished(facts);
  const std::string& node = facts.pod->node;
  if (node.empty()) return;
  pods_on_[node].insert(ref.key);
  if (find(nodes_, node) == nullptr) missing_since_.try_emplace(node, now);
}

void ObjectCache::unlink(const Facts& facts) {
  const Ref ref{.kind = facts.kind, .key = facts.key()};
  for (const OwnerReference& owner : facts.owners()) {
    const auto at = dependents_.find(owner.uid);
    if (at == dependents_.end()) continue;
    at->second.erase(ref);
    if (at->second.empty()) dependents_.erase(at);
  }
  count_contents(facts, false);
  if (facts.pod == nullptr) return;
  if (facts.pod->group != nullptr) drop(pods_in_, facts.space + "/" + *facts.pod->group, ref.key);
  if (facts.pod->terminal) terminated_.erase({!facts.pod->evicted, facts.created, ref.key});
  if (!facts.pod->node.empty()) drop(pods_on_, facts.pod->node, ref.key);
}

void ObjectCache::count_contents(const Facts& facts, bool more) {
  if (facts.space.empty()) return;
  if (more) {
    Contents& contents = contents_[facts.space];
    ++contents.objects[facts.kind];
    if (!facts.leaving()) ++contents.living[facts.kind];
    for (const std::string& finalizer : facts.finalizers) ++contents.finalizers[finalizer];
    return;
  }
  const auto at = contents_.find(facts.space);
  if (at == contents_.end()) return;
  count_down(at->second.objects, facts.kind);
  if (!facts.leaving()) count_down(at->second.living, facts.kind);
  for (const std::string& finalizer : facts.finalizers) count_down(at->second.finalizers, finalizer);
  if (at->second.objects.empty()) contents_.erase(at);
}

const Facts* ObjectCache::owner(const Facts& facts, const OwnerReference& reference) const {
  const Kind* kind = kinds_.find_owner(reference.api_version, reference.kind);
  if (kind == nullptr) return nullptr;
  const Facts* found =
      find(kind->id, kind->namespaced ? facts.space + "/" + reference.name : std::string(reference.name));
  return found != nullptr && found->uid == reference.uid ? found : nullptr;
}

bool ObjectCache::is_counted(const Facts& pod) const {
  if (!pod.finalizers.empty()) return true;
  for (const OwnerReference& reference : pod.owners()) {
    const Facts* found = owner(pod, reference);
    if (found == nullptr || found->counts_finished) return true;
  }
  if (pod.pod->group == nullptr) return false;
  const Kind* groups = kinds_.find(kPodGroup.first, kPodGroup.second);
  const Facts* group = groups == nullptr ? nullptr : find(groups->id, pod.space + "/" + *pod.pod->group);
  if (group == nullptr || !group->counts_finished) return false;
  return std::ranges::find(group->owners(), pod.uid, &OwnerReference::uid) == group->owners().end();
}

void ObjectCache::sort_finished(const Facts& pod) {
  std::tuple place(!pod.pod->evicted, pod.created, pod.key());
  if (is_counted(pod)) {
    terminated_.erase(place);
  } else {
    terminated_.insert(std::move(place));
  }
}

void ObjectCache::sort_pods_of(const Facts& owner) {
  for (const Ref& ref : dependents(owner.uid)) {
    const Facts* pod = ref.kind == pods_ ? find(ref) : nullptr;
    if (pod != nullptr && pod->pod->terminal) sort_finished(*pod);
  }
  const Kind& kind = kinds_.at(owner.kind);
  if (std::pair<std::string_view, std::string_view>(kind.resource.group, kind.kind) != kPodGroup) return;
  const auto members = pods_in_.find(owner.key());
  if (members == pods_in_.end()) return;
  for (const std::string& key : members->second) {
    const Facts* pod = find(pods_, key);
    if (pod != nullptr && pod->pod->terminal) sort_finished(*pod);
  }
}

const std::set<Ref>& ObjectCache::dependents(const std::string& uid) const {
  static const std::set<Ref> kNone;
  const auto at = dependents_.find(uid);
  return at == dependents_.end() ? kNone : at->second;
}

const ObjectCache::Contents* ObjectCache::contents(std::string_view space) const {
  const auto at = contents_.find(space);
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

bool ObjectCache::is_absent(const std::string& uid, std::string_view space) const {
  return absent_.contains(uid) || absent_.contains(uid + "@" + std::string(space));
}

void ObjectCache::note_absent(const std::string& uid, std::string_view space) {
  remember(uid + "@" + std::string(space));
}

void ObjectCache::remember(std::string absence) {
  if (!absent_.insert(absence).second) return;
  absent_order_.push_back(std::move(absence));
  if (absent_order_.size() <= kMaxRememberedAbsences) return;
  absent_.erase(absent_order_.front());
  absent_order_.pop_front();
}

}  // namespace basalt::kubernetes

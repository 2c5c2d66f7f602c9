#include "control/kubernetes/quota_usage_index.h"

#include "kube/api/rules/member_access.h"
#include "kube/api/views/quota_view.h"

namespace basalt::kubernetes {
namespace {

// What one object adds to the quota, of the resources that the quota limits.
api::ResourceList share_of(const WatchedKinds& kinds, const text::Object& quota, const ObjectRecord& record) {
  const WatchedKind& kind = kinds.at(record.kind);
  const bool scoped = api::has_scopes(quota);
  if (scoped && (record.pod == nullptr || !api::in_scope(quota, record.pod->demands->scopes))) return {};
  api::ResourceList usage;
  if (record.pod != nullptr) {
    if (!record.pod->over) usage = record.pod->demands->usage;
    usage["count/pods"] = text::Quantity::from_units(1);
  } else {
    const text::Object nothing;
    usage = api::usage_of(kind.for_quota(), record.whole != nullptr ? record.object() : nothing, kNever);
  }
  const text::Object* hard = api::ResourceQuotaView(quota).spec().hard().json();
  std::erase_if(usage, [&](const auto& one) { return hard == nullptr || !hard->contains(one.first); });
  return usage;
}

bool same_spec(const ObjectRecord& before, const ObjectRecord& now) {
  return before.uid == now.uid && api::rules::same_member(before.object(), now.object(), "spec");
}

}  // namespace

QuotaUsageIndex::QuotaUsageIndex(const WatchedKinds& kinds, const ObjectCache& cache)
    : kinds_(kinds), cache_(cache), quotas_(kinds.builtin("", "ResourceQuota").id) {}

void QuotaUsageIndex::note(const ObjectRecord* before, const ObjectRecord* now) {
  const ObjectRecord& one = now != nullptr ? *now : *before;
  if (one.namespace_name.empty()) return;
  if (one.kind == quotas_ && now == nullptr) {
    const auto at = by_namespace_.find(one.namespace_name);
    if (at != by_namespace_.end()) at->second.erase(one.name);
    if (at != by_namespace_.end() && at->second.empty()) by_namespace_.erase(at);
  } else if (one.kind == quotas_ && (before == nullptr || !same_spec(*before, *now))) {
    by_namespace_[one.namespace_name].erase(one.name);  // counted below, where it is the only one that is missing
    by_namespace_[one.namespace_name][one.name] = {};
  }
  const auto tallies = by_namespace_.find(one.namespace_name);
  if (tallies == by_namespace_.end()) return;
  for (auto& [name, used] : tallies->second) {
    const ObjectRecord* quota = cache_.find(quotas_, one.namespace_name + "/" + name);
    if (quota == nullptr) continue;
    if (quota == now && (before == nullptr || !same_spec(*before, *now))) {
      used = count(kinds_, cache_, *quota);
      continue;
    }
    if (before != nullptr) api::subtract(used, share_of(kinds_, quota->object(), *before));
    if (now != nullptr) api::add(used, share_of(kinds_, quota->object(), *now));
  }
}

const QuotaUsageIndex::Tallies& QuotaUsageIndex::in(std::string_view ns) const {
  static const Tallies kNone;
  const auto at = by_namespace_.find(ns);
  return at == by_namespace_.end() ? kNone : at->second;
}

api::ResourceList QuotaUsageIndex::count(const WatchedKinds& kinds, const ObjectCache& cache,
                                         const ObjectRecord& quota) {
  api::ResourceList used;
  const text::Object* hard = api::ResourceQuotaView(quota.object()).spec().hard().json();
  if (hard == nullptr) return used;
  for (const auto& limit : *hard) used[std::string(limit.key())] = text::Quantity();
  const ObjectCache::Contents* contents = cache.contents(quota.namespace_name);
  if (contents == nullptr) return used;
  for (const auto& [kind, objects] : contents->objects) {
    cache.each_in(kind, quota.namespace_name,
                  [&](const ObjectRecord& record) { api::add(used, share_of(kinds, quota.object(), record)); });
  }
  return used;
}

}  // namespace basalt::kubernetes

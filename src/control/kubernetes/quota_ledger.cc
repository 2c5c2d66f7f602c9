#include "control/kubernetes/quota_ledger.h"

#include "kube/api/object_fields.h"
#include "kube/api/rules/fields.h"

namespace basalt::kubernetes {
namespace {

// What one object adds to the quota, of the resources that the quota limits.
api::Amounts share_of(const Kinds& kinds, const text::Object& quota, const Facts& facts) {
  const Kind& kind = kinds.at(facts.kind);
  const bool scoped = api::has_scopes(quota);
  if (scoped && (facts.pod == nullptr || !api::in_scope(quota, facts.pod->demands->scopes))) return {};
  api::Amounts usage;
  if (facts.pod != nullptr) {
    if (!facts.pod->over) usage = facts.pod->demands->usage;
    usage["count/pods"] = text::Quantity::from_units(1);
  } else {
    const text::Object nothing;
    usage = api::usage_of(kind.for_quota(), facts.whole != nullptr ? facts.object() : nothing, kNever);
  }
  const text::Object* hard = api::object_at(quota, {"spec", "hard"});
  std::erase_if(usage, [&](const auto& one) { return hard == nullptr || !hard->contains(one.first); });
  return usage;
}

bool same_spec(const Facts& before, const Facts& now) {
  return before.uid == now.uid && api::rules::same_member(before.object(), now.object(), "spec");
}

}  // namespace

QuotaLedger::QuotaLedger(const Kinds& kinds, const ObjectCache& cache)
    : kinds_(kinds), cache_(cache), quotas_(kinds.builtin("", "ResourceQuota").id) {}

void QuotaLedger::note(const Facts* before, const Facts* now) {
  const Facts& one = now != nullptr ? *now : *before;
  if (one.space.empty()) return;
  if (one.kind == quotas_ && now == nullptr) {
    const auto at = spaces_.find(one.space);
    if (at != spaces_.end()) at->second.erase(one.name);
    if (at != spaces_.end() && at->second.empty()) spaces_.erase(at);
  } else if (one.kind == quotas_ && (before == nullptr || !same_spec(*before, *now))) {
    spaces_[one.space].erase(one.name);  // counted below, where it is the only one that is missing
    spaces_[one.space][one.name] = {};
  }
  const auto tallies = spaces_.find(one.space);
  if (tallies == spaces_.end()) return;
  for (auto& [name, used] : tallies->second) {
    const Facts* quota = cache_.find(quotas_, one.space + "/" + name);
    if (quota == nullptr) continue;
    if (quota == now && (before == nullptr || !same_spec(*before, *now))) {
      used = count(kinds_, cache_, *quota);
      continue;
    }
    if (before != nullptr) api::subtract(used, share_of(kinds_, quota->object(), *before));
    if (now != nullptr) api::add(used, share_of(kinds_, quota->object(), *now));
  }
}

const QuotaLedger::Tallies& QuotaLedger::in(std::string_view space) const {
  static const Tallies kNone;
  const auto at = spaces_.find(space);
  return at == spaces_.end() ? kNone : at->second;
}

api::Amounts QuotaLedger::count(const Kinds& kinds, const ObjectCache& cache, const Facts& quota) {
  api::Amounts used;
  const text::Object* hard = api::object_at(quota.object(), {"spec", "hard"});
  if (hard == nullptr) return used;
  for (const auto& limit : *hard) used[std::string(limit.key())] = text::Quantity();
  const ObjectCache::Contents* contents = cache.contents(quota.space);
  if (contents == nullptr) return used;
  for (const auto& [kind, objects] : contents->objects) {
    cache.each_in(kind, quota.space,
                  [&](const Facts& facts) { api::add(used, share_of(kinds, quota.object(), facts)); });
  }
  return used;
}

}  // namespace basalt::kubernetes

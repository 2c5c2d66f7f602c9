#include "control/scheduler/shadow_comparison.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::scheduler {
namespace {

constexpr std::array<std::string_view, kShadowVerdicts> kTexts = {
    "same-node",    "other-node",      "they-first",        "only-they",   "only-we",
    "evicted-both", "evicted-only-we", "evicted-only-they", "gang-partly",
};

std::string_view uid_of(const text::Object& object) { return api::ObjectView(object).metadata().uid(); }

// "namespace/group"; "": the pod has none.
std::string group_key(const text::Object& pod) {
  const api::ObjectMetaView metadata = api::PodView(pod).metadata();
  const std::string_view group = metadata.annotations()[api::keys::kGroupName];
  return group.empty() ? "" : std::string(metadata.namespace_name()) + "/" + std::string(group);
}

bool is_preempted(const text::Object& pod) {
  for (const api::PodConditionView condition : api::PodView(pod).status().conditions()) {
    if (condition.type() != "DisruptionTarget" || condition.status() != "True") continue;
    if (condition.reason() == "PreemptionByScheduler") return true;
  }
  return false;
}

double part_of(uint64_t some, uint64_t all) {
  return all == 0 ? 1.0 : static_cast<double>(some) / static_cast<double>(all);
}

}  // namespace

std::string_view to_text(ShadowVerdict verdict) { return kTexts[static_cast<size_t>(verdict)]; }

double ShadowSummary::agreement() const {
  const uint64_t both = of(ShadowVerdict::SameNode) + of(ShadowVerdict::OtherNode);
  return part_of(both, both + of(ShadowVerdict::OnlyThey) + of(ShadowVerdict::OnlyWe));
}

double ShadowSummary::same_node() const {
  return part_of(of(ShadowVerdict::SameNode), of(ShadowVerdict::SameNode) + of(ShadowVerdict::OtherNode));
}

bool ShadowComparison::is_compared(const text::Object& pod) const {
  return std::ranges::find(rules_.scheduler_names, api::PodView(pod).spec().scheduler_name()) !=
         rules_.scheduler_names.end();
}

void ShadowComparison::saw_pod(const text::Object& pod, Instant now) {
  if (!is_compared(pod)) return;
  const std::string_view uid = uid_of(pod);
  if (uid.empty()) return;
  const std::string_view node = api::PodView(pod).spec().node_name();
  if (node.empty()) return add_pending(pod, uid, now);
  saw_bound(uid, node, now);
  place_in_gang(pod, uid, now);
  if (is_preempted(pod)) saw_eviction(pod, uid, now);
}

void ShadowComparison::add_pending(const text::Object& pod, std::string_view uid, Instant now) {
  // A pod that is going needs no node any more.
  if (!api::PodView(pod).metadata().deletion_timestamp().empty() || pods_.contains(std::string(uid))) return;
  if (pods_.size() >= kMaxShadowPods) {
    ++totals_.untracked;
    return;
  }
  pods_.emplace(uid, Row{.key = api::key_of(pod), .group = group_key(pod), .seen = now});
}

void ShadowComparison::saw_bound(std::string_view uid, std::string_view node, Instant now) {
  const auto at = pods_.find(std::string(uid));
  if (at == pods_.end() || at->second.bound.is_set()) return;  // it was bound when we came, or is judged already
  Row& row = at->second;
  row.bound = now;
  row.theirs = node;
  if (row.decided.is_set()) return both_placed(at, now);
  wait_for(Due::Settle, uid, now + rules_.settle);  // a decision of ours may be on its way
}

void ShadowComparison::both_placed(Pods::iterator at, Instant now) {
  Row& row = at->second;
  if (row.only_we) --count(ShadowVerdict::OnlyWe);
  const Duration ahead = row.bound - row.decided;
  sample(ahead);
  find({.verdict = row.ours == row.theirs ? ShadowVerdict::SameNode : ShadowVerdict::OtherNode,
        .key = std::move(row.key),
        .group = std::move(row.group),
        .ours = std::move(row.ours),
        .theirs = std::move(row.theirs),
        .ahead = ahead,
        .at = now});
  pods_.erase(at);
}

void ShadowComparison::settle(const std::string& uid, Instant now) {
  const auto at = pods_.find(uid);
  if (at == pods_.end() || !at->second.bound.is_set()) return;
  Row& row = at->second;
  const bool young = row.bound - row.seen < rules_.grace;
  find({.verdict = young ? ShadowVerdict::TheyFirst : ShadowVerdict::OnlyThey,
        .key = std::move(row.key),
        .group = std::move(row.group),
        .theirs = std::move(row.theirs),
        .at = now});
  pods_.erase(at);
}

void ShadowComparison::we_bind(std::string_view uid, std::string_view node, Instant now) {
  const auto at = pods_.find(std::string(uid));
  if (at == pods_.end()) return;  // judged already, or there was no room for it
  Row& row = at->second;
  if (row.decided.is_set()) return;  // decided anew: the first one would have been carried out
  row.decided = now;
  row.ours = node;
  if (row.bound.is_set()) return both_placed(at, now);
  wait_for(Due::Patience, uid, now + rules_.patience);
}

void ShadowComparison::lose_patience(const std::string& uid, Instant now) {
  const auto at = pods_.find(uid);
  if (at == pods_.end() || at->second.only_we || at->second.bound.is_set()) return;
  Row& row = at->second;
  row.only_we = true;
  find({.verdict = ShadowVerdict::OnlyWe, .key = row.key, .group = row.group, .ours = row.ours, .at = now});
}

void ShadowComparison::pod_gone(const text::Object& pod) {
  const std::string uid(uid_of(pod));
  forget(uid);
  const auto gang = gangs_.find(group_key(pod));
  if (gang != gangs_.end()) gang->second.placed.erase(uid);
}

void ShadowComparison::pod_gone(std::string_view key) {
  const auto at = std::ranges::find_if(pods_, [&](const auto& entry) { return entry.second.key == key; });
  if (at != pods_.end()) forget(std::string(at->first));
}

void ShadowComparison::forget(const std::string& uid) {
  pods_.erase(uid);
  const auto at = evictions_.find(uid);
  // Theirs that is not judged yet will be, when its time comes.
  if (at != evictions_.end() && (at->second.judged || !at->second.theirs.is_set())) evictions_.erase(at);
}

void ShadowComparison::sweep(Instant now) {
  const auto is_old = [now](Instant since) { return since.is_set() && now - since > kForgetAfter; };
  std::erase_if(pods_, [&](const auto& entry) { return is_old(entry.second.seen); });
  std::erase_if(evictions_,
                [&](const auto& entry) { return is_old(std::max(entry.second.ours, entry.second.theirs)); });
  sweep_at_ = now + kSweepEvery;
}

void ShadowComparison::we_evict(std::string_view uid, std::string_view key, Instant now) {
  if (!evictions_.contains(std::string(uid)) && evictions_.size() >= kMaxShadowPods) return;
  EvictRow& row = evictions_[std::string(uid)];
  if (row.ours.is_set()) return;
  row.key = key;
  row.ours = now;
  wait_for(Due::Eviction, uid, now + rules_.patience);
}

void ShadowComparison::saw_eviction(const text::Object& pod, std::string_view uid, Instant now) {
  if (!evictions_.contains(std::string(uid)) && evictions_.size() >= kMaxShadowPods) return;
  EvictRow& row = evictions_[std::string(uid)];
  if (row.theirs.is_set()) return;
  row.key = api::key_of(pod);
  row.theirs = now;
  // Theirs alone is judged soon, ours alone when patience is over; both together at once.
  wait_for(Due::Eviction, uid, row.ours.is_set() ? now : now + rules_.settle);
}

void ShadowComparison::judge_eviction(const std::string& uid, Instant now) {
  const auto at = evictions_.find(uid);
  if (at == evictions_.end() || at->second.judged) return;
  EvictRow& row = at->second;
  if (!row.theirs.is_set()) {
    if (std::exchange(row.only_we, true)) return;
    find({.verdict = ShadowVerdict::EvictedOnlyWe, .key = row.key, .at = now});
    return;
  }
  if (row.only_we) --count(ShadowVerdict::EvictedOnlyWe);
  const bool both = row.ours.is_set();
  find({.verdict = both ? ShadowVerdict::EvictedBoth : ShadowVerdict::EvictedOnlyThey,
        .key = row.key,
        .ahead = both ? row.theirs - row.ours : Duration{},
        .at = now});
  row.judged = true;  // it shows its condition until it is gone
}

ShadowComparison::GangRow* ShadowComparison::gang_at(const std::string& key) {
  const auto at = gangs_.find(key);
  if (at != gangs_.end()) return &at->second;
  if (gangs_.size() >= kMaxShadowGroups) {
    ++totals_.untracked;
    return nullptr;
  }
  return &gangs_[key];
}

void ShadowComparison::saw_group(const text::Object& group) {
  GangRow* gang = gang_at(api::key_of(group));
  if (gang == nullptr) return;
  gang->wanted = std::max<int64_t>(api::PodGroupView(group).spec().min_member().value_or(0), 1);
  complete_if_whole(*gang);
}

void ShadowComparison::group_gone(const text::Object& group) { gangs_.erase(api::key_of(group)); }

void ShadowComparison::place_in_gang(const text::Object& pod, std::string_view uid, Instant now) {
  const std::string key = group_key(pod);
  GangRow* gang = key.empty() ? nullptr : gang_at(key);
  if (gang == nullptr || gang->complete) return;
  if (!gang->placed.emplace(uid).second) return;
  if (gang->placed.size() == 1) wait_for(Due::Gang, key, now + rules_.patience);
  complete_if_whole(*gang);
}

void ShadowComparison::complete_if_whole(GangRow& gang) {
  if (gang.wanted == 0 || std::cmp_less(gang.placed.size(), gang.wanted)) return;
  gang.complete = true;
  gang.placed = {};
}

void ShadowComparison::judge_gang(const std::string& key, Instant now) {
  const auto at = gangs_.find(key);
  if (at == gangs_.end() || at->second.complete || at->second.told || at->second.placed.empty()) return;
  GangRow& gang = at->second;
  if (gang.wanted == 0) return;  // a group that was never seen has no size
  gang.told = true;
  find({.verdict = ShadowVerdict::GangPartly,
        .key = key,
        .bound = static_cast<int64_t>(gang.placed.size()),
        .wanted = gang.wanted,
        .at = now});
}

void ShadowComparison::wait_for(Due due, std::string_view name, Instant at) {
  due_.emplace(at, Timer{.due = due, .name = std::string(name)});
}

void ShadowComparison::pass_time(Instant now) {
  if (!sweep_at_.is_set() || sweep_at_ <= now) sweep(now);
  while (!due_.empty() && due_.begin()->first <= now) {
    const Timer timer = std::move(due_.begin()->second);
    due_.erase(due_.begin());
    switch (timer.due) {
      case Due::Settle:
        settle(timer.name, now);
        break;
      case Due::Patience:
        lose_patience(timer.name, now);
        break;
      case Due::Eviction:
        judge_eviction(timer.name, now);
        break;
      case Due::Gang:
        judge_gang(timer.name, now);
        break;
    }
  }
}

Instant ShadowComparison::next_due() const { return due_.empty() ? kNever : due_.begin()->first; }

void ShadowComparison::find(ShadowFinding finding) {
  ++count(finding.verdict);
  findings_.push_back(std::move(finding));
}

std::vector<ShadowFinding> ShadowComparison::take_findings() { return std::exchange(findings_, {}); }

void ShadowComparison::sample(Duration ahead) {
  const double seconds = static_cast<double>(ahead.nanos) / 1e9;
  ++sampled_;
  if (samples_.size() < kMaxShadowSamples) {
    samples_.push_back(seconds);
  } else if (const uint64_t place = chance_.below(sampled_); place < kMaxShadowSamples) {
    samples_[place] = seconds;  // each of all has the same chance to be kept
  }
}

ShadowSummary ShadowComparison::summary() const {
  ShadowSummary summary = totals_;
  for (const auto& [uid, row] : pods_) summary.waiting += row.only_we ? 0U : 1U;  // order-free: a count
  if (samples_.empty()) return summary;
  std::vector<double> sorted = samples_;
  std::ranges::sort(sorted);
  const auto at = [&](double part) {
    return sorted[std::min(static_cast<size_t>(part * static_cast<double>(sorted.size())), sorted.size() - 1)];
  };
  summary.ahead_p10 = at(0.10);
  summary.ahead_p50 = at(0.50);
  summary.ahead_p90 = at(0.90);
  summary.ahead_p99 = at(0.99);
  return summary;
}

}  // namespace basalt::scheduler

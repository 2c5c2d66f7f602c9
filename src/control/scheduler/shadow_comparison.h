// Two schedulers compared: what ours decided, what the other one did in the cluster. Pure: no clock, no I/O.
//
// Each pod that waits for a node when it is first seen gets one verdict, in the end:
//
//   SameNode   both placed it, on the same node
//   OtherNode  both placed it, on different nodes
//   TheyFirst  they placed it before we did, while it was younger than `grace`: no disagreement, they were quicker
//   OnlyThey   they placed it, and we had not within `grace` of seeing it
//   OnlyWe     we placed it, and they have not within `patience`; final when the pod goes, else replaced by SameNode or
//              OtherNode when they place it at last
//
// For those that both placed, `ahead` is how much earlier we were: their bind as the watch told it, less our first
// decision. Our first decision counts, since it is the one that would have been carried out; it is made anew every few
// seconds while the pod waits (write_recovery.h).
// Evictions likewise: EvictedBoth, EvictedOnlyWe (not within `patience`), EvictedOnlyThey. Theirs are known by the
// condition DisruptionTarget with the reason PreemptionByScheduler: other deletions are nobody's decision.
// GangPartly: a PodGroup of which they had placed some pods, but fewer than minMember, for longer than `patience`.
//
// Memory: at most kMaxShadowPods pods and kMaxShadowGroups groups, some 400 bytes each; what comes beyond is counted as
// `untracked` and not compared. A pod that nobody hears of for kForgetAfter is forgotten.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/instant.h"
#include "base/rng.h"
#include "kube/text/json.h"

namespace basalt::scheduler {

inline constexpr size_t kMaxShadowPods = 100'000;
inline constexpr size_t kMaxShadowGroups = 50'000;
inline constexpr size_t kMaxShadowSamples = 10'000;  // of `ahead`, chosen evenly of all
inline constexpr Duration kForgetAfter = Duration::seconds(6 * 3600);
inline constexpr Duration kSweepEvery = Duration::seconds(600);

enum class ShadowVerdict : uint8_t {
  SameNode,
  OtherNode,
  TheyFirst,
  OnlyThey,
  OnlyWe,
  EvictedBoth,
  EvictedOnlyWe,
  EvictedOnlyThey,
  GangPartly,
};
inline constexpr size_t kShadowVerdicts = 9;
[[nodiscard]] std::string_view to_text(ShadowVerdict verdict);  // "same-node"

struct ShadowRules {
  std::vector<std::string> scheduler_names = {"volcano"};  // of pods that are compared
  Duration patience = Duration::seconds(30);
  Duration grace = Duration::seconds(5);
  Duration settle = Duration::seconds(1);  // how long a decision of ours may come behind their bind
};

struct ShadowFinding {
  ShadowVerdict verdict = ShadowVerdict::SameNode;
  std::string key;                // "namespace/name" of the pod, or of the group
  std::string group;              // of the pod, "namespace/name"; "": none
  std::string ours, theirs;       // nodes; "": not placed
  std::string for_whom;           // evictions of ours: the pod that gets the room, where it is known
  Duration ahead;                 // both placed it: how much earlier we were; below 0: later
  int64_t bound = 0, wanted = 0;  // GangPartly: pods placed, minMember
  Instant at;
};
[[nodiscard]] inline bool is_difference(ShadowVerdict verdict) {
  return verdict != ShadowVerdict::SameNode && verdict != ShadowVerdict::TheyFirst &&
         verdict != ShadowVerdict::EvictedBoth;
}

struct ShadowSummary {
  uint64_t counts[kShadowVerdicts] = {};
  uint64_t waiting = 0;    // pods without a verdict yet
  uint64_t untracked = 0;  // pods and groups that found no room
  // `ahead` in seconds, of the pods that both placed.
  double ahead_p10 = 0, ahead_p50 = 0, ahead_p90 = 0, ahead_p99 = 0;

  [[nodiscard]] uint64_t of(ShadowVerdict verdict) const { return counts[static_cast<size_t>(verdict)]; }
  // Of the pods that one or the other placed, the part that both did, and of these the part on the same node; 1 where
  // there are none.
  [[nodiscard]] double agreement() const;
  [[nodiscard]] double same_node() const;
};

class ShadowComparison {
 public:
  explicit ShadowComparison(ShadowRules rules) : rules_(std::move(rules)), chance_(1) {}

  // ---- what the cluster shows ------------------------------------------------------------------------------------
  void saw_pod(const text::Object& pod, Instant now);
  void pod_gone(const text::Object& pod);
  void pod_gone(std::string_view key);  // the same where only its name is known; cost: O(pods)
  void saw_group(const text::Object& group);
  void group_gone(const text::Object& group);

  // ---- what we decide --------------------------------------------------------------------------------------------
  void we_bind(std::string_view uid, std::string_view node, Instant now);
  void we_evict(std::string_view uid, std::string_view key, Instant now);

  void pass_time(Instant now);  // cost: O(what is due)
  [[nodiscard]] std::vector<ShadowFinding> take_findings();
  [[nodiscard]] ShadowSummary summary() const;
  [[nodiscard]] Instant next_due() const;  // kNever: nothing waits for time

 private:
  struct Row {
    std::string key, group, ours, theirs;
    Instant seen;          // first, without a node
    Instant decided;       // by us, first
    Instant bound;         // by them, as told
    bool only_we = false;  // counted so for the time being
  };
  struct EvictRow {
    std::string key;
    Instant ours, theirs;
    bool only_we = false, judged = false;
  };
  struct GangRow {
    int64_t wanted = 0;                      // minMember; 0: the group was not seen yet
    std::unordered_set<std::string> placed;  // uids; not kept any more once the gang is complete
    bool complete = false, told = false;
  };
  enum class Due : uint8_t { Settle, Patience, Eviction, Gang };
  struct Timer {
    Due due;
    std::string name;  // uid of a pod, or key of a group
  };
  using Pods = std::unordered_map<std::string, Row>;

  void add_pending(const text::Object& pod, std::string_view uid, Instant now);
  void saw_bound(std::string_view uid, std::string_view node, Instant now);
  void saw_eviction(const text::Object& pod, std::string_view uid, Instant now);
  void place_in_gang(const text::Object& pod, std::string_view uid, Instant now);
  GangRow* gang_at(const std::string& key);
  static void complete_if_whole(GangRow& gang);
  void both_placed(Pods::iterator at, Instant now);
  void settle(const std::string& uid, Instant now);
  void lose_patience(const std::string& uid, Instant now);
  void judge_eviction(const std::string& uid, Instant now);
  void judge_gang(const std::string& key, Instant now);
  void forget(const std::string& uid);
  void sweep(Instant now);
  void find(ShadowFinding finding);
  void wait_for(Due due, std::string_view name, Instant at);
  uint64_t& count(ShadowVerdict verdict) { return totals_.counts[static_cast<size_t>(verdict)]; }
  void sample(Duration ahead);
  [[nodiscard]] bool is_compared(const text::Object& pod) const;

  const ShadowRules rules_;
  Pods pods_;                                            // by uid
  std::unordered_map<std::string, EvictRow> evictions_;  // by uid
  std::unordered_map<std::string, GangRow> gangs_;       // by key of the group
  std::multimap<Instant, Timer> due_;  // at most a few for each pod and gang, and none longer than `patience`
  Instant sweep_at_;
  std::vector<ShadowFinding> findings_;
  ShadowSummary totals_;         // counts and untracked only
  std::vector<double> samples_;  // seconds
  uint64_t sampled_ = 0;         // of how many they were chosen
  Rng chance_;
};

}  // namespace basalt::scheduler

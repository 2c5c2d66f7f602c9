// What the controllers have seen of the cluster, and the ways to find it that plans need.
//
// 1. learn() and forget() are the only writers and keep all indexes in step.
// 2. Walks are in the order of keys, so plans are repeatable.
// 3. An older state than the known one is ignored: own writes come back sooner than the watch tells them.
// Objects are immutable and shared with the client that delivered them.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "control/volcano/cached_pod.h"
#include "control/volcano/volcano_kinds.h"
#include "kube/client/object_client.h"

namespace basalt::volcano {

inline constexpr size_t kMaxLostPodsPerJob = 1'000;

// A pod of a job that went though we did not remove it.
struct LostPod {
  std::string task, pod, uid;
  int32_t job_version = 0, partition = -1;
  Instant at;  // when we saw it
};

struct JobPods {
  std::map<std::string, CachedPod, std::less<>> pods;  // by name
  // Until a new pod stands in the same place, or the job is at a later version. Bounded: more than kMaxLostPodsPerJob
  // say nothing new.
  std::vector<LostPod> lost_pods;
};

// PodGroups of a queue by phase. One that the scheduler has not seen yet is pending.
struct PodGroupCounts {
  int64_t pending = 0, inqueue = 0, running = 0, unknown = 0, completed = 0;
  friend auto operator<=>(const PodGroupCounts&, const PodGroupCounts&) = default;
};

// A change of one object. Of pods, the views; of others, the objects.
struct ObjectChange {
  VolcanoKind kind;
  std::string_view key;
  const text::Object* before = nullptr;  // null: it is new
  const text::Object* now = nullptr;     // null: it is gone
  const CachedPod* pod_before = nullptr;
  const CachedPod* pod_now = nullptr;

  [[nodiscard]] const text::Object& either() const { return now != nullptr ? *now : *before; }
};

class ControllerCache {
 public:
  using Objects = std::map<std::string, client::ObjectPtr, std::less<>>;
  using Keys = std::set<std::string, std::less<>>;

  // `schedulers`: whose pods get a PodGroup.
  explicit ControllerCache(std::vector<std::string> schedulers) : schedulers_(std::move(schedulers)) {}

  // Any kind but Pod. Null: not there.
  [[nodiscard]] const text::Object* find(VolcanoKind kind, std::string_view key) const;
  [[nodiscard]] client::ObjectPtr find_shared(VolcanoKind kind, std::string_view key) const;
  [[nodiscard]] const Objects& all(VolcanoKind kind) const { return objects_[static_cast<size_t>(kind)]; }
  template <class Visit>  // visit(key, object)
  void each_in(VolcanoKind kind, std::string_view ns, Visit&& visit) const;

  // Keys of the objects of `kind` whose controlling owner has this uid.
  [[nodiscard]] const Keys& controlled(VolcanoKind kind, std::string_view owner_uid) const;
  // Keys of commands whose target has this uid.
  [[nodiscard]] const Keys& commands_for(std::string_view target_uid) const;
  // Keys of PodGroups / names of queues / keys of jobs that name this queue (as parent).
  [[nodiscard]] const Keys& groups_in(std::string_view queue) const;
  [[nodiscard]] PodGroupCounts group_counts(std::string_view queue) const;  // of groups_in; O(1)
  [[nodiscard]] const Keys& children_of(std::string_view queue) const;
  [[nodiscard]] const Keys& jobs_in(std::string_view queue) const;

  // Pods of a Volcano job, by the job's uid.
  [[nodiscard]] const JobPods& pods_of(std::string_view job_uid) const;
  // Whole pods that name a scheduler and no PodGroup, by key.
  [[nodiscard]] const Objects& ungrouped() const { return ungrouped_; }
  // Keys of those whose controlling owner, or who without one themselves, have this uid.
  [[nodiscard]] const Keys& ungrouped_of(std::string_view uid) const;

  using Noted = std::function<void(const ObjectChange&)>;
  // Takes the new state and calls `noted` with the change, unless it is known already. What the change points to lives
  // during the call only.
  void learn(VolcanoKind kind, const client::ObjectPtr& object, const Noted& noted);
  void forget(VolcanoKind kind, const std::string& key, Instant now, const Noted& noted);
  [[nodiscard]] std::vector<std::string> keys(VolcanoKind kind) const;

 private:
  using Index = std::unordered_map<std::string, Keys>;

  void learn_pod(const std::string& key, const client::ObjectPtr& object, const Noted& noted);
  void forget_pod(const std::string& key, Instant now, const Noted& noted);
  [[nodiscard]] bool is_ours(const text::Object& pod) const;  // waits for one of our schedulers, without a PodGroup
  void drop_lost_pods(const text::Object& job, bool gone);
  void index(VolcanoKind kind, const std::string& key, const text::Object& object, bool there);
  void set_ungrouped(const std::string& key, const client::ObjectPtr& pod);  // null: it is none any more

  std::vector<std::string> schedulers_;
  std::array<Objects, kKinds> objects_;
  Index controlled_;  // "<kind number>:<uid>"
  Index commands_, groups_, children_, jobs_;
  std::unordered_map<std::string, JobPods> pods_;               // by job uid
  std::map<std::string, std::string, std::less<>> job_of_pod_;  // pod key → job uid
  Objects ungrouped_;
  Index ungrouped_of_;
  std::unordered_map<std::string, PodGroupCounts> group_counts_;  // by queue
};

template <class Visit>
void ControllerCache::each_in(VolcanoKind kind, std::string_view ns, Visit&& visit) const {
  const Objects& objects = all(kind);
  const std::string prefix = std::string(ns) + "/";
  for (auto at = objects.lower_bound(prefix); at != objects.end() && at->first.starts_with(prefix); ++at) {
    visit(at->first, at->second->get_object());
  }
}

}  // namespace basalt::volcano

// The scheduler's cache: a ClusterState, and beside it what the state does not keep but writes need.
//
// 1. learn() takes an object in any order and any number of times: one that is not later than the known one is
//    ignored, but from a list only the same state is. An object of the same name with another uid replaces it, also
//    when its deletion was never seen.
// 2. A bad object is logged once for each of its versions and counted; the state keeps what it had about it.
// 3. What we decided and the API does not show yet outlives older events: a bound pod stays on its node
//    (state::StateUpdater, rule 4), one that is being evicted stays Releasing until its deletion is seen or given up.
//    Source::Outcome is the exception for binds: the object was read after the bind had ended.
// 4. A pod that is held back counts as gated, so no cycle places it.
//
// Cost: O(object) to learn. Memory for a pod: its key, its uid and 56 bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/instant.h"
#include "control/scheduler/scheduler.h"
#include "control/scheduler/scheduler_kinds.h"
#include "control/scheduler/state/state_updater.h"
#include "kube/api/typed_decode.h"
#include "kube/client/object_client.h"

namespace basalt::scheduler {

// Remembers words without keeping them. 0: nothing was said.
[[nodiscard]] uint64_t text_hash(std::string_view text);

// What PodScheduled=False says at the pod, or will say once our write has ended.
struct ConditionHash {
  uint64_t reason = 0, message = 0;  // marks; reason 0: there is no such condition
  Instant at;                        // of our last write; kNever: none since we began
};

struct ObjectRow {
  std::string uid;
  uint64_t version = 0;
  bool bad = false;
};
// Whose words a waiting pod's condition has, as far as we know since we began.
enum class Speaker : uint8_t {
  Nobody,
  Cycle,  // what the last cycle that looked found about this pod
  Gang,   // why its gang waits: no cycle looked, or it has nothing to say about this pod
};
struct PodRow : ObjectRow {
  ConditionHash words;
  Speaker speaker = Speaker::Nobody;
  uint64_t gang_reason = 0;  // a mark of the gang's reason in its words
};
// What a condition carries besides its words.
struct ConditionStamp {
  std::string type, transition_id;
  Instant at;
};
struct GroupRow : ObjectRow {
  std::vector<ConditionStamp> stamps;
  Instant told_at;                // of our last write of conditions
  bool of_job = false;            // a vcjob's: its controller makes pods once the group may wait in its queue
  std::string job_name, job_uid;  // of that vcjob
};
struct QueueRow : ObjectRow {
  api::ResourceList allocated;  // status.allocated, as written
  bool writing = false;         // a write of it is under way
};

struct KeyHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class Row>
using KeyTable = std::unordered_map<std::string, Row, KeyHash, std::equal_to<>>;  // by "namespace/name" or "name"

class SchedulerCache {
 public:
  // Listed: by a list, which is what the API has now, whatever was told before.
  enum class Source : uint8_t { Watched, Listed, Outcome };
  // What came of learning a pod.
  struct Learnt {
    bool taken = false;    // it was news
    bool fresh = false;    // it was not known
    bool settled = false;  // it has a node, or is leaving: no bind of it can be open
    Instant created;
    std::string replaced;  // the uid of a namesake that is gone
  };

  // Requires: `state` outlives it. `log` may be empty.
  SchedulerCache(model::ClusterState& state, const state::StateOptions& options, LogFunction log);

  Learnt learn(SchedulerKind kind, const client::ObjectPtr& object, Source source = Source::Watched);
  // False: it was not known.
  bool forget(SchedulerKind kind, std::string_view key);
  [[nodiscard]] std::vector<std::string> keys(SchedulerKind kind) const;  // in order

  // nullptr: not known. Until the next learn() or forget().
  [[nodiscard]] const ObjectRow* find(SchedulerKind kind, std::string_view key) const;
  [[nodiscard]] PodRow* pod(std::string_view key);
  [[nodiscard]] GroupRow* group(std::string_view key);
  [[nodiscard]] QueueRow* queue(std::string_view name);
  [[nodiscard]] const KeyTable<QueueRow>& queues() const { return queues_; }

  // From here on the pod is Releasing whatever is told, until its deletion is seen, it is gone, or stop_evicting().
  void note_evicting(std::string_view uid, Instant now) { evicting_.emplace(uid, now); }
  void stop_evicting(std::string_view uid) { evicting_.erase(std::string(uid)); }
  [[nodiscard]] bool is_evicting(std::string_view uid) const { return evicting_.contains(std::string(uid)); }
  // Takes effect with the next learn() of the pod.
  void hold(std::string_view uid) { held_.emplace(uid); }
  void release(std::string_view uid) { held_.erase(std::string(uid)); }
  [[nodiscard]] bool is_held(std::string_view uid) const { return held_.contains(std::string(uid)); }

  [[nodiscard]] size_t bad_objects() const { return bad_; }

 private:
  struct Head;

  Learnt learn_pod(const Head& head, const text::Value& value, Source source);
  Result<void> take_pod(api::Pod& pod, PodRow& row, Source source);
  Result<void> take(SchedulerKind kind, const Head& head, const text::Value& value);
  Result<void> take_node(const Head& head, const text::Value& value);
  void drop(SchedulerKind kind, std::string_view key, const ObjectRow& row);
  void judge(const Result<void>& done, ObjectRow& row);
  ObjectRow& row(SchedulerKind kind, const std::string& key);
  void erase(SchedulerKind kind, std::string_view key);

  state::StateUpdater updater_;
  LogFunction log_;
  KeyTable<PodRow> pods_;
  KeyTable<GroupRow> groups_;
  KeyTable<QueueRow> queues_;
  KeyTable<ObjectRow> others_[kKinds];
  std::unordered_map<std::string, Instant> evicting_;  // by uid: since when
  std::unordered_set<std::string> held_;               // uids
  std::unordered_set<std::string> cut_nodes_;          // names: an amount of theirs is cut, which was told
  size_t bad_ = 0;
};

}  // namespace basalt::scheduler

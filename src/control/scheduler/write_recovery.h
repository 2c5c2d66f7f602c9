// The outcome of writes, and what follows from it. An uncertain outcome is settled by reading the object.
//
//   bind    accepted                the watch should tell the node within kConfirmWithin, else the pod is read
//           gone, conflict          the pod is read
//           unsure                  the pod is read after kFirstPause: the bind may still be on its way
//           refused                 the pod gets the condition SchedulerError, and is read
//   victim  deleted                 as an accepted bind
//           anything else           the pod stays Releasing for a pause, longer each time, then it is read and counts
//                                   as it is
//   status  not written             the object is read: the next cycle sees the difference and writes again
//
// A pod that is read without a node though it was to be bound is Pending again, but held back for a pause (kFirstPause,
// doubled with each failure up to kLastPause). A read that fails is repeated, later and later, until it answers; up to
// then the pod keeps its place in the state: nobody else gets it.
//
// An answer about an object that is not known any more, or in an older state than the known one, changes nothing: the
// watch has been faster.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "control/loop/work_queue.h"
#include "control/scheduler/cycle_output.h"
#include "control/scheduler/scheduler_cache.h"

namespace basalt::scheduler {

inline constexpr Duration kConfirmWithin = Duration::seconds(5);
inline constexpr Duration kFirstPause = Duration::seconds(1);
inline constexpr Duration kLastPause = Duration::seconds(60);

enum class OutcomeKind : uint8_t { Done, Gone, Conflict, Refused, Unsure };
[[nodiscard]] OutcomeKind classify(const client::ReplyOrError& outcome);

class WriteRecovery {
 public:
  // Requires: both outlive it.
  WriteRecovery(const model::ClusterState& state, SchedulerCache& cache) : state_(state), cache_(cache) {}

  // A write goes to the queue.
  void posted(const PendingWrite& write);
  // Takes an answer to anything but status of queues and events.
  void answered(const CompletedWrite& answer, Instant now);
  // A gate of this pod is being opened, or could not be opened a short time ago.
  [[nodiscard]] bool is_opening(const std::string& uid) const { return opening_.contains(uid); }
  // The pod has a node or is leaving: no bind of it is in follow_up any more.
  void settled(const std::string& uid);
  // The pod is gone, or another one has its name.
  void forgotten(const std::string& uid);

  // Reads that are due.
  void read_due(Instant now, CycleOutput& out);
  [[nodiscard]] std::optional<Instant> next_due() const { return due_.next_due(); }

 private:
  // What a due item asks for.
  enum class FollowUp : uint32_t { Confirm, Read, Release, ReadGroup };

  void add(FollowUp follow_up, const std::string& key, Instant when);
  void bind_answered(const PendingWrite& write, OutcomeKind end, Instant now);
  void pod_read(const CompletedWrite& answer, Instant now);
  void group_read(const CompletedWrite& answer, Instant now);
  [[nodiscard]] bool is_open(const std::string& uid) const { return open_.contains(uid); }
  [[nodiscard]] bool is_binding(const std::string& uid) const;
  using Failures = std::unordered_map<std::string, int>;  // by uid
  [[nodiscard]] static Duration pause_after_failure(Failures& failures, const std::string& uid);

  const model::ClusterState& state_;
  SchedulerCache& cache_;
  loop::WorkQueue due_;                        // items are FollowUp and key
  std::unordered_map<std::string, int> open_;  // by uid: binds and evictions without an answer
  Failures failures_, eviction_failures_;
  std::unordered_set<std::string> opening_;  // uids
};

}  // namespace basalt::scheduler

// What the controllers remember of a pod: about 350 bytes instead of the whole, because they remember every pod of
// every job.
#pragma once

#include <cstdint>
#include <string>

#include "base/instant.h"
#include "kube/api/pod_phase.h"
#include "kube/text/json.h"

namespace basalt::volcano {

using api::PodPhase;

inline constexpr size_t kMaxStuckText = 300;  // bytes of CachedPod::stuck

struct CachedPod {
  std::string name, uid, version;  // version: resourceVersion
  std::string owner_uid, owner;    // uid and name of the controlling Volcano job
  std::string task;                // volcano.sh/task-spec
  std::string ip;                  // status.podIP
  std::string stuck;               // why a container of a Pending pod cannot start: "ErrImagePull: words"; "": unknown
  int32_t index = -1;              // volcano.sh/task-index; -1: not told
  int32_t job_version = 0;         // volcano.sh/job-version
  int32_t partition = -1;          // volcano.sh/partition-id; -1: none
  int32_t restart = 0;             // marked to be restarted, as this retry of its job; 0: not marked
  int32_t exit_code = 0;           // of the first container that failed; 0: none did
  int32_t restarts = 0;            // of all its containers
  Instant created, deletion;       // deletion: kNever while it lives
  Instant finished;                // when its last container ended, by its status; kNever: not known
  PodPhase phase = PodPhase::Pending;
  bool out_of_sync = false;    // volcano.sh/controller-out-of-sync: we are removing it, its end is no event
  bool ready = false;          // every container says it is ready
  bool placed = false;         // it has a node
  bool unschedulable = false;  // its scheduler found no node for it
  bool lost = false;           // it failed because its node was restarted under it: as good as evicted
  bool cut_short = false;      // its deletion began while it was alive; kept by ControllerCache

  [[nodiscard]] bool leaving() const { return deletion.is_set(); }
  [[nodiscard]] bool alive() const { return phase != PodPhase::Succeeded && phase != PodPhase::Failed; }
};

[[nodiscard]] CachedPod cached_pod_of(const text::Object& object);

// Whose group a pod without one would be in: the uid of its controlling owner, without one its own.
[[nodiscard]] std::string_view pod_group_owner_uid(const text::Object& pod);

// The uid of the controlling owner when it is of this API version's group and kind; "": there is none.
[[nodiscard]] std::string_view controller_uid(const text::Object& object, std::string_view group,
                                              std::string_view kind);

}  // namespace basalt::volcano

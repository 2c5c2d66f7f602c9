// A job that works, or is about to: what it needs exists, every place has its pod, and the status is current.
//
// In this order, each step waiting for the ones before: pods that have to go; claims, objects of plugins and the
// PodGroup; then, when the PodGroup has been let into its queue, pods, together with the status.
#pragma once

#include <optional>
#include <string>

#include "control/volcano/job/job_pod_group.h"
#include "control/volcano/job/job_snapshot.h"
#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

// What was begun and is not over.
struct OngoingActions {
  std::optional<std::string> delayed;  // what the annotation of delayed actions has to become; nothing: it is right
  bool command = false;                // an executed command is still there, and the status remembers it
};

// Requires: is_working(snapshot.phase).
void sync_job(WritePlan& plan, const VolcanoContext& context, const JobSnapshot& snapshot, const JobPodGroup& group,
              const OngoingActions& ongoing, Instant now);

// Pods that have to go are deleted, or marked first.
void remove_pods(WritePlan& plan, const JobSnapshot& snapshot);

}  // namespace basalt::volcano

// A job that works, or is about to: what it needs exists, every place has its pod, and the status tells the truth.
//
// In this order, each step waiting for the ones before: pods that have to go; claims, objects of plugins and the
// PodGroup; then, when the PodGroup has been let into its queue, pods, together with the status.
#pragma once

#include <optional>
#include <string>

#include "control/volcano/controller.h"
#include "control/volcano/job/group.h"
#include "control/volcano/job/picture.h"

namespace basalt::volcano {

// What was begun and is not over.
struct UnderWay {
  std::optional<std::string> delayed;  // what the annotation of delayed actions has to become; nothing: it is right
  bool command = false;                // an executed command is still there, and state.message names it
};

// Requires: is_working(picture.phase).
void sync_job(Plan& plan, const World& world, const JobPicture& picture, const JobGroup& group,
              const UnderWay& under_way, Instant now);

// Pods that have to go are deleted, or marked first.
void remove_pods(Plan& plan, const JobPicture& picture);

}  // namespace basalt::volcano

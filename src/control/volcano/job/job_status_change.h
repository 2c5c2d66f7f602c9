// The one way in which a job's status is written: a merge patch of what differs from what it says already.
//
// In the phases that take pods away (Restarting, Aborting, Completing, Terminating) those that have to go count as
// terminating from the write that enters the phase: whoever waits for "Restarting and terminating > 0" sees it, also
// when the pods are gone a moment later.
// Times and conditions follow real changes of the phase only. The entry of a phase in status.conditions says why the
// job came to it, or in Pending and Running why it waits, as long as it does. Counts come from all pods that are there;
// those of a job that is over do not fall when its finished pods are collected. Members that are zero are left out, as
// Volcano's own objects have them. Cost: nothing is built while nothing differs.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/instant.h"
#include "control/loop/write_plan.h"
#include "control/volcano/job/controlled_resources.h"
#include "control/volcano/job/job_snapshot.h"

namespace basalt::volcano {

struct JobStatusDraft {
  JobPhase phase = JobPhase::None;
  int64_t version = 0, retry_count = 0;
  std::optional<std::string> reason, message;  // nothing: they stay
  bool about_wait = false;                     // they say why the job waits, or that it does not
  bool no_command = false;                     // no executed command is left: the note of the last one may go
  std::set<size_t> removed;                    // places in snapshot.pods that the action takes away
  ControlledResourcesChange memory;

  // What the snapshot's status says now.
  static JobStatusDraft of(const JobSnapshot& snapshot) {
    return {.phase = snapshot.phase, .version = snapshot.job.version, .retry_count = snapshot.job.retry_count};
  }
};

// The merge patch of /status without its envelope; nothing when the status says all that.
[[nodiscard]] std::optional<text::Object> status_change(const JobSnapshot& snapshot, const JobStatusDraft& draft,
                                                        Instant now);

// Adds the write to the plan, if there is one. It is refused when the job has changed since.
void write_status(loop::WritePlan& plan, const JobSnapshot& snapshot, const JobStatusDraft& draft, Instant now);

}  // namespace basalt::volcano

// The writes by which a plan begins what a command or a policy asks for.
//
// A command is executed by the write of the status that remembers the command's uid (controlled_resources.h), then
// deleted: after a crash in between, the uid says that only the deletion is left.
// A targeted restart marks its pods with the number of the retry, then counts that retry in the status; the snapshot
// says what follows for marked pods. A retry is counted once, wherever a process died.
#pragma once

#include <optional>
#include <string>

#include "control/volcano/job/job_snapshot.h"
#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

enum class ActionOutcome : uint8_t {
  No,
  Held,  // an executed command is still there: nothing new is begun before it is gone
  Yes,   // the plan is complete; what follows is planned when the write came back
};

// Commands, the oldest first. `group`: the PodGroup of this version of the job, or null.
[[nodiscard]] ActionOutcome apply_commands(WritePlan& plan, const VolcanoContext& context, const JobSnapshot& snapshot,
                                           const text::Object* group, Instant now);

struct PolicyOutcome {
  ActionOutcome acted = ActionOutcome::No;
  std::optional<std::string> delayed;  // the annotation of delayed actions has to become this; nothing: it is right
};

// What happened, and what the policies say about it. Requires: the job is None, Pending or Running.
[[nodiscard]] PolicyOutcome apply_policies(WritePlan& plan, const JobSnapshot& snapshot, const text::Object* group,
                                           Instant now);

}  // namespace basalt::volcano

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "control/volcano/job/apply_actions.h"
#include "control/volcano/job/kill_job.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_command_view.h"
#include "kube/api/views/volcano_job_view.h"

namespace basalt::volcano {
namespace {

std::vector<const text::Object*> commands_by_age(const VolcanoContext& context, const JobView& job) {
  std::vector<const text::Object*> commands;
  for (const std::string& key : context.seen.commands_for(job.uid)) {
    const text::Object* command = context.seen.find(VolcanoKind::Command, key);
    if (command == nullptr || is_leaving(*command)) continue;
    const api::OwnerReferenceView target = api::CommandView(*command).target();
    const bool for_jobs = target.kind() == "Job" && target.api_version().starts_with(row_of(VolcanoKind::Job).group);
    if (for_jobs && api::namespace_of(*command) == job.namespace_name) commands.push_back(command);
  }
  std::ranges::sort(commands, {}, [](const text::Object* command) {
    return std::tuple(api::CommandView(*command).metadata().creation_timestamp(), api::name_of(*command));
  });
  return commands;
}

// "suspended by command c".
std::string command_words(std::string_view action, std::string_view command) {
  switch (action_of(action)) {
    case JobAction::AbortJob:
      return fmt::format("suspended by command {}", command);
    case JobAction::ResumeJob:
      return fmt::format("resumed by command {}", command);
    case JobAction::RestartJob:
    case JobAction::RestartTask:
    case JobAction::RestartPod:
    case JobAction::RestartPartition:
      return fmt::format("restarted by command {}", command);
    case JobAction::TerminateJob:
      return fmt::format("terminated by command {}", command);
    case JobAction::CompleteJob:
      return fmt::format("completed by command {}", command);
    default:
      return fmt::format("action {} by command {}", action, command);
  }
}

// The status says that it was executed; older versions said it in the message.
bool is_executed(const JobView& job, std::string_view uid) {
  if (uid.empty()) return false;
  return remembered(job, kCommandDone) == uid || api::VolcanoJobStatusView(*job.status).state().message().contains(uid);
}

// What a command asks for. Nothing: nothing that would change the job.
std::optional<JobStatusDraft> draft_of(const JobSnapshot& snapshot, const text::Object* group, std::string_view action,
                                       std::string why) {
  PodCounts counts = snapshot.effective;
  if (snapshot.phase == JobPhase::Restarting) counts = {.terminating = static_cast<int64_t>(snapshot.pods.size())};
  const JobTransition next = snapshot.next(action_of(action), counts);
  if (!begins(snapshot, next)) return std::nullopt;
  if (next.call == JobOperation::KillJob) return kill_draft(snapshot, next, group, action, std::move(why));
  // A command names no pods: it counts a retry and restarts nothing, and without a partition not even that.
  if (action_of(action) == JobAction::RestartPartition) return std::nullopt;
  return restart_draft(snapshot, action, std::move(why));
}

}  // namespace

ActionOutcome apply_commands(WritePlan& plan, const VolcanoContext& context, const JobSnapshot& snapshot,
                             const text::Object* group, Instant now) {
  if (context.seen.commands_for(snapshot.job.uid).empty()) return ActionOutcome::No;
  bool held = false;
  for (const text::Object* command : commands_by_age(context, snapshot.job)) {
    const std::string_view uid = api::CommandView(*command).metadata().uid();
    if (is_executed(snapshot.job, uid)) {
      plan.write(delete_object(VolcanoKind::Command, *command));
      held = true;
      continue;
    }
    if (held) break;
    const std::string_view action = api::CommandView(*command).action();
    auto draft = draft_of(snapshot, group, action, command_words(action, api::name_of(*command)));
    plan.notes.push_back(normal(
        VolcanoKind::Job, *snapshot.job.object, "CommandIssued",
        fmt::format("Start to execute command {}, and clean it up to make sure executed not more than once.", action)));
    if (draft) {
      draft->memory[std::string(kCommandDone)] = std::string(uid);
      plan.then();
      write_status(plan, snapshot, *draft, now);
      plan.then();
    }
    plan.write(delete_object(VolcanoKind::Command, *command));
    if (draft) return ActionOutcome::Yes;
  }
  return held ? ActionOutcome::Held : ActionOutcome::No;
}

}  // namespace basalt::volcano

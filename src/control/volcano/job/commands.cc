#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "control/volcano/job/apply_actions.h"
#include "control/volcano/job/kill_job.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"

namespace basalt::volcano {
namespace {

using api::string_at;

std::vector<const text::Object*> commands_by_age(const VolcanoContext& context, const JobView& job) {
  std::vector<const text::Object*> commands;
  for (const std::string& key : context.seen.commands_for(job.uid)) {
    const text::Object* command = context.seen.find(VolcanoKind::Command, key);
    if (command == nullptr || is_leaving(*command)) continue;
    const std::string_view version = string_at(*command, {"target", "apiVersion"});
    const bool for_jobs =
        string_at(*command, {"target", "kind"}) == "Job" && version.starts_with(row_of(VolcanoKind::Job).group);
    if (for_jobs && api::namespace_of(*command) == job.namespace_name) commands.push_back(command);
  }
  std::ranges::sort(commands, {}, [](const text::Object* command) {
    return std::tuple(string_at(*command, {"metadata", "creationTimestamp"}), api::name_of(*command));
  });
  return commands;
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
  const std::string_view told = string_at(*snapshot.job.status, {"state", "message"});
  bool held = false;
  for (const text::Object* command : commands_by_age(context, snapshot.job)) {
    const std::string_view uid = string_at(*command, {"metadata", "uid"});
    if (!uid.empty() && told.contains(uid)) {
      plan.write(delete_object(VolcanoKind::Command, *command));
      held = true;
      continue;
    }
    if (held) break;
    const std::string_view action = string_at(*command, "action");
    const auto draft =
        draft_of(snapshot, group, action, fmt::format("command {}, uid {}", api::name_of(*command), uid));
    plan.notes.push_back(normal(
        VolcanoKind::Job, *snapshot.job.object, "CommandIssued",
        fmt::format("Start to execute command {}, and clean it up to make sure executed not more than once.", action)));
    if (draft) {
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

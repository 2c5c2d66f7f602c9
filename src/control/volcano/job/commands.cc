#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "control/volcano/job/acts.h"
#include "control/volcano/job/kill.h"
#include "control/volcano/writes.h"
#include "kube/api/object_fields.h"

namespace basalt::volcano {
namespace {

using api::string_at;

std::vector<const text::Object*> commands_by_age(const World& world, const JobView& job) {
  std::vector<const text::Object*> commands;
  for (const std::string& key : world.seen.commands_for(job.uid)) {
    const text::Object* command = world.seen.find(Kind::Command, key);
    if (command == nullptr || is_leaving(*command)) continue;
    const std::string_view version = string_at(*command, {"target", "apiVersion"});
    const bool for_jobs =
        string_at(*command, {"target", "kind"}) == "Job" && version.starts_with(row_of(Kind::Job).group);
    if (for_jobs && api::namespace_of(*command) == job.namespace_name) commands.push_back(command);
  }
  std::ranges::sort(commands, {}, [](const text::Object* command) {
    return std::tuple(string_at(*command, {"metadata", "creationTimestamp"}), api::name_of(*command));
  });
  return commands;
}

// What a command asks for. Nothing: nothing that would change the job.
std::optional<StatusDraft> draft_of(const JobPicture& picture, const text::Object* group, std::string_view action,
                                    std::string why) {
  PodCounts counts = picture.effective;
  if (picture.phase == JobPhase::Restarting) counts = {.terminating = static_cast<int64_t>(picture.pods.size())};
  const Transition next = picture.next(action_of(action), counts);
  if (!begins(picture, next)) return std::nullopt;
  if (next.call == JobCall::KillJob) return kill_draft(picture, next, group, action, std::move(why));
  // A command names no pods: it counts a retry and restarts nothing, and without a partition not even that.
  if (action_of(action) == JobAction::RestartPartition) return std::nullopt;
  return restart_draft(picture, action, std::move(why));
}

}  // namespace

Acted act_on_commands(Plan& plan, const World& world, const JobPicture& picture, const text::Object* group,
                      Instant now) {
  if (world.seen.commands_for(picture.job.uid).empty()) return Acted::No;
  const std::string_view told = string_at(*picture.job.status, {"state", "message"});
  bool held = false;
  for (const text::Object* command : commands_by_age(world, picture.job)) {
    const std::string_view uid = string_at(*command, {"metadata", "uid"});
    if (!uid.empty() && told.contains(uid)) {
      plan.write(delete_object(Kind::Command, *command));
      held = true;
      continue;
    }
    if (held) break;
    const std::string_view action = string_at(*command, "action");
    const auto draft = draft_of(picture, group, action, fmt::format("command {}, uid {}", api::name_of(*command), uid));
    plan.notes.push_back(normal(
        Kind::Job, *picture.job.object, "CommandIssued",
        fmt::format("Start to execute command {}, and clean it up to make sure executed not more than once.", action)));
    if (draft) {
      plan.then();
      write_status(plan, picture, *draft, now);
      plan.then();
    }
    plan.write(delete_object(Kind::Command, *command));
    if (draft) return Acted::Yes;
  }
  return held ? Acted::Held : Acted::No;
}

}  // namespace basalt::volcano

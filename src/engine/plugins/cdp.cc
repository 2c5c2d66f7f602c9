#include "engine/plugins/cdp.h"

#include "engine/core/session.h"

namespace basalt::plugins {

using engine::HookTable;
using model::TaskId;

Result<Cdp> Cdp::make(const engine::Arguments& /*arguments*/) { return Cdp(); }

void Cdp::open(engine::Session& session, engine::HookBinder& binder) {
  session_ = &session;
  binder.bind<&Cdp::victims>(&HookTable::preemptable, *this);
  binder.bind<&Cdp::victims>(&HookTable::reclaimable, *this);
}

engine::Vote Cdp::victims(TaskId /*preemptor*/, std::span<const TaskId> candidates, std::vector<TaskId>& chosen) {
  for (const TaskId candidate : candidates) {
    const model::Task& task = session_->state.task(candidate);
    // Subtraction, not addition: a cooldown of centuries must not overflow.
    const bool cooling = task.cooldown.nanos > 0 && task.status == model::TaskStatus::Running &&
                         task.scheduled_at.is_set() && session_->now - task.scheduled_at < task.cooldown;
    if (cooling) {
      session_->hooks.depends_on_time = true;  // this answer ends with the cooldown, without any event
    } else {
      chosen.push_back(candidate);
    }
  }
  return engine::Vote::Permit;
}

}  // namespace basalt::plugins

#include "engine/plugins/conformance.h"

#include "engine/core/session.h"

namespace basalt::plugins {

using engine::HookTable;
using model::TaskId;

Result<Conformance> Conformance::make(const engine::Arguments& /*arguments*/) { return Conformance(); }

void Conformance::open(engine::Session& session, engine::HookBinder& binder) {
  session_ = &session;
  const StringPool& names = session.state.names;
  system_namespace_ = names.find("kube-system");
  critical_classes_ = {names.find("system-cluster-critical"), names.find("system-node-critical")};
  binder.bind<&Conformance::victims>(&HookTable::preemptable, *this);
  binder.bind<&Conformance::victims>(&HookTable::reclaimable, *this);
}

engine::Vote Conformance::victims(TaskId /*preemptor*/, std::span<const TaskId> candidates,
                                  std::vector<TaskId>& chosen) const {
  for (const TaskId candidate : candidates) {
    const model::Task& task = session_->state.task(candidate);
    const bool critical = task.ns == system_namespace_ || task.priority_class == critical_classes_[0] ||
                          task.priority_class == critical_classes_[1];
    if (!critical) chosen.push_back(candidate);
  }
  return engine::Vote::Permit;
}

}  // namespace basalt::plugins

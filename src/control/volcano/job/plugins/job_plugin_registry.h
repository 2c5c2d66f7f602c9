// The plugins there are, in the order in which they run whatever the job says: svc, ssh, env, pytorch, tensorflow, mpi,
// ray, hcclrank. (hcclrank reads the RANK that pytorch sets.)
#pragma once

#include <span>

#include "control/volcano/job/plugins/job_plugin.h"

namespace basalt::volcano {

[[nodiscard]] std::span<const JobPlugin> job_plugins();

// The plugins of one job, configured. A view's arguments are copied: the set needs no Job to outlive it.
class JobPluginSet {
 public:
  JobPluginSet() = default;
  // An unknown plugin is an error that names it and lists those there are.
  static Result<JobPluginSet> of(const JobView& job);

  [[nodiscard]] std::span<const ConfiguredPlugin> plugins() const { return plugins_; }
  // "svc: flag provided but not defined: -bogus"
  [[nodiscard]] std::vector<std::string> warnings() const;

  Result<void> shape(TaskPodDraft& draft, const JobView& job, const TaskView& task) const;
  [[nodiscard]] Result<std::vector<WantedObject>> objects(const JobView& job) const;
  // The entries of status.controlledResources: plugin-<name> → <name>.
  [[nodiscard]] text::Object controlled_resources() const;

 private:
  std::vector<ConfiguredPlugin> plugins_;
};

}  // namespace basalt::volcano

// Makes the pods of one task of a job.
//
// Built once per (job, task, version): the template is copied, scheduler and priority class inherited, the job's
// volumes mounted, labels and annotations set, plugins applied. make() is then one copy and a dozen short texts. The
// factory copies what it needs: the Job may change or go.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "control/volcano/job/expand/job_view.h"
#include "control/volcano/job/expand/task_pod_draft.h"
#include "control/volcano/job/plugins/job_plugin_registry.h"

namespace basalt::volcano {

class PodFactory {
 public:
  // `forwarded`: the job's queue hands it to another cluster; its pods say so. An error comes from a plugin that cannot
  // work with this job (ray without its head); its message says which.
  static Result<PodFactory> of(const JobView& job, const TaskView& task, const JobPluginSet& plugins,
                               bool forwarded = false);

  // The pod, ready to be created. It carries the job's version and retry count of when the factory was built.
  [[nodiscard]] text::Object make(int64_t index) const { return draft_.make(index); }

 private:
  explicit PodFactory(TaskPodDraft draft) : draft_(std::move(draft)) {}
  TaskPodDraft draft_;
};

// The draft of a task's pods before plugins.
[[nodiscard]] TaskPodDraft draft_pod(const JobView& job, const TaskView& task, bool forwarded);

}  // namespace basalt::volcano

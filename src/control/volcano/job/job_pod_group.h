// The PodGroup of a job: the one that counts, and the writes that keep it.
#pragma once

#include "control/volcano/job/expand/job_view.h"
#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

struct JobPodGroup {
  const text::Object* object = nullptr;  // null: there is none
  bool retired = false;                  // of an earlier version of the job: it has to go
  bool leaving = false;

  // The one that belongs to this version of the job; null: there is none.
  [[nodiscard]] const text::Object* current() const { return retired || leaving ? nullptr : object; }
  // It has been let into its queue: pods may be made.
  [[nodiscard]] bool is_admitted() const;
};

// By its name "<job>-<uid>", else by the job's own name, as old versions of Volcano had it.
[[nodiscard]] JobPodGroup group_of(const VolcanoContext& context, const JobView& job);

// Made, brought in step with the job, or removed when it is retired.
void sync_pod_group(WritePlan& plan, const VolcanoContext& context, const JobView& job, const JobPodGroup& group);
void delete_pod_group(WritePlan& plan, const JobPodGroup& group);

// Tells why the group is not scheduled, when the scheduler says so.
void note_unschedulable_group(WritePlan& plan, const JobView& job, const JobPodGroup& group);

}  // namespace basalt::volcano

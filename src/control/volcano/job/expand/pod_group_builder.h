// The PodGroup of a job: made once, then kept in step with the job.
//
// What the job decides is refreshed: minMember, minTaskMember (entries of tasks that are gone are removed),
// minResources, queue, priorityClassName, networkTopology, subGroupPolicy, and the labels and annotations that the job
// carries. What others write is left alone: the status, and every label and annotation that the job does not have.
// (Which keys the job had earlier is not known, so a key removed from the job stays on its group.)
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "control/volcano/job/expand/job_view.h"
#include "kube/api/resource_list.h"

namespace basalt::volcano {

// The value of a PriorityClass; 0 for one that does not exist. Never called with an empty name.
using PriorityLookup = std::function<int64_t(std::string_view)>;

[[nodiscard]] text::Object make_pod_group(const JobView& job, const PriorityLookup& priorities);

// The merge patch that brings `current` in step; nothing when it is. Quantities are compared by value.
[[nodiscard]] std::optional<text::Object> pod_group_change(const JobView& job, const text::Object& current,
                                                           const PriorityLookup& priorities);

// What the smallest runnable part of the job asks for, in the names that quotas use: the first minAvailable pods,
// each task's minimum first, tasks with higher priority classes first.
// Cost: O(tasks · containers), whatever the replicas.
[[nodiscard]] api::ResourceList min_resources(const JobView& job, const PriorityLookup& priorities);

}  // namespace basalt::volcano

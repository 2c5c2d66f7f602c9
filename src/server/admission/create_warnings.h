// Warnings to whoever makes a job or a pod that is well-formed and yet will not do what it says: a scheduler that
// nobody is, a PriorityClass or a claim that does not exist.
//
// Kubernetes and Volcano accept these silently, and so must we: the thing named may come later. But the response says
// it at once (kubectl shows it as "Warning: …").
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/admission/webhooks.h"

namespace basalt::admission {

inline constexpr size_t kMaxCreateWarnings = 8;  // warnings about one object

// About a new object of `group` and `plural` that was admitted; of other kinds than Volcano's Jobs, CronJobs and
// PodGroups and Kubernetes' Pods there is nothing to say. `schedulers`: those that place pods here; empty: not known.
// Cost: O(object), and a question to `lookup` for each name in it.
[[nodiscard]] std::vector<std::string> warnings_on_create(std::string_view group, std::string_view plural,
                                                          const text::Object& object, const ObjectLookup& lookup,
                                                          std::span<const std::string> schedulers);

}  // namespace basalt::admission

// Marks of our own that the controllers leave on objects, so that what was begun can be finished by the next process.
#pragma once

#include <string_view>

namespace basalt::volcano {

// On a pod: it is to be restarted, as the retry of its job with this number. The job's retryCount follows the highest
// mark, and marked pods are deleted only after it did: a retry is counted exactly once, wherever a process died.
inline constexpr std::string_view kRestartAnnotation = "basalt.sh/restart";

// On a job: actions that wait for their time and that cannot be derived from the pods that are there (JSON list).
inline constexpr std::string_view kDelayedActionsAnnotation = "basalt.sh/delayed-actions";

}  // namespace basalt::volcano

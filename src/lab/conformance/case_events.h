// What happens to a recorded cluster between two cycles, besides the scheduler's own decisions: objects.events.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/api/any_object.h"
#include "kube/text/field.h"

namespace basalt::lab {

struct CaseEvent {
  int64_t after_cycle = 0;                        // from 1
  std::vector<std::string> finish, fail, remove;  // pods, "namespace/name"; one that is not bound by then does not end
  std::vector<api::AnyObject> add;                // PodGroups, then pods
};

// `events`: the list, or absent. A member that we do not know is an error: it would change the outcome.
[[nodiscard]] Result<std::vector<CaseEvent>> read_events(const text::Field& events);

}  // namespace basalt::lab

// --admission-conf: the resource groups that pods are put into (/pods/mutate).
//
//   resourceGroups:
//   - resourceGroup: gpu
//     object: {key: annotation, value: ["volcano.sh/resource-group: gpu"]}  # or key: namespace; none: that annotation
//     schedulerName: volcano
//     labels: {volcano.sh/nodetype: gpu}
//     tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]
//     affinity: '{"nodeAffinity": …}'                                       # JSON or YAML as text, or as it is
//
// A text of comments only has no groups. Members that are not known are taken no notice of, as in Volcano.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {

inline constexpr size_t kMaxAdmissionConfBytes = size_t{1024} * 1024;  // as much as a ConfigMap may hold
inline constexpr size_t kMaxResourceGroups = 1'000;

// Errors name line and field. Pure.
[[nodiscard]] Result<std::vector<admission::ResourceGroup>> read_admission_conf(std::string_view text);

}  // namespace basalt::webhook

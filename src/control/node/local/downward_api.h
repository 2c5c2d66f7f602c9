// What a pod may know of itself: fieldRef and resourceFieldRef, in the environment and in files.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "control/node/local/object_lookup.h"

namespace basalt::node {

// The pod's host name: spec.hostname, else its name, cut to what a host name may be.
[[nodiscard]] std::string hostname_of(const text::Object& pod);

// metadata.name, .namespace, .uid, .labels, .annotations (whole, or one as metadata.labels['key']), spec.nodeName,
// spec.serviceAccountName, status.hostIP(s), status.podIP(s). A map is written as lines of key="value", by key.
[[nodiscard]] Result<std::string> field_value(const text::Object& pod, std::string_view path,
                                              const PodPlacement& place);

// `selector`: {containerName, resource, divisor}; without a containerName it means `container`. A limit that is not set
// is what the node has; a request that is not set is the limit. Rounded up to whole divisors.
[[nodiscard]] Result<std::string> resource_value(const text::Object& pod, const text::Object* container,
                                                 const text::Object& selector, const PodPlacement& place);

}  // namespace basalt::node

// What a pod may know of itself: fieldRef and resourceFieldRef, in the environment and in files.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "control/node/local/object_lookup.h"
#include "kube/api/views/container_view.h"

namespace basalt::node {

// The pod's host name: spec.hostname, else its name, cut to what a host name may be.
[[nodiscard]] std::string hostname_of(const text::Object& object);

// metadata.name, .namespace, .uid, .labels, .annotations (whole, or one as metadata.labels['key']), spec.nodeName,
// spec.serviceAccountName, status.hostIP(s), status.podIP(s). A map is written as lines of key="value", by key.
[[nodiscard]] Result<std::string> field_value(const text::Object& object, std::string_view path,
                                              const PodPlacement& place);

// A `selector` without a containerName means `container`, which may be absent. A limit that is not set
// is what the node has; a request that is not set is the limit. Rounded up to whole divisors.
[[nodiscard]] Result<std::string> resource_value(const text::Object& pod, api::ContainerView container,
                                                 api::ResourceFieldSelectorView selector, const PodPlacement& place);

}  // namespace basalt::node

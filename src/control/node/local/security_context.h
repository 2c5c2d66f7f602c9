// A container's securityContext as what its processes may do, and what of it this machine cannot do.
//
// Pure. Of each field the container's counts, else the pod's. runAsUser, runAsGroup and runAsNonRoot are checked where
// a container starts (container_start.h, start_request_builder.h): it does not start as another than it asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/node/local/process.h"
#include "control/node/local/process_security.h"
#include "kube/text/json.h"

namespace basalt::node {

inline constexpr size_t kMaxIgnoredFields = 20;  // that are named in one event

[[nodiscard]] ProcessSecurity security_of(const text::Object& pod, const text::Object& container);

// "NET_ADMIN" or "CAP_NET_ADMIN"; nothing: there is none of this name.
[[nodiscard]] std::optional<int> find_capability(std::string_view name);

// The fields of the pod's securityContexts, and its hostPID, shareProcessNamespace and hostUsers, that have no effect
// where this much is permitted, as one text for an event: "spec.securityContext.sysctls,
// spec.containers{a}.securityContext.capabilities.add: NET_ADMIN". "": all have.
[[nodiscard]] std::string fields_without_effect(const text::Object& pod, const HostFeatures& can);

}  // namespace basalt::node

// Kinds that the server stores and nothing in the standalone cluster runs or acts on: creating one gives a warning.
#pragma once

#include <string>
#include <string_view>

namespace basalt::api {

// Deployment, ReplicaSet, StatefulSet, DaemonSet, ReplicationController, Kubernetes' own Job and CronJob;
// Ingress and NetworkPolicy.
[[nodiscard]] bool has_no_controller(std::string_view group, std::string_view kind);
// "nobody runs a Deployment in this cluster: …" and what to use instead. Requires: has_no_controller.
[[nodiscard]] std::string no_controller_warning(std::string_view group, std::string_view kind);

}  // namespace basalt::api

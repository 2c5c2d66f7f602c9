// The scheduler, the controllers and the admission webhooks of this process, shown as what they are in other clusters:
// Deployments and pods in volcano-system. So `kubectl get pods -n volcano-system`, `kubectl wait pod -l
// app=volcano-scheduler` and `kubectl logs -n volcano-system deploy/volcano-scheduler` of every guide work.
//
// 1. The objects are made when they are missing and say that all is ready, also after a chart has changed them. Nobody
//    runs or places the pods: they are bound to no node, and their scheduler is kComponentScheduler, which nobody is.
// 2. Their logs: component_logs.h.
// 3. They are marked for Helm as bootstrap's objects are, so that a chart takes the Deployments over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "kube/client/object_client.h"

namespace basalt::up {

inline constexpr std::string_view kComponentNamespace = "volcano-system";
inline constexpr std::string_view kComponentScheduler = "basalt-up";

// The pod of the component "volcano-scheduler", whose container has the component's name.
[[nodiscard]] std::string component_pod(std::string_view component);

// The labels "app" of the components. `scheduler`: there is one.
[[nodiscard]] std::vector<std::string> component_apps(bool scheduler);

// Makes the objects. Their Deployments get their status from kubernetes::component_controller.
[[nodiscard]] Result<void> create_component_pods(client::ObjectClient& client, bool scheduler, Instant now);

}  // namespace basalt::up

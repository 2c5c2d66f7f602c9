// The scheduler, the controllers and the admission webhooks of this process, shown as what they are in other clusters:
// Deployments and pods in volcano-system. So `kubectl get pods -n volcano-system`, `kubectl wait pod -l
// app=volcano-scheduler` and `kubectl logs -n volcano-system deploy/volcano-scheduler` of every guide work.
//
// 1. The objects are made when they are missing and say that all is ready, also after a chart has changed them. Nobody
//    runs or places the pods: they are bound to no node, and their scheduler is kComponentScheduler, which nobody is.
// 2. Their logs are what this process says: lines that begin with "scheduler: " go to the scheduler's, all others to
//    the controllers'. A log has at most two files of kMaxComponentLogBytes; what an earlier process said is kept.
// 3. They are marked for Helm as bootstrap's objects are, so that a chart takes the Deployments over.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "kube/client/object_client.h"
#include "programs/up/up_log.h"

namespace basalt::up {

inline constexpr size_t kMaxComponentLogBytes = size_t{4} * 1024 * 1024;
inline constexpr std::string_view kComponentScheduler = "basalt-up";

// The labels "app" of the components. `scheduler`: there is one.
[[nodiscard]] std::vector<std::string> component_apps(bool scheduler);

// Makes the objects. Their Deployments get their status from kubernetes::component_controller.
[[nodiscard]] Result<void> create_component_pods(client::ObjectClient& client, bool scheduler, Instant now);

// Lines go to `next` (may be empty) and to the logs of the components below `logs`. A log that cannot be written is
// given up: the lines still go to `next`.
[[nodiscard]] LogLineFunction component_log(const std::filesystem::path& logs, LogLineFunction next,
                                            std::function<Instant()> clock);

}  // namespace basalt::up

// The parts of a Job's review; validate_job (job_validate.cc) calls them in Volcano's order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kube/api/view_base.h"
#include "server/admission/refusal_message.h"
#include "server/admission/webhook_handlers.h"

namespace basalt::api {
class LifecyclePolicyView;
class NetworkTopologyView;
class TaskSpecView;
class VolcanoJobSpecView;
}  // namespace basalt::api

namespace basalt::admission {

inline constexpr int64_t kDefaultMaxRetry = 3;

// The plugins that a job may name.
inline constexpr std::array<std::string_view, 8> kJobPlugins = {"env", "hcclrank", "mpi", "pytorch",
                                                                "ray", "ssh",      "svc", "tensorflow"};

// The task that the arguments of the mpi plugin call its master ("--master=x"), read as Go reads flags.
[[nodiscard]] std::string mpi_master(api::VolcanoJobSpecView spec);

// Of devices a limit that equals the request is the only one that Kubernetes lets through; many manifests leave it out.
void fill_device_limits(text::Object& pod_template);

// Policies of a job or a task; `path` is "spec.policies" or "spec.tasks.policies".
void check_policies(api::ListView<api::LifecyclePolicyView> policies, std::string_view path, RefusalMessage& refusal);

// The pod template as Kubernetes would judge it, and whole cpus where the task wants NUMA alignment.
void check_task_template(const AdmissionRequest& request, api::TaskSpecView task, size_t index,
                         RefusalMessage& refusal);

// partitionPolicy of a task against its replicas and minAvailable; answers Volcano's words, "" when fine.
[[nodiscard]] std::string partition_complaint(api::TaskSpecView task, std::string_view job);
// Both ways of naming the highest tier at once; "" when fine.
[[nodiscard]] std::string_view topology_complaint(api::NetworkTopologyView topology);

// At most api::kMaxPodsPerJob pods. `old_spec`: what the object said before, if it did; what does not
// grow is let through, or nobody could lower or delete a job that came in without us. `path`: where the spec stands.
[[nodiscard]] WebhookResult check_job_size(api::VolcanoJobSpecView spec, api::VolcanoJobSpecView old_spec,
                                           std::string_view path = "spec");

// The tasks one by one, then their order.
void check_tasks(const AdmissionRequest& request, RefusalMessage& refusal);
void check_task_order(api::VolcanoJobSpecView spec, RefusalMessage& refusal);

// spec.volumes; stops at the first fault.
void check_volumes(api::VolcanoJobSpecView spec, RefusalMessage& refusal);

[[nodiscard]] WebhookResult validate_job_update(const text::Object& next, const text::Object& old);

}  // namespace basalt::admission

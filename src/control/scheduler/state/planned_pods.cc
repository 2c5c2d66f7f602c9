#include "control/scheduler/state/planned_pods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "control/scheduler/state/build_pod_shape.h"
#include "kube/api/pod_types.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/rules/pod_template.h"
#include "kube/api/views/volcano_job_view.h"

namespace basalt::state {
namespace {

// A pod as the API server would make it of the template.
Result<api::Pod> pod_of_template(const text::Object& pod_template) {
  text::Object spec = api::rules::part_of(pod_template, "spec");
  api::rules::complete_pod_spec(spec, api::rules::SpecOf::Pod);
  const text::Value whole(
      text::Object{{"metadata", api::rules::part_of(pod_template, "metadata")}, {"spec", std::move(spec)}});
  const text::Field at(whole);
  api::Pod pod;
  if (auto done = api::read(at.field("metadata"), pod.metadata); !done) return std::unexpected(done.error());
  if (auto done = api::read(at.field("spec"), pod.spec); !done) return std::unexpected(done.error());
  return pod;
}

}  // namespace

Result<std::vector<PlannedPods>> planned_pods(const text::Value& job, model::ClusterState& state) {
  std::vector<PlannedPods> out;
  const text::Field tasks = text::Field(job).field("spec").field("tasks");
  auto done = tasks.each([&](const text::Field& task) -> Result<void> {
    const auto fields = task.as_object();
    if (!fields) return std::unexpected(fields.error());
    const auto replicas = task.field("replicas").int_or(1);
    if (!replicas) return std::unexpected(replicas.error());
    const auto pod = pod_of_template(api::rules::part_of(**fields, "template"));
    if (!pod) return std::unexpected(pod.error());
    const auto shape = build_shape(*pod, state.names, state.schema);
    if (!shape) return std::unexpected(shape.error());
    out.push_back(
        {.role = std::string(api::TaskSpecView(**fields).name()),
         .count = static_cast<int32_t>(std::clamp<int64_t>(*replicas, 0, std::numeric_limits<int32_t>::max())),
         .shape = state.shapes.intern(*shape),
         .gates = fmt::format("{}", fmt::join(pod->spec.scheduling_gates, ", ")),
         .node_name = pod->spec.node_name});
    return {};
  });
  if (!done) return std::unexpected(done.error());
  return out;
}

}  // namespace basalt::state

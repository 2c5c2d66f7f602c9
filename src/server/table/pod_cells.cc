// The columns of pods; what READY, STATUS and RESTARTS say is in kube/api/pod_summary.h.
#include <fmt/format.h>

#include "kube/api/pod_summary.h"
#include "server/table/builtin_columns.h"
#include "server/table/cell_values.h"

namespace basalt::server {
namespace {

std::string gates_text(api::PodView pod) {
  const auto gates = pod.spec().readiness_gates();
  if (gates.empty()) return "<none>";
  int64_t open = 0;
  for (const api::PodReadinessGateView gate : gates) {
    open += api::condition_true(pod.status().conditions(), gate.condition_type()) ? 1 : 0;
  }
  return fmt::format("{}/{}", open, gates.size());
}

}  // namespace

void fill_pod(const text::Value& object, Instant now, text::Array& cells) {
  const api::PodView pod(object);
  const api::PodSummary summary = api::summarize_pod(pod);
  const auto ips = pod.status().pod_ips();
  cells.emplace_back(pod.metadata().name());
  cells.emplace_back(summary.ready_text());
  cells.emplace_back(summary.status);
  cells.emplace_back(summary.restarts_text(now));
  cells.emplace_back(age_since(api::time_of(pod.metadata().creation_timestamp()), now));
  cells.emplace_back(ips.empty() ? "<none>" : or_none(std::string(ips[0].ip())));
  cells.emplace_back(or_none(std::string(pod.spec().node_name())));
  cells.emplace_back(or_none(std::string(pod.status().nominated_node_name())));
  cells.emplace_back(gates_text(pod));
}

text::Value row_conditions_of_pod(const text::Value& pod) {
  const std::string_view phase = api::PodView(pod).status().phase();
  if (phase != "Succeeded" && phase != "Failed") return nullptr;
  const std::string_view message = phase == "Failed" ? "The pod failed." : "The pod succeeded.";
  return text::Array{text::Object{{"type", "Completed"}, {"status", "True"}, {"reason", phase}, {"message", message}}};
}

}  // namespace basalt::server

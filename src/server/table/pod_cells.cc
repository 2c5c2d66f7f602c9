// The columns of pods; what READY, STATUS and RESTARTS say is in kube/api/pod_summary.h.
#include <fmt/format.h>

#include <algorithm>

#include "kube/api/pod_summary.h"
#include "server/table/builtin_columns.h"
#include "server/table/cell_values.h"

namespace basalt::server {
namespace {

std::string gates_text(const text::Value& pod) {
  const text::Array& gates = list_at(pod, {"spec", "readinessGates"});
  if (gates.empty()) return "<none>";
  const auto open = std::count_if(gates.begin(), gates.end(), [&pod](const text::Value& gate) {
    return condition_true(pod, text_at(gate, {"conditionType"}));
  });
  return fmt::format("{}/{}", open, gates.size());
}

}  // namespace

void fill_pod(const text::Value& object, Instant now, text::Array& cells) {
  const api::PodSummary summary = api::summarize_pod(object_at(object, {}));
  const text::Array& ips = list_at(object, {"status", "podIPs"});
  cells.emplace_back(name_of(object));
  cells.emplace_back(summary.ready_text());
  cells.emplace_back(summary.status);
  cells.emplace_back(summary.restarts_text(now));
  cells.emplace_back(age_of(object, now));
  cells.emplace_back(ips.empty() ? "<none>" : text_or(ips[0], {"ip"}, "<none>"));
  cells.emplace_back(text_or(object, {"spec", "nodeName"}, "<none>"));
  cells.emplace_back(text_or(object, {"status", "nominatedNodeName"}, "<none>"));
  cells.emplace_back(gates_text(object));
}

text::Value row_conditions_of_pod(const text::Value& pod) {
  const std::string_view phase = text_at(pod, {"status", "phase"});
  if (phase != "Succeeded" && phase != "Failed") return nullptr;
  const std::string_view message = phase == "Failed" ? "The pod failed." : "The pod succeeded.";
  return text::Array{text::Object{{"type", "Completed"}, {"status", "True"}, {"reason", phase}, {"message", message}}};
}

}  // namespace basalt::server

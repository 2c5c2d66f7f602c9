// A JobFlow as its controller sees it: its flows in order, each with its job, if it has one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "control/volcano/volcano_controller.h"
#include "kube/api/views/volcano_flow_view.h"

namespace basalt::volcano {

struct FlowStep {
  std::string_view name;                  // of the flow and of its JobTemplate
  std::string job_name;                   // "<jobflow>-<flow>"
  api::FlowEntryView entry;               // of spec.flows
  const text::Object* job = nullptr;      // null: not made yet, or not ours
  std::string_view phase;                 // of the job; "": none yet
  std::vector<std::string_view> targets;  // dependsOn.targets
  api::FlowProbeView probe;               // dependsOn.probe; false: none
};

struct FlowView {
  explicit FlowView(const text::Object& flow, const ControllerCache& seen);

  const text::Object* flow;
  std::vector<FlowStep> steps;  // in the order of spec.flows; a name given twice counts once

  [[nodiscard]] const FlowStep* find(std::string_view name) const;
  [[nodiscard]] size_t count(std::string_view phase) const;
};

// The spec of a step's job: the template's, with the step's patch over it. Objects merge member by member; lists of
// named things (tasks, containers, env …) merge by name, other lists are replaced. In the patch `queue: default` and
// `maxRetry: 3` count as absent: the CRD's schema writes them into every patch.
[[nodiscard]] text::Object patched_spec(const text::Object& template_spec, const text::Object* patch);

}  // namespace basalt::volcano

#include "kube/api/pod_phase.h"

namespace basalt::api {

std::string_view to_text(PodPhase phase) {
  switch (phase) {
    case PodPhase::Pending:
      return "Pending";
    case PodPhase::Running:
      return "Running";
    case PodPhase::Succeeded:
      return "Succeeded";
    case PodPhase::Failed:
      return "Failed";
    case PodPhase::Unknown:
      return "Unknown";
  }
  return "Unknown";
}

PodPhase parse_pod_phase(std::string_view text) {
  for (const PodPhase phase : {PodPhase::Running, PodPhase::Succeeded, PodPhase::Failed, PodPhase::Unknown}) {
    if (text == to_text(phase)) return phase;
  }
  return PodPhase::Pending;
}

}  // namespace basalt::api

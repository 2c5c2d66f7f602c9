#include "programs/daemon/feature_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/nearest_name.h"
#include "kube/text/document_path.h"
#include "kube/text/scalar.h"

namespace basalt::daemon {
namespace {

struct Gate {
  std::string_view name;
  bool by_default = true;
};

constexpr std::array kVolcanoGates = {
    Gate{"WorkLoadSupport"},
    Gate{"VolcanoJobSupport"},
    Gate{"PodDisruptionBudgetsSupport"},
    Gate{"QueueCommandSync"},
    Gate{"PriorityClass"},
    Gate{"ResourceTopology"},
    Gate{kCronJobGate},
    Gate{.name = "CSIStorage", .by_default = false},
    Gate{.name = kQueueAdmissionGate, .by_default = false},
};

// Kubernetes' own that concern a scheduler, a controller or a webhook: taken, because manifests set them.
constexpr std::array<std::string_view, 23> kKubernetesGates = {
    "AllAlpha",
    "AllBeta",
    "DRAAdminAccess",
    "DRAConsumableCapacity",
    "DRADeviceBindingConditions",
    "DRADeviceTaints",
    "DRAExtendedResource",
    "DRAPartitionableDevices",
    "DRAPrioritizedList",
    "DRASchedulerFilterTimeout",
    "DynamicResourceAllocation",
    "GangScheduling",
    "GenericWorkload",
    "InPlacePodVerticalScaling",
    "MatchLabelKeysInPodAffinity",
    "MatchLabelKeysInPodTopologySpread",
    "NodeInclusionPolicyInPodTopologySpread",
    "OpportunisticBatching",
    "PodLevelResources",
    "PodSchedulingReadiness",
    "SchedulerAsyncAPICalls",
    "SchedulerAsyncPreemption",
    "SchedulerQueueingHints",
};

const Gate* volcano_gate(std::string_view name) {
  const auto at = std::ranges::find(kVolcanoGates, name, &Gate::name);
  return at == kVolcanoGates.end() ? nullptr : &*at;
}

bool is_known(std::string_view name) {
  return volcano_gate(name) != nullptr || std::ranges::find(kKubernetesGates, name) != kKubernetesGates.end();
}

Error unknown(std::string_view name) {
  std::vector<std::string_view> known(kKubernetesGates.begin(), kKubernetesGates.end());
  for (const Gate& gate : kVolcanoGates) known.push_back(gate.name);
  const std::string_view meant = nearest(name, known);
  std::string names;
  for (const Gate& gate : kVolcanoGates) names += fmt::format(" {}", gate.name);
  return {.message = fmt::format("--feature-gates: there is no gate {}; {}", text::in_quotes(name),
                                 meant.empty() ? "Volcano's are:" + names : fmt::format("did you mean {}?", meant))};
}

}  // namespace

Result<FeatureGates> FeatureGates::read(const std::vector<std::string>& given) {
  FeatureGates gates;
  for (const std::string& word : given) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (!is_known(name)) return std::unexpected(unknown(name));
    const auto on = text::parse_bool(equals == std::string::npos ? "" : word.substr(equals + 1));
    if (!on) return invalid(fmt::format("--feature-gates: give {0}=true or {0}=false", name));
    gates.given_[name] = *on;
  }
  return gates;
}

bool FeatureGates::on(std::string_view name) const {
  const Gate* gate = volcano_gate(name);
  check(gate != nullptr, "programs ask for gates of Volcano's");
  const auto at = given_.find(name);
  return at == given_.end() ? gate->by_default : at->second;
}

std::vector<std::string> FeatureGates::idle(std::span<const std::string_view> effective) const {
  std::vector<std::string> out;
  for (const auto& [name, on] : given_) {
    const Gate* gate = volcano_gate(name);
    const bool is_idle = std::ranges::find(effective, name) == effective.end();
    if (is_idle && (gate == nullptr || on != gate->by_default))
      out.push_back(fmt::format("--feature-gates={}={} changes nothing", name, on));
  }
  return out;
}

}  // namespace basalt::daemon

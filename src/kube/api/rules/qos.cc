#include <array>

#include "kube/api/rules/pod_template.h"
#include "kube/api/rules/resource_checks.h"
#include "kube/api/views/pod_spec_view.h"

namespace basalt::api::rules {
namespace {

constexpr std::array<std::string_view, 2> kCompute = {"cpu", "memory"};

struct Compute {
  std::array<text::Quantity, 2> amount;
  [[nodiscard]] bool empty() const { return amount[0].is_zero() && amount[1].is_zero(); }
  [[nodiscard]] bool full() const { return !amount[0].is_zero() && !amount[1].is_zero(); }
};

Compute read(MapView<const text::Value*> amounts) {
  Compute out;
  for (size_t i = 0; i < kCompute.size(); ++i) {
    const text::Value* value = amounts[kCompute[i]];
    if (value == nullptr) continue;
    const text::Quantity amount = amount_of(*value);
    if (!amount.is_negative()) out.amount[i] = amount;
  }
  return out;
}

}  // namespace

std::string_view qos_class(PodSpecView spec) {
  Compute requests;
  Compute limits;
  bool guaranteed = true;
  if (const ResourceRequirementsView resources = spec.resources()) {
    requests = read(resources.requests());
    limits = read(resources.limits());
    guaranteed = limits.full();
  } else {
    for (const auto& containers : {spec.containers(), spec.init_containers()}) {
      for (const ContainerView container : containers) {
        const Compute asked = read(container.resources().requests());
        const Compute limit = read(container.resources().limits());
        guaranteed = guaranteed && limit.full();
        for (size_t i = 0; i < kCompute.size(); ++i) {
          requests.amount[i] += asked.amount[i];
          limits.amount[i] += limit.amount[i];
        }
      }
    }
  }
  if (requests.empty() && limits.empty()) return "BestEffort";
  for (size_t i = 0; i < kCompute.size(); ++i) guaranteed = guaranteed && requests.amount[i] == limits.amount[i];
  return guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace basalt::api::rules

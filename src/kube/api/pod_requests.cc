#include "kube/api/pod_requests.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace basalt::api {
namespace {

constexpr std::string_view kCpu = "cpu";
constexpr std::string_view kMemory = "memory";

bool has_pod_level_requests(const PodSpec& spec) {
  return spec.resources &&
         std::ranges::any_of(spec.resources->requests, [](const auto& r) { return is_pod_level_resource(r.first); });
}

bool is_resize_infeasible(const PodStatus& status) {
  const auto says_so = [](const Condition& c) {
    return c.type == "PodResizePending" && c.status == "True" && c.reason == "Infeasible";
  };
  return status.resize == "Infeasible" || std::ranges::any_of(status.conditions, says_so);
}

ResourceList container_requests(const Container& container, std::span<const ContainerStatus> statuses,
                                bool infeasible) {
  const auto status = std::ranges::find(statuses, container.name, &ContainerStatus::name);
  if (status == statuses.end() || !status->resources) return container.resources.requests;
  ResourceList most = status->resources->requests;
  raise(most, status->allocated_resources);
  if (!infeasible) raise(most, container.resources.requests);
  return most;
}

// `at_least` fills what a container does not name.
ResourceList total_with(const Pod& pod, const ResourceList& at_least) {
  const bool infeasible = is_resize_infeasible(pod.status);
  const auto amounts_of = [&](std::span<const Container> containers, auto statuses_of) {
    std::vector<ContainerAmounts> amounts;
    for (const Container& container : containers) {
      ResourceList own = container_requests(container, statuses_of(container), infeasible);
      own.insert(at_least.begin(), at_least.end());
      amounts.push_back({.own = std::move(own), .sidecar = container.is_sidecar()});
    }
    return amounts;
  };
  using Statuses = std::span<const ContainerStatus>;
  return containers_total(
      amounts_of(pod.spec.init_containers,
                 [&](const Container& container) {
                   return container.is_sidecar() ? Statuses(pod.status.init_container_statuses) : Statuses();
                 }),
      amounts_of(pod.spec.containers, [&](const Container&) { return Statuses(pod.status.container_statuses); }));
}

ResourceList requests_with(const Pod& pod, const ResourceList& at_least) {
  ResourceList total = total_with(pod, at_least);
  if (pod.spec.resources) {
    for (const auto& [name, quantity] : pod.spec.resources->requests) {
      if (is_pod_level_resource(name)) total.insert_or_assign(name, quantity);
    }
  }
  add(total, pod.spec.overhead);
  return total;
}

}  // namespace

ResourceList pod_requests(const Pod& pod) { return requests_with(pod, {}); }

NonZeroRequests pod_nonzero_requests(const Pod& pod) {
  ResourceList at_least = {{std::string(kCpu), text::Quantity::from_milli(kDefaultCpuMilli)},
                           {std::string(kMemory), text::Quantity::from_units(kDefaultMemoryBytes)}};
  if (has_pod_level_requests(pod.spec)) {
    for (const auto& [name, quantity] : requests_with(pod, {})) at_least.erase(name);
  }
  const ResourceList total = requests_with(pod, at_least);
  NonZeroRequests result;
  if (const auto cpu = total.find(kCpu); cpu != total.end()) result.cpu_milli = cpu->second.milli_value();
  if (const auto memory = total.find(kMemory); memory != total.end()) result.memory_bytes = memory->second.value();
  return result;
}

}  // namespace basalt::api

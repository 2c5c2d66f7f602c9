#include "kube/api/pod_requests.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace basalt::api {
namespace {

constexpr std::string_view kCpu = "cpu";
constexpr std::string_view kMemory = "memory";

// Only these can be asked for by a pod as a whole.
bool is_pod_level_resource(std::string_view name) {
  return name == kCpu || name == kMemory || name.starts_with("hugepages-");
}

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
  raise_resources(most, status->allocated_resources);
  if (!infeasible) raise_resources(most, container.resources.requests);
  return most;
}

// Containers only, without pod-level requests and overhead. `at_least` fills what a container does not name.
ResourceList containers_total(const Pod& pod, const ResourceList& at_least) {
  const bool infeasible = is_resize_infeasible(pod.status);
  ResourceList total;
  for (const Container& container : pod.spec.containers) {
    ResourceList own = container_requests(container, pod.status.container_statuses, infeasible);
    own.insert(at_least.begin(), at_least.end());
    add_resources(total, own);
  }
  ResourceList sidecars;
  ResourceList init_peak;
  for (const Container& container : pod.spec.init_containers) {
    const std::span<const ContainerStatus> statuses =
        container.is_sidecar() ? std::span(pod.status.init_container_statuses) : std::span<const ContainerStatus>();
    ResourceList own = container_requests(container, statuses, infeasible);
    own.insert(at_least.begin(), at_least.end());
    if (container.is_sidecar()) {
      add_resources(total, own);
      add_resources(sidecars, own);
      raise_resources(init_peak, sidecars);
    } else {
      add_resources(own, sidecars);
      raise_resources(init_peak, own);
    }
  }
  raise_resources(total, init_peak);
  return total;
}

ResourceList requests_with(const Pod& pod, const ResourceList& at_least) {
  ResourceList total = containers_total(pod, at_least);
  if (pod.spec.resources) {
    for (const auto& [name, quantity] : pod.spec.resources->requests) {
      if (is_pod_level_resource(name)) total.insert_or_assign(name, quantity);
    }
  }
  add_resources(total, pod.spec.overhead);
  return total;
}

}  // namespace

void add_resources(ResourceList& left, const ResourceList& right) {
  for (const auto& [name, quantity] : right) left[name] += quantity;
}

void raise_resources(ResourceList& left, const ResourceList& right) {
  for (const auto& [name, quantity] : right) {
    const auto [entry, is_new] = left.try_emplace(name, quantity);
    if (!is_new) entry->second = std::max(entry->second, quantity);
  }
}

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

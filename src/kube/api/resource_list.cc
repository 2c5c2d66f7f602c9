#include "kube/api/resource_list.h"

#include <vector>

#include "kube/api/rules/resource_checks.h"
#include "kube/api/views/pod_spec_view.h"

namespace basalt::api {
ResourceList resource_list_in(const text::Object* list) {
  ResourceList out;
  if (list == nullptr) return out;
  for (const auto& member : *list) out.emplace(std::string(member.key()), rules::amount_of(member.value()));
  return out;
}

void add(ResourceList& left, const ResourceList& right) {
  for (const auto& [name, amount] : right) {
    const auto [at, inserted] = left.emplace(name, amount);
    if (!inserted) at->second += amount;
  }
}

void subtract(ResourceList& left, const ResourceList& right) {
  for (const auto& [name, amount] : right) left[name] -= amount;
}

void raise(ResourceList& left, const ResourceList& right) {
  for (const auto& [name, amount] : right) {
    const auto [at, inserted] = left.emplace(name, amount);
    if (!inserted && at->second < amount) at->second = amount;
  }
}

ResourceList containers_total(std::span<const ContainerAmounts> init_containers,
                              std::span<const ContainerAmounts> containers) {
  ResourceList total;
  for (const ContainerAmounts& container : containers) add(total, container.own);
  ResourceList sidecars;
  ResourceList init_peak;
  for (const ContainerAmounts& container : init_containers) {
    if (container.sidecar) {
      add(total, container.own);
      add(sidecars, container.own);
      raise(init_peak, sidecars);
    } else {
      ResourceList together = container.own;
      add(together, sidecars);
      raise(init_peak, together);
    }
  }
  raise(total, init_peak);
  return total;
}

bool is_pod_level_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

ResourceList resource_list_of(ResourceRequirementsView resources, ResourceBound bound) {
  return resource_list_in((bound == ResourceBound::Limits ? resources.limits() : resources.requests()).json());
}

ResourceList pod_resource_total(PodSpecView spec, ResourceBound bound) {
  const auto amounts_of = [&](ListView<ContainerView> containers) {
    std::vector<ContainerAmounts> amounts;
    for (const ContainerView container : containers) {
      amounts.push_back(
          {.own = resource_list_of(container.resources(), bound), .sidecar = container.restart_policy() == "Always"});
    }
    return amounts;
  };
  ResourceList total = containers_total(amounts_of(spec.init_containers()), amounts_of(spec.containers()));
  for (const auto& [name, amount] : resource_list_of(spec.resources(), bound)) {
    if (is_pod_level_resource(name)) total.insert_or_assign(name, amount);
  }
  for (const auto& [name, amount] : resource_list_in(spec.overhead().json())) {
    // What has no limit gets none by overhead.
    const auto at = total.find(name);
    if (bound == ResourceBound::Limits && (at == total.end() || at->second.is_zero())) continue;
    add(total, {{name, amount}});
  }
  return total;
}

std::strong_ordering order_as_written(const ResourceList& left, const ResourceList& right) {
  return std::lexicographical_compare_three_way(
      left.begin(), left.end(), right.begin(), right.end(), [](const auto& one, const auto& other) {
        const std::strong_ordering order = one <=> other;
        return order != 0 ? order : one.second.format() <=> other.second.format();
      });
}

std::string resource_list_text(const ResourceList& amounts) {
  std::string text;
  for (const auto& [name, amount] : amounts) {
    if (!text.empty()) text += ',';
    text += name + "=" + amount.to_string();
  }
  return text;
}

}  // namespace basalt::api

#include "kube/api/resource_list.h"

#include <vector>

#include "kube/api/rules/member_access.h"
#include "kube/api/rules/resource_checks.h"

namespace basalt::api {
namespace {

ResourceList of_container(const text::Object& container, std::string_view list) {
  return resource_list_in(rules::object_at(rules::part_of(container, "resources"), list));
}

}  // namespace

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

ResourceList pod_resource_total(const text::Object& spec, std::string_view list) {
  const auto amounts_of = [&](std::string_view member) {
    std::vector<ContainerAmounts> amounts;
    rules::each_object(spec, member, [&](const text::Object& container, size_t) {
      amounts.push_back(
          {.own = of_container(container, list), .sidecar = rules::string_at(container, "restartPolicy") == "Always"});
    });
    return amounts;
  };
  ResourceList total = containers_total(amounts_of("initContainers"), amounts_of("containers"));
  for (const auto& [name, amount] : resource_list_in(rules::object_at(rules::part_of(spec, "resources"), list))) {
    if (is_pod_level_resource(name)) total.insert_or_assign(name, amount);
  }
  for (const auto& [name, amount] : resource_list_in(rules::object_at(spec, "overhead"))) {
    // What has no limit gets none by overhead.
    const auto at = total.find(name);
    if (list == "limits" && (at == total.end() || at->second.is_zero())) continue;
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

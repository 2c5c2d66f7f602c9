#include "kube/api/resource_list.h"

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

ResourceList pod_resource_total(const text::Object& spec, std::string_view list) {
  ResourceList together;
  rules::each_object(spec, "containers",
                     [&](const text::Object& container, size_t) { add(together, of_container(container, list)); });
  ResourceList sidecars;
  ResourceList starting;
  rules::each_object(spec, "initContainers", [&](const text::Object& container, size_t) {
    ResourceList own = of_container(container, list);
    if (rules::string_at(container, "restartPolicy") == "Always") {
      add(together, own);
      add(sidecars, own);
      own = sidecars;
    } else {
      add(own, sidecars);
    }
    raise(starting, own);
  });
  raise(together, starting);
  for (const auto& [name, amount] : resource_list_in(rules::object_at(rules::part_of(spec, "resources"), list)))
    together[name] = amount;
  for (const auto& [name, amount] : resource_list_in(rules::object_at(spec, "overhead"))) {
    // What has no limit gets none by overhead.
    const auto at = together.find(name);
    if (list == "limits" && (at == together.end() || at->second.is_zero())) continue;
    together[name] += amount;
  }
  return together;
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

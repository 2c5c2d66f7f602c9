#include "control/node/local/downward_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kube/api/go_quote.h"
#include "kube/api/name_validation.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"

namespace basalt::node {
namespace {

using text::Quantity;

std::string lines_of(const text::Object* map) {
  api::StringMap sorted;
  if (map != nullptr) {
    for (const auto& member : *map) sorted.emplace(member.key(), api::rules::view_of(member.value()));
  }
  std::string lines;
  for (const auto& [key, value] : sorted) {
    if (!lines.empty()) lines += '\n';
    lines += key + "=" + api::go_quote(value);
  }
  return lines;
}

struct Subscripted {
  std::string_view map, key;
};
std::optional<Subscripted> subscripted(std::string_view path) {
  const size_t open = path.find("['");
  if (open == 0 || open == std::string_view::npos || !path.ends_with("']") || path.size() < open + 4) {
    return std::nullopt;
  }
  return Subscripted{.map = path.substr(0, open), .key = path.substr(open + 2, path.size() - open - 4)};
}

Result<std::string> member_of_map(const text::Object& pod, const Subscripted& asked, std::string_view path) {
  const bool labels = asked.map == "metadata.labels";
  if (!labels && asked.map != "metadata.annotations") {
    return invalid(fmt::format("fieldPath {} does not support subscript", api::go_quote(path)));
  }
  if (const auto wrong = api::qualified_name(asked.key); labels && !wrong.empty()) {
    return invalid(fmt::format("invalid key subscript in {}: {}", path, fmt::join(wrong, ";")));
  }
  const text::Object* map = api::object_at(pod, {"metadata", labels ? "labels" : "annotations"});
  return std::string(map == nullptr ? std::string_view() : api::string_at(*map, asked.key));
}

const text::Object* find_container(const text::Object& pod, std::string_view name) {
  const text::Object* found = nullptr;
  const auto look = [&](const text::Object& one, size_t) {
    if (found == nullptr && api::string_at(one, "name") == name) found = &one;
  };
  const text::Object& spec = api::rules::part_of(pod, "spec");
  api::rules::each_object(spec, "containers", look);
  api::rules::each_object(spec, "initContainers", look);
  return found;
}

std::optional<Quantity> quantity_in(const text::Object* list, std::string_view name) {
  const text::Value* value = list == nullptr ? nullptr : list->if_contains(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_int64()) return Quantity::from_units(value->get_int64());
  const auto parsed = Quantity::parse(api::rules::view_of(*value));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

Quantity amount_of(const text::Object& container, bool limit, std::string_view name, const PodPlacement& place) {
  const text::Object* limits = api::object_at(container, {"resources", "limits"});
  const text::Object* requests = api::object_at(container, {"resources", "requests"});
  if (!limit) {
    if (const auto asked = quantity_in(requests, name)) return *asked;
    return quantity_in(limits, name).value_or(Quantity());
  }
  const auto bound = quantity_in(limits, name);
  if (bound && !bound->is_zero()) return *bound;
  const auto node = place.allocatable.find(name);
  return node == place.allocatable.end() || name.starts_with("hugepages-") ? Quantity() : node->second;
}

}  // namespace

std::string hostname_of(const text::Object& pod) {
  const std::string_view given = api::string_at(pod, {"spec", "hostname"});
  std::string name(given.empty() ? api::name_of(pod) : given);
  if (name.size() > api::kMaxLabelBytes) {
    name.resize(api::kMaxLabelBytes);
    while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  }
  return name;
}

Result<std::string> field_value(const text::Object& pod, std::string_view path, const PodPlacement& place) {
  if (const auto asked = subscripted(path)) return member_of_map(pod, *asked, path);
  if (path == "metadata.name") return std::string(api::name_of(pod));
  if (path == "metadata.namespace") return std::string(api::namespace_of(pod));
  if (path == "metadata.uid") return std::string(api::string_at(pod, {"metadata", "uid"}));
  if (path == "metadata.labels") return lines_of(api::object_at(pod, {"metadata", "labels"}));
  if (path == "metadata.annotations") return lines_of(api::object_at(pod, {"metadata", "annotations"}));
  if (path == "spec.nodeName") return std::string(api::string_at(pod, {"spec", "nodeName"}));
  if (path == "spec.serviceAccountName") return std::string(api::string_at(pod, {"spec", "serviceAccountName"}));
  if (path == "status.hostIP" || path == "status.hostIPs") return place.host_address;
  if (path == "status.podIP" || path == "status.podIPs") return place.pod_address;
  return invalid(fmt::format("unsupported fieldPath: {}", path));
}

Result<std::string> resource_value(const text::Object& pod, const text::Object* container, const text::Object& selector,
                                   const PodPlacement& place) {
  const std::string_view named = api::string_at(selector, "containerName");
  if (!named.empty()) container = find_container(pod, named);
  if (container == nullptr) return invalid(fmt::format("container {} not found", named));

  const std::string_view resource = api::string_at(selector, "resource");
  const bool limit = resource.starts_with("limits.");
  if (!limit && !resource.starts_with("requests.")) {
    return invalid(fmt::format("unsupported container resource : {}", resource));
  }
  const std::string_view name = resource.substr(resource.find('.') + 1);
  if (name != "cpu" && name != "memory" && name != "ephemeral-storage" && !name.starts_with("hugepages-")) {
    return invalid(fmt::format("unsupported container resource : {}", resource));
  }
  const Quantity amount = amount_of(*container, limit, name, place);
  Quantity divisor = quantity_in(&selector, "divisor").value_or(Quantity());
  if (divisor.is_zero()) divisor = Quantity::from_units(1);
  const bool cpu = name == "cpu";
  const int64_t of = cpu ? amount.milli_value() : amount.value();
  // A divisor below what the unit can tell apart (1u of cpu) rounds up to one of it.
  const int64_t by = std::max<int64_t>(1, cpu ? divisor.milli_value() : divisor.value());
  return std::to_string(of / by + (of % by > 0 ? 1 : 0));
}

}  // namespace basalt::node

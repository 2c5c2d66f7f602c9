#include "control/node/local/downward_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kube/api/go_quote.h"
#include "kube/api/name_validation.h"
#include "kube/api/typed_decode.h"
#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace {

using text::Quantity;

std::string lines_of(api::StringMapView map) {
  api::StringMap sorted;
  for (const auto [key, value] : map) sorted.emplace(key, value);
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

Result<std::string> member_of_map(api::ObjectMetaView metadata, const Subscripted& asked, std::string_view path) {
  const bool labels = asked.map == "metadata.labels";
  if (!labels && asked.map != "metadata.annotations") {
    return invalid(fmt::format("fieldPath {} does not support subscript", api::go_quote(path)));
  }
  if (const auto wrong = api::qualified_name(asked.key); labels && !wrong.empty()) {
    return invalid(fmt::format("invalid key subscript in {}: {}", path, fmt::join(wrong, ";")));
  }
  return std::string((labels ? metadata.labels() : metadata.annotations())[asked.key]);
}

api::ContainerView container_called(api::PodSpecView spec, std::string_view name) {
  for (const auto& containers : {spec.containers(), spec.init_containers()}) {
    for (const api::ContainerView one : containers) {
      if (one.name() == name) return one;
    }
  }
  return {};
}

std::optional<Quantity> quantity_in(const text::Value* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_int64()) return Quantity::from_units(value->get_int64());
  const auto parsed = Quantity::parse(value->is_string() ? std::string_view(value->get_string()) : std::string_view());
  return parsed ? std::optional(*parsed) : std::nullopt;
}

Quantity amount_of(api::ResourceRequirementsView resources, bool limit, std::string_view name,
                   const PodPlacement& place) {
  const auto bound = quantity_in(resources.limits()[name]);
  if (!limit) {
    if (const auto asked = quantity_in(resources.requests()[name])) return *asked;
    return bound.value_or(Quantity());
  }
  if (bound && !bound->is_zero()) return *bound;
  const auto node = place.allocatable.find(name);
  return node == place.allocatable.end() || name.starts_with("hugepages-") ? Quantity() : node->second;
}

}  // namespace

std::string hostname_of(const text::Object& object) {
  const api::PodView pod(object);
  const std::string_view given = pod.spec().hostname();
  std::string name(given.empty() ? pod.metadata().name() : given);
  if (name.size() > api::kMaxLabelBytes) {
    name.resize(api::kMaxLabelBytes);
    while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  }
  return name;
}

Result<std::string> field_value(const text::Object& object, std::string_view path, const PodPlacement& place) {
  const api::PodView pod(object);
  const api::ObjectMetaView metadata = pod.metadata();
  if (const auto asked = subscripted(path)) return member_of_map(metadata, *asked, path);
  if (path == "metadata.name") return std::string(metadata.name());
  if (path == "metadata.namespace") return std::string(metadata.namespace_name());
  if (path == "metadata.uid") return std::string(metadata.uid());
  if (path == "metadata.labels") return lines_of(metadata.labels());
  if (path == "metadata.annotations") return lines_of(metadata.annotations());
  if (path == "spec.nodeName") return std::string(pod.spec().node_name());
  if (path == "spec.serviceAccountName") return std::string(pod.spec().service_account_name());
  if (path == "status.hostIP" || path == "status.hostIPs") return place.host_address;
  if (path == "status.podIP" || path == "status.podIPs") return place.pod_address;
  return invalid(fmt::format("unsupported fieldPath: {}", path));
}

Result<std::string> resource_value(const text::Object& pod, api::ContainerView container,
                                   api::ResourceFieldSelectorView selector, const PodPlacement& place) {
  const std::string_view named = selector.container_name();
  if (!named.empty()) container = container_called(api::PodView(pod).spec(), named);
  if (!container) return invalid(fmt::format("container {} not found", named));

  const std::string_view resource = selector.resource();
  const bool limit = resource.starts_with("limits.");
  if (!limit && !resource.starts_with("requests.")) {
    return invalid(fmt::format("unsupported container resource : {}", resource));
  }
  const std::string_view name = resource.substr(resource.find('.') + 1);
  if (name != "cpu" && name != "memory" && name != "ephemeral-storage" && !name.starts_with("hugepages-")) {
    return invalid(fmt::format("unsupported container resource : {}", resource));
  }
  const Quantity amount = amount_of(container.resources(), limit, name, place);
  Quantity divisor = quantity_in(selector.divisor()).value_or(Quantity());
  if (divisor.is_zero()) divisor = Quantity::from_units(1);
  const bool cpu = name == "cpu";
  const int64_t of = cpu ? amount.milli_value() : amount.value();
  // A divisor below what the unit can tell apart (1u of cpu) rounds up to one of it.
  const int64_t by = std::max<int64_t>(1, cpu ? divisor.milli_value() : divisor.value());
  return std::to_string(of / by + (of % by > 0 ? 1 : 0));
}

}  // namespace basalt::node

// Resource amounts of objects, and the one rule by which those of a pod's containers become those of the pod.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "kube/text/json.h"
#include "kube/text/quantity.h"

namespace basalt::api {

class PodSpecView;
class ResourceRequirementsView;

using ResourceList = std::map<std::string, text::Quantity, std::less<>>;  // by the resource's name

// The amounts in a resource list; null: none.
[[nodiscard]] ResourceList resource_list_in(const text::Object* list);

enum class ResourceBound : uint8_t { Requests, Limits };
[[nodiscard]] ResourceList resource_list_of(ResourceRequirementsView resources, ResourceBound bound);

// What a whole pod asks for (Requests) or may take (Limits): containers run together, init containers before them,
// sidecars beside both; amounts of the pod as a whole replace what they name; overhead is added.
// Cost: O(containers · resources · log resources).
[[nodiscard]] ResourceList pod_resource_total(PodSpecView spec, ResourceBound bound);

// The amounts of one container. A sidecar is an init container that is restarted always.
struct ContainerAmounts {
  ResourceList own;
  bool sidecar = false;
};
// max( containers + sidecars , the most that any init container needs together with the sidecars started before it ),
// per resource. Without what the pod as a whole names, and without overhead.
[[nodiscard]] ResourceList containers_total(std::span<const ContainerAmounts> init_containers,
                                            std::span<const ContainerAmounts> containers);
// Only these can be given for a pod as a whole: cpu, memory and huge pages.
[[nodiscard]] bool is_pod_level_resource(std::string_view name);

// A resource that is missing counts as not there, not as zero.
void add(ResourceList& left, const ResourceList& right);
void subtract(ResourceList& left, const ResourceList& right);
void raise(ResourceList& left, const ResourceList& right);  // the larger of each

// An order by everything that can be told apart. Equality of quantities leaves out how they are written.
[[nodiscard]] std::strong_ordering order_as_written(const ResourceList& left, const ResourceList& right);

// "cpu=500m,memory=1Gi", in the order of names.
[[nodiscard]] std::string resource_list_text(const ResourceList& amounts);

}  // namespace basalt::api

// Resource amounts of objects, summed for limit ranges and quotas.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>

#include "kube/text/json.h"
#include "kube/text/quantity.h"

namespace basalt::api {

using ResourceList = std::map<std::string, text::Quantity, std::less<>>;

// The amounts in a resource list; null: none.
[[nodiscard]] ResourceList resource_list_in(const text::Object* list);

// What a whole pod asks for ("requests") or may take ("limits"): containers run together, init containers before them,
// sidecars beside both; amounts of the pod as a whole replace what they name; overhead is added.
// Cost: O(containers · resources · log resources).
[[nodiscard]] ResourceList pod_resource_total(const text::Object& spec, std::string_view list);

void add(ResourceList& left, const ResourceList& right);
void subtract(ResourceList& left, const ResourceList& right);
void raise(ResourceList& left, const ResourceList& right);  // the larger of each

// An order by everything that can be told apart. Equality of quantities leaves out how they are written.
[[nodiscard]] std::strong_ordering order_as_written(const ResourceList& left, const ResourceList& right);

// "cpu=500m,memory=1Gi", in the order of names.
[[nodiscard]] std::string resource_list_text(const ResourceList& amounts);

}  // namespace basalt::api

// Resource amounts of objects, summed for limit ranges and quotas.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>

#include "kube/text/json.h"
#include "kube/text/quantity.h"

namespace basalt::api {

using Amounts = std::map<std::string, text::Quantity, std::less<>>;

// The amounts in a resource list; null: none.
[[nodiscard]] Amounts amounts_in(const text::Object* list);

// What a whole pod asks for ("requests") or may take ("limits"): containers run together, init containers before them,
// sidecars beside both; amounts of the pod as a whole replace what they name; overhead is added.
// Cost: O(containers · resources · log resources).
[[nodiscard]] Amounts pod_amounts(const text::Object& spec, std::string_view list);

void add(Amounts& left, const Amounts& right);
void subtract(Amounts& left, const Amounts& right);
void raise(Amounts& left, const Amounts& right);  // the larger of each

// An order by everything that can be told apart. Equality of quantities leaves out how they are written.
[[nodiscard]] std::strong_ordering order_as_written(const Amounts& left, const Amounts& right);

// "cpu=500m,memory=1Gi", in the order of names.
[[nodiscard]] std::string amounts_text(const Amounts& amounts);

}  // namespace basalt::api

// Values of a schema's shape, by chance: what clients that know the types might send.
#pragma once

#include <string>
#include <string_view>

#include "base/rng.h"
#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::tests {

// One of them. Requires: the list is not empty.
template <class List>
const auto& pick(const List& list, Rng& rng) {
  return list[rng.below(list.size())];
}

// A value of the shape; sometimes an odd one (empty, huge, not ASCII), and one time in forty of another type.
[[nodiscard]] text::Value random_value(const api::Schema& schema, Rng& rng, int depth = 0);

// Sets, changes or removes one member somewhere below `object`, as `schema` knows them. What tells one object from
// another (apiVersion, kind, name, namespace, uid, resourceVersion) stays.
void decorate(text::Object& object, const api::Schema& schema, Rng& rng);

// A merge patch that sets one member somewhere.
[[nodiscard]] text::Object random_change(const api::Schema& schema, Rng& rng);

// A JSON patch of one to three operations, most on places that `object` has.
[[nodiscard]] text::Array random_json_patch(const text::Object& object, const api::Schema& schema, Rng& rng);

}  // namespace basalt::tests

// Objects made from an object by leaving out parts.
#pragma once

#include "base/rng.h"
#include "kube/text/json.h"

namespace basalt::tests {

// A copy without some of its members and elements, down to the leaves; apiVersion, kind, and metadata's name and
// namespace stay. The same seed leaves out the same.
[[nodiscard]] text::Value variant_of(const text::Value& object, Rng& rng);

}  // namespace basalt::tests

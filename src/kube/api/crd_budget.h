// What one CustomResourceDefinition may cost, all its versions together: as text it is small, and compiled it can be a
// thousand times as large. Checked before anything else looks into it.
#pragma once

#include <cstddef>

#include "kube/api/api_error.h"
#include "kube/text/json.h"

namespace basalt::api {

inline constexpr size_t kMaxDefinitionVersions = 50;
// Schemas of fields, elements, and below allOf, anyOf, oneOf and not. Large definitions have 20,000.
inline constexpr size_t kMaxSchemaNodes = 100'000;
// Instructions of all different patterns, each counted as kMinPatternSize at least: 2,000 patterns as people write
// them. Compiling so many takes a fraction of a second, and happens for those that are used.
inline constexpr size_t kMaxPatternSizes = 256'000;
inline constexpr size_t kMinPatternSize = 128;
inline constexpr size_t kMaxPrinterColumns = 100;  // of a version: each is looked up in every object of a table

// False: too much, and a cause says what and where. Cost: O(definition), and the compiling of patterns up to their
// bound.
[[nodiscard]] bool check_crd_budget(const text::Object& crd, Causes& causes);

}  // namespace basalt::api

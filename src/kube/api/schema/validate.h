// Checks a value against its schema: types, required fields, limits, formats, and duplicates in sets and list-maps.
//
// What is wrong is added to `causes` with the reasons and paths Kubernetes uses for kinds of CRDs (422). metadata at
// the root is left out: its rules are the server's, the same for every kind. CEL rules (x-kubernetes-validations) are
// not evaluated. About kMaxValidationCauses are reported.
//
// Cost: values times validations at their place, which is a product of what the writers of the schema and of the object
// choose. So it is counted: when it exceeds kMaxValidationSteps the object is refused, with a cause that says so.
#pragma once

#include <cstddef>
#include <string>

#include "kube/api/api_error.h"
#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

inline constexpr size_t kMaxValidationCauses = 100;
// One step is about one comparison: a value at a schema, an allowed value, a field, a few bytes of a pattern's subject;
// a schema below allOf, anyOf, oneOf or not takes a few more.
// An object of 1.5 MB with a schema as people write them takes less than a tenth.
inline constexpr size_t kMaxValidationSteps = 10'000'000;
// For the defaults of a definition, which are checked when it is written and each time that its kinds are compiled.
inline constexpr size_t kMaxDefaultSteps = 1'000'000;

// What was spent so far, and what may be.
struct ValidationWork {
  size_t steps = 0;
  size_t most = kMaxValidationSteps;
  std::string spent_at = {};  // where the last step was taken, once all are
};

void validate_value(const Schema& schema, const text::Value& value, Causes& causes);

// The same for an update: what stood in `old` already is not complained about again (Kubernetes' ratcheting), so a
// schema that became stricter does not lock an object. Elements of lists are compared by their keys, in list-maps only.
void validate_value_update(const Schema& schema, const text::Value& value, const text::Value& old, Causes& causes);

// A part of an object: `path` is where it stands; nothing is left out. The steps are added to those of `work`.
void validate_value_at(const Schema& schema, const text::Value& value, const std::string& path, bool nullable,
                       ValidationWork& work, Causes& causes);

}  // namespace basalt::api

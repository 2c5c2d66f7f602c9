// The types into which Volcano's programs decode objects: those of its own kinds, and Pod.
//
// A program that reads a field of another type as "not given" puts its default in the place of what was meant. Whoever
// takes objects that no strict decoder has seen (an AdmissionReview, a watch of a server whose definitions say less
// than ours) asks here first.
#pragma once

#include <string>
#include <string_view>

#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

// By resource ("batch.volcano.sh", "v1alpha1", "jobs"); nullptr for one that Volcano does not read. The texts are
// parsed once, at the first call; then O(kinds).
[[nodiscard]] const Schema* volcano_type(std::string_view group, std::string_view version, std::string_view plural);

// Why Go cannot decode `object` into the type, with the path of the first field that is wrong: "json: cannot unmarshal
// string into Go struct field spec.minAvailable of type int32". "": it can. Null is "not given", and fields that the
// type does not name are passed over. Cost: O(object).
[[nodiscard]] std::string decode_fault(const Schema& type, const text::Object& object);

}  // namespace basalt::api

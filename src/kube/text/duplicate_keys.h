// Keys that a JSON text gives twice in one object.
//
// parse_json keeps the last of them and says nothing; whoever must tell (the API's fieldValidation) asks here as well.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kube/text/json.h"

namespace basalt::text {

// Their paths ("spec.replicas", "spec.containers[0].image"), each once and in the order of the text, at most `most`.
// Requires: `value` is what parse_json made of `json`. Cost: one pass over both, which finds that there are none; else
// O(json · log keys).
[[nodiscard]] std::vector<std::string> duplicate_keys(std::string_view json, const Value& value, size_t most);

}  // namespace basalt::text

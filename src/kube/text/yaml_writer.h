// Values as YAML in block style, as people write manifests: the answer to `Accept: application/yaml`.
#pragma once

#include <string>

#include "kube/text/json.h"

namespace basalt::text {

// Members in their order, two blanks of indentation; strings in double quotes where plain text would be read as
// something else. What parse_yaml reads back is the same value.
[[nodiscard]] std::string to_yaml(const Value& value);

}  // namespace basalt::text

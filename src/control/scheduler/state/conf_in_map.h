// Where a ConfigMap holds the scheduler's conf.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "kube/text/json.h"

namespace basalt::state {

inline constexpr std::string_view kConfMapKey = "volcano-scheduler.conf";
inline constexpr size_t kMaxConfBytes = size_t{1024} * 1024;  // as much as a ConfigMap may hold

// An annotation of a ConfigMap that shows a file's text: the file does not load any more, and why.
inline constexpr std::string_view kPolicyRefusedAnnotation = "basalt.sh/policy-refused";

struct ConfInMap {
  std::string_view key, text;  // into the object that was asked about
};

// In the ConfigMap's data: under `wanted`, or, if that is "", under kConfMapKey, or else under the first key by name
// that ends in ".conf". Nothing: there is none.
[[nodiscard]] std::optional<ConfInMap> conf_in_map(const text::Object& data, std::string_view wanted = "");

}  // namespace basalt::state

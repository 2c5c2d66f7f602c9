// The keys of a ConfigMap or Secret, with their values as bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/api/typed_decode.h"
#include "kube/text/json.h"

namespace basalt::node {

enum class ConfigKind : uint8_t { ConfigMap, Secret };

// "configmap" / "secret": how messages name an object that is missing.
[[nodiscard]] std::string_view word_of(ConfigKind kind);

// data, and of a ConfigMap with `binary` binaryData as well. A value that is no base64 where it should be is left out.
// Cost: O(object).
[[nodiscard]] api::StringMap config_data(const text::Object& object, ConfigKind kind, bool binary);
// One of them; nullopt when there is no such key.
[[nodiscard]] std::optional<std::string> config_value(const text::Object& object, ConfigKind kind,
                                                      std::string_view key);

}  // namespace basalt::node

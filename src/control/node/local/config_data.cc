#include "control/node/local/config_data.h"

#include "kube/api/rules/member_access.h"
#include "kube/text/base64.h"

namespace basalt::node {
namespace {

std::optional<std::string> bytes_of(const text::Value& value, bool encoded) {
  const std::string_view stored = api::rules::view_of(value);
  if (!encoded) return std::string(stored);
  auto decoded = text::decode_base64(stored);
  return decoded ? std::optional(std::move(*decoded)) : std::nullopt;
}

void add(const text::Object& map, bool encoded, api::StringMap& out) {
  for (const auto& member : map) {
    if (auto bytes = bytes_of(member.value(), encoded)) out.insert_or_assign(member.key(), std::move(*bytes));
  }
}

}  // namespace

std::string_view word_of(ConfigKind kind) { return kind == ConfigKind::ConfigMap ? "configmap" : "secret"; }

api::StringMap config_data(const text::Object& object, ConfigKind kind, bool binary) {
  api::StringMap out;
  add(api::rules::part_of(object, "data"), kind == ConfigKind::Secret, out);
  if (binary && kind == ConfigKind::ConfigMap) add(api::rules::part_of(object, "binaryData"), true, out);
  return out;
}

std::optional<std::string> config_value(const text::Object& object, ConfigKind kind, std::string_view key) {
  const text::Value* value = api::rules::part_of(object, "data").if_contains(key);
  return value == nullptr ? std::nullopt : bytes_of(*value, kind == ConfigKind::Secret);
}

}  // namespace basalt::node

// ConfigMap and Secret.
#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/checks.h"
#include "kube/text/json.h"

namespace basalt::api::rules {
namespace {

constexpr size_t kMaxDataBytes = size_t{1024} * 1024;

std::string base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = (group << 8U) | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      out += i + j > bytes.size() ? '=' : kAlphabet[(group >> (18U - 6U * j)) & 0x3FU];
    }
  }
  return out;
}

// Bytes behind a base64 text.
size_t decoded_bytes(std::string_view text) {
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  return text.size() / 4 * 3 - (text.size() >= 4 ? padding : 0);
}

void fold_string_data(text::Object& secret) {
  const text::Object* plain = object_at(secret, "stringData");
  if (plain != nullptr) {
    const text::Object copy = *plain;
    text::Object& data = make_object(secret, "data");
    for (const auto& member : copy) data[member.key()] = base64(view_of(member.value()));
  }
  secret.erase("stringData");
}

void check_keys(const text::Object& data, std::string_view path, Causes& causes) {
  const FieldPath at(path);
  for (const auto& member : data) refuse(config_key(member.key()), member.key(), at.entry(member.key()), causes);
}

void check_frozen(const text::Object& next, const text::Object& old, std::initializer_list<std::string_view> parts,
                  Causes& causes) {
  if (!is_true(old, "immutable")) return;
  if (!is_true(next, "immutable")) causes.forbidden("immutable", "field is immutable when `immutable` is set");
  for (const std::string_view part : parts) {
    if (!same_member(next, old, part)) {
      causes.forbidden(std::string(part), "field is immutable when `immutable` is set");
    }
  }
}

void validate_config_map(const text::Object& map, Causes& causes) {
  const text::Object& data = part_of(map, "data");
  const text::Object& binary = part_of(map, "binaryData");
  check_keys(data, "data", causes);
  check_keys(binary, "binaryData", causes);
  size_t bytes = 0;
  const FieldPath at("data");
  for (const auto& member : data) {
    bytes += view_of(member.value()).size();
    if (binary.contains(member.key())) {
      causes.invalid(at.entry(member.key()).text(), text_value(member.key()), "duplicate of key present in binaryData");
    }
  }
  for (const auto& member : binary) bytes += decoded_bytes(view_of(member.value()));
  if (bytes > kMaxDataBytes) causes.too_long("", kMaxDataBytes);
}

void update_config_map(const text::Object& next, const text::Object& old, Causes& causes) {
  check_frozen(next, old, {"data", "binaryData"}, causes);
}

struct NeededKey {
  std::string_view type, key;
};
constexpr std::array<NeededKey, 5> kNeededKeys = {{
    {"kubernetes.io/dockercfg", ".dockercfg"},
    {"kubernetes.io/dockerconfigjson", ".dockerconfigjson"},
    {"kubernetes.io/ssh-auth", "ssh-privatekey"},
    {"kubernetes.io/tls", "tls.crt"},
    {"kubernetes.io/tls", "tls.key"},
}};

void validate_secret(const text::Object& secret, Causes& causes) {
  const text::Object& data = part_of(secret, "data");
  const std::string_view type = string_at(secret, "type");
  check_keys(data, "data", causes);
  size_t bytes = 0;
  for (const auto& member : data) bytes += decoded_bytes(view_of(member.value()));
  if (bytes > kMaxDataBytes) causes.too_long("data", kMaxDataBytes);
  const FieldPath at("data");
  for (const NeededKey& needed : kNeededKeys) {
    if (needed.type == type && !data.contains(needed.key)) causes.required(at.entry(needed.key).text());
  }
  if (type == "kubernetes.io/basic-auth" && !data.contains("username") && !data.contains("password")) {
    causes.required(at.entry("username").text());
    causes.required(at.entry("password").text());
  }
  if (type == "kubernetes.io/service-account-token") {
    constexpr std::string_view kAccount = "kubernetes.io/service-account.name";
    if (string_at(part_of(part_of(secret, "metadata"), "annotations"), kAccount).empty()) {
      const FieldPath annotations("metadata.annotations");
      causes.required(annotations.entry(kAccount).text());
    }
  }
}

void prepare_secret_update(text::Object& next, const text::Object& old) {
  if (string_at(next, "type").empty() && has(old, "type")) next["type"] = old.at("type");
}

void update_secret(const text::Object& next, const text::Object& old, Causes& causes) {
  const FieldPath at("");
  check_immutable(next, old, "type", at, causes);
  check_frozen(next, old, {"data"}, causes);
}

}  // namespace

KindRules config_map_rules() { return {.validate = validate_config_map, .validate_update = update_config_map}; }

KindRules secret_rules() {
  return {.complete = fold_string_data,
          .prepare_update = prepare_secret_update,
          .validate = validate_secret,
          .validate_update = update_secret};
}

}  // namespace basalt::api::rules

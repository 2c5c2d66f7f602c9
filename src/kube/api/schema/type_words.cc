#include "kube/api/schema/type_words.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "kube/text/json.h"

namespace basalt::api {
namespace {

ValueLimits& limits_of(Schema& type) {
  if (!type.limits) type.limits = std::make_unique<ValueLimits>();
  return *type.limits;
}

std::string in_quotes(std::string_view word) { return "\"" + std::string(word) + "\""; }

Result<text::Value> json_of(std::string_view name, std::string_view value) {
  auto json = text::parse_json(value);
  if (!json) return std::unexpected(json.error().within(std::string(name) + "= wants JSON"));
  return json;
}

Result<double> number_of(std::string_view name, std::string_view value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || !std::isfinite(number)) {
    return invalid(std::string(name) + "= wants a number, got " + in_quotes(value));
  }
  return number;
}

Result<uint64_t> count_of(std::string_view name, std::string_view value) {
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error != std::errc{} || end != value.data() + value.size()) {
    return invalid(std::string(name) + "= wants a count, got " + in_quotes(value));
  }
  return count;
}

template <class T, class Read>
Result<void> set_from(std::optional<T>& target, std::string_view name, std::string_view value, Read read) {
  const auto got = read(name, value);
  if (!got) return std::unexpected(got.error());
  target = *got;
  return {};
}

Result<void> apply_list_type(std::string_view value, Schema& type) {
  if (type.shape != Shape::List) return invalid("list= wants a list type such as [string]");
  if (value == "atomic" || value == "set") {
    type.list_type = value == "set" ? ListType::Set : ListType::Atomic;
    type.list_keys.clear();
    return {};
  }
  if (!value.starts_with("map(") || !value.ends_with(")")) {
    return invalid("list= is atomic, set or map(KEY,…), not " + in_quotes(value));
  }
  value = value.substr(4, value.size() - 5);
  type.list_type = ListType::Map;
  type.list_keys.clear();
  while (true) {
    const size_t comma = value.find(',');
    const std::string_view key = value.substr(0, comma);
    if (key.empty()) return invalid("list=map(…) has an empty key");
    type.list_keys.emplace_back(key);
    if (comma == std::string_view::npos) return {};
    value.remove_prefix(comma + 1);
  }
}

// atomic, granular: a list is made atomic by not saying anything.
Result<void> apply_atomic(bool atomic, Schema& type) {
  if (type.shape != Shape::Object && type.shape != Shape::Map) {
    return invalid("atomic and granular are for types with fields and for maps");
  }
  type.atomic = atomic;
  return {};
}

Result<void> apply_rule(std::string_view value, ValueLimits& limits) {
  const auto pair = json_of("rule", value);
  if (!pair) return std::unexpected(pair.error());
  const text::Array* list = pair->if_array();
  if (list == nullptr || list->size() != 2 || !(*list)[0].is_string() || !(*list)[1].is_string()) {
    return invalid("rule= wants [\"expression\", \"message\"]");
  }
  limits.rules.push_back(
      {.rule = std::string((*list)[0].get_string()), .message = std::string((*list)[1].get_string())});
  return {};
}

Result<void> apply_enum(std::string_view value, ValueLimits& limits) {
  auto allowed = json_of("enum", value);
  if (!allowed) return std::unexpected(allowed.error());
  if (!allowed->is_array()) return invalid("enum= wants a list");
  limits.allowed.assign(allowed->get_array().begin(), allowed->get_array().end());
  return {};
}

Result<void> apply_text_limit(std::string_view name, std::string_view value, ValueLimits& limits) {
  if (name == "format") {
    limits.format = value;
    return {};
  }
  auto pattern = quoted_text(value);
  if (!pattern) return std::unexpected(pattern.error().within("pattern="));
  limits.pattern = std::move(*pattern);
  return {};
}

Result<void> apply_limit(std::string_view name, std::string_view value, ValueLimits& limits) {
  if (name == "min") return set_from(limits.minimum, name, value, number_of);
  if (name == "max") return set_from(limits.maximum, name, value, number_of);
  if (name == "multiple-of") return set_from(limits.multiple_of, name, value, number_of);
  if (name == "min-length") return set_from(limits.min_length, name, value, count_of);
  if (name == "max-length") return set_from(limits.max_length, name, value, count_of);
  if (name == "min-items") return set_from(limits.min_items, name, value, count_of);
  if (name == "max-items") return set_from(limits.max_items, name, value, count_of);
  if (name == "min-properties") return set_from(limits.min_properties, name, value, count_of);
  if (name == "max-properties") return set_from(limits.max_properties, name, value, count_of);
  if (name == "enum") return apply_enum(value, limits);
  if (name == "rule") return apply_rule(value, limits);
  if (name == "pattern" || name == "format") return apply_text_limit(name, value, limits);
  if (name == "exclusive-min" || name == "exclusive-max" || name == "unique-items") {
    if (!value.empty()) return invalid(std::string(name) + " takes no value");
    (name == "exclusive-min"   ? limits.exclusive_minimum
     : name == "exclusive-max" ? limits.exclusive_maximum
                               : limits.unique_items) = true;
    return {};
  }
  return invalid("unknown word " + in_quotes(name));
}

Result<bool> apply_default(std::string_view name, std::string_view value, SchemaField& field) {
  auto json = json_of(name, value);
  if (!json) return std::unexpected(json.error());
  (name == "default" ? field.fallback : field.embedded_fallback) = std::move(*json);
  return true;
}

}  // namespace

std::pair<std::string_view, std::string_view> split_word(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos) return {word, {}};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

Result<std::string> quoted_text(std::string_view word) {
  const auto json = text::parse_json(word);
  if (!json || !json->is_string()) return invalid("expected a text in quotes, got " + std::string(word));
  return std::string(json->get_string());
}

Result<bool> apply_field_word(std::string_view word, SchemaField& field) {
  const auto [name, value] = split_word(word);
  if (name == "default" || name == "embedded-default") return apply_default(name, value, field);
  if (name == "merge") {
    field.patch_merge = true;
    field.patch_merge_key = value;
    return true;
  }
  if (word == "required") {
    field.required = true;
  } else if (word == "nullable") {
    field.nullable = true;
  } else if (word == "omit") {
    field.when_empty = WhenEmpty::Omit;
  } else if (word == "write") {
    field.when_empty = WhenEmpty::Write;
  } else if (word == "retain-keys") {
    field.patch_retain_keys = true;
  } else {
    return false;
  }
  return true;
}

Result<void> apply_type_word(std::string_view word, Schema& type) {
  const auto [name, value] = split_word(word);
  if (name == "list") return apply_list_type(value, type);
  if (word == "atomic" || word == "granular") return apply_atomic(word == "atomic", type);
  if (word == "preserve-unknown") {
    type.preserve_unknown = true;
    return {};
  }
  if (word == "embedded-resource") {
    type.embedded_resource = true;
    return {};
  }
  return apply_limit(name, value, limits_of(type));
}

void copy_type(const Schema& source, Schema& target) {
  target.description = source.description;
  target.shape = source.shape;
  target.fields = source.fields;
  target.element = source.element;
  target.element_nullable = source.element_nullable;
  target.element_fallback = source.element_fallback;
  target.list_type = source.list_type;
  target.list_keys = source.list_keys;
  target.atomic = source.atomic;
  target.preserve_unknown = source.preserve_unknown;
  target.embedded_resource = source.embedded_resource;
  target.limits = source.limits ? std::make_unique<ValueLimits>(*source.limits) : nullptr;
}

}  // namespace basalt::api

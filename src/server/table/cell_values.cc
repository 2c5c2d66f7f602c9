#include "server/table/cell_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kube/text/quantity.h"
#include "kube/text/rfc3339.h"

namespace basalt::server {
namespace {

std::vector<std::string> sorted_texts(const text::Array& list) {
  std::vector<std::string> words;
  for (const text::Value& value : list) {
    if (value.is_string()) words.emplace_back(value.get_string());
  }
  std::sort(words.begin(), words.end());
  return words;
}

std::string requirement_text(const text::Value& expression, std::string_view key) {
  const std::string_view op = text_at(expression, {"operator"});
  if (op == "Exists") return std::string(key);
  if (op == "DoesNotExist") return fmt::format("!{}", key);
  const std::string values = join(sorted_texts(list_at(expression, {"values"})), ",");
  return fmt::format("{} {} ({})", key, op == "NotIn" ? "notin" : "in", values);
}

}  // namespace

const text::Value* at(const text::Value& object, FieldPath path) {
  const text::Value* value = &object;
  for (const std::string_view step : path) {
    value = text::find_member(*value, step);
    if (value == nullptr) return nullptr;
  }
  return value->is_null() ? nullptr : value;
}

std::string_view text_at(const text::Value& object, FieldPath path) {
  const text::Value* value = at(object, path);
  if (value == nullptr || !value->is_string()) return {};
  return value->get_string();
}

std::string text_or(const text::Value& object, FieldPath path, std::string_view otherwise) {
  const std::string_view text = text_at(object, path);
  return std::string(text.empty() ? otherwise : text);
}

int64_t int_at(const text::Value& object, FieldPath path) {
  const text::Value* value = at(object, path);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

bool bool_at(const text::Value& object, FieldPath path, bool otherwise) {
  const text::Value* value = at(object, path);
  return value != nullptr && value->is_bool() ? value->get_bool() : otherwise;
}

const text::Array& list_at(const text::Value& object, FieldPath path) {
  static const text::Array kEmpty;
  const text::Value* value = at(object, path);
  return value != nullptr && value->is_array() ? value->get_array() : kEmpty;
}

const text::Object& object_at(const text::Value& object, FieldPath path) {
  static const text::Object kEmpty;
  const text::Value* value = at(object, path);
  return value != nullptr && value->is_object() ? value->get_object() : kEmpty;
}

Instant time_at(const text::Value& object, FieldPath path) {
  return text::parse_time(text_at(object, path)).value_or(kNever);
}

std::string quantity_at(const text::Value& object, FieldPath path) {
  const text::Value* value = at(object, path);
  if (value == nullptr) return "0";
  const std::string written = value->is_string() ? std::string(value->get_string()) : text::to_json(*value);
  const auto quantity = text::Quantity::parse(written);
  return quantity ? quantity->to_string() : written;
}

std::string age_of(const text::Value& object, Instant now) {
  return age_since(time_at(object, {"metadata", "creationTimestamp"}), now);
}

std::string name_of(const text::Value& object) { return std::string(text_at(object, {"metadata", "name"})); }

bool is_terminating(const text::Value& object) { return at(object, {"metadata", "deletionTimestamp"}) != nullptr; }

bool condition_true(const text::Value& object, std::string_view type) {
  for (const text::Value& condition : list_at(object, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) == type) return text_at(condition, {"status"}) == "True";
  }
  return false;
}

std::string join(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::string labels_text(const text::Object& labels) {
  std::vector<std::string> words;
  for (const auto& [key, value] : labels) {
    const std::string_view text = value.is_string() ? std::string_view(value.get_string()) : std::string_view();
    words.push_back(fmt::format("{}={}", std::string_view(key), text));
  }
  std::sort(words.begin(), words.end());
  return join(words, ",");
}

std::string selector_text(const text::Value* selector) {
  if (selector == nullptr) return {};
  std::multimap<std::string_view, std::string> by_key;
  for (const auto& [key, value] : object_at(*selector, {"matchLabels"})) {
    const std::string_view text = value.is_string() ? std::string_view(value.get_string()) : std::string_view();
    by_key.emplace(std::string_view(key), fmt::format("{}={}", std::string_view(key), text));
  }
  for (const text::Value& expression : list_at(*selector, {"matchExpressions"})) {
    const std::string_view key = text_at(expression, {"key"});
    by_key.emplace(key, requirement_text(expression, key));
  }
  std::vector<std::string> words;
  for (auto& [key, text] : by_key) words.push_back(std::move(text));
  return join(words, ",");
}

std::string or_none(std::string text) { return text.empty() ? "<none>" : std::move(text); }

std::string each_text(const text::Array& list, std::string_view field) {
  std::vector<std::string> words;
  for (const text::Value& element : list) words.emplace_back(text_at(element, {field}));
  return join(words, ",");
}

}  // namespace basalt::server

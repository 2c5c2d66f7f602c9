#include "engine/core/arguments.h"

#include <array>

namespace basalt::engine {

namespace {

std::string_view type_name(const Argument& argument) {
  static constexpr std::array<std::string_view, 7> kNames = {"nothing",  "a bool", "an integer", "a float",
                                                             "a string", "a list", "a map"};
  return kNames[argument.value.index()];
}

std::unexpected<Error> mismatch(std::string_view key, std::string_view wanted, const Argument& got) {
  return invalid("arguments." + std::string(key) + ": expected " + std::string(wanted) + ", got " +
                 std::string(type_name(got)) + "; write it without quotes if it is a number");
}

std::optional<bool> parse_bool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

}  // namespace

const Argument* Arguments::find(std::string_view key) const {
  asked_.emplace(key);
  auto at = map_.find(key);
  if (at == map_.end() || std::holds_alternative<std::monostate>(at->second.value)) return nullptr;
  return &at->second;
}

std::string_view Arguments::unasked() const {
  for (const auto& [key, value] : map_) {
    if (!asked_.contains(key)) return key;
  }
  return {};
}

Result<int64_t> Arguments::get_int(std::string_view key, int64_t fallback) const {
  const Argument* argument = find(key);
  if (argument == nullptr) return fallback;
  if (const auto* number = std::get_if<int64_t>(&argument->value)) return *number;
  return mismatch(key, "an integer", *argument);
}

Result<double> Arguments::get_float(std::string_view key, double fallback) const {
  const Argument* argument = find(key);
  if (argument == nullptr) return fallback;
  if (const auto* number = std::get_if<double>(&argument->value)) return *number;
  if (const auto* number = std::get_if<int64_t>(&argument->value)) return static_cast<double>(*number);
  return mismatch(key, "a number", *argument);
}

Result<bool> Arguments::get_bool(std::string_view key, bool fallback) const {
  const Argument* argument = find(key);
  if (argument == nullptr) return fallback;
  if (const auto* flag = std::get_if<bool>(&argument->value)) return *flag;
  if (const auto* text = std::get_if<std::string>(&argument->value)) {
    if (const auto flag = parse_bool(*text)) return *flag;
  }
  return mismatch(key, "true or false", *argument);
}

Result<std::string> Arguments::get_string(std::string_view key, std::string_view fallback) const {
  const Argument* argument = find(key);
  if (argument == nullptr) return std::string(fallback);
  if (const auto* text = std::get_if<std::string>(&argument->value)) return *text;
  return mismatch(key, "a string", *argument);
}

}  // namespace basalt::engine

#include <fmt/format.h>

#include "api/api_error.h"
#include "api/go_text.h"

namespace basalt::api {
namespace {

// How a refused value is shown: strings quoted, everything else as JSON.
std::string shown(const text::Value& value) {
  if (const auto* string = value.if_string()) return go_quote({string->data(), string->size()});
  return text::to_json(value);
}

Cause cause(std::string_view reason, std::string field, std::string body, std::string_view why) {
  if (!why.empty()) body.append(": ").append(why);
  return {.reason = std::string(reason), .message = std::move(body), .field = std::move(field)};
}

}  // namespace

void Causes::invalid(std::string field, const text::Value& value, std::string_view why) {
  list_.push_back(cause("FieldValueInvalid", std::move(field), "Invalid value: " + shown(value), why));
}

void Causes::required(std::string field, std::string_view why) {
  list_.push_back(cause("FieldValueRequired", std::move(field), "Required value", why));
}

void Causes::forbidden(std::string field, std::string_view why) {
  list_.push_back(cause("FieldValueForbidden", std::move(field), "Forbidden", why));
}

void Causes::not_supported(std::string field, const text::Value& value, const std::vector<std::string>& supported) {
  std::string why;
  for (const std::string& one : supported) {
    why += why.empty() ? "supported values: " : ", ";
    why += go_quote(one);
  }
  list_.push_back(cause("FieldValueNotSupported", std::move(field), "Unsupported value: " + shown(value), why));
}

void Causes::duplicate(std::string field, const text::Value& value) {
  list_.push_back(cause("FieldValueDuplicate", std::move(field), "Duplicate value: " + shown(value), ""));
}

void Causes::not_found(std::string field, const text::Value& value) {
  list_.push_back(cause("FieldValueNotFound", std::move(field), "Not found: " + shown(value), ""));
}

void Causes::too_long(std::string field, size_t max_bytes) {
  list_.push_back(cause("FieldValueTooLong", std::move(field), "Too long",
                        fmt::format("may not be more than {} byte{}", max_bytes, max_bytes == 1 ? "" : "s")));
}

void Causes::too_many(std::string field, size_t actual, size_t max) {
  list_.push_back(cause("FieldValueTooMany", std::move(field), fmt::format("Too many: {}", actual),
                        fmt::format("must have at most {} item{}", max, max == 1 ? "" : "s")));
}

void Causes::type_invalid(std::string field, const text::Value& value, std::string_view why) {
  list_.push_back(cause("FieldValueTypeInvalid", std::move(field), "Invalid value: " + shown(value), why));
}

}  // namespace basalt::api

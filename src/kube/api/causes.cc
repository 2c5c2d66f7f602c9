#include <fmt/format.h>

#include "kube/api/api_error.h"
#include "kube/api/go_quote.h"
#include "kube/text/json_prefix.h"
#include "kube/text/utf8.h"

namespace basalt::api {
namespace {

// An object of a megabyte can be wrong in a hundred thousand ways, and each cause may show a large part of it. What
// people read is bounded; the object is refused all the same.
constexpr size_t kMaxCauses = 1'000;
constexpr size_t kMaxCauseBytes = size_t{1024} * 1024;  // of all together
constexpr size_t kMaxShownValue = size_t{16} * 1024;    // bytes of one value
constexpr size_t kMaxShownField = size_t{4} * 1024;     // bytes of one path
constexpr std::string_view kCut = "...";

// How a refused value is shown: strings quoted, everything else as JSON.
std::string shown(const text::Value& value) {
  if (const auto* string = value.if_string()) {
    const std::string_view whole(string->data(), string->size());
    const std::string_view begin = text::utf8_prefix(whole, kMaxShownValue);
    return go_quote(begin) + std::string(begin.size() < whole.size() ? kCut : "");
  }
  return text::json_prefix(value, kMaxShownValue);
}

bool is_full(const std::vector<Cause>& list) {
  if (list.size() >= kMaxCauses) return true;
  size_t bytes = 0;
  for (const Cause& cause : list) bytes += cause.field.size() + cause.message.size();
  return bytes >= kMaxCauseBytes;
}

void add_cause(std::vector<Cause>& list, std::string_view reason, std::string field, std::string body,
               std::string_view why) {
  if (is_full(list)) return;
  if (!why.empty()) body.append(": ").append(text::utf8_prefix(why, 2 * kMaxShownValue));
  if (field.size() > kMaxShownField) field = std::string(text::utf8_prefix(field, kMaxShownField)).append(kCut);
  list.push_back({.reason = std::string(reason), .message = std::move(body), .field = std::move(field)});
}

// A cause that shows a value, unless there are enough.
void add_shown(std::vector<Cause>& list, std::string_view reason, std::string field, std::string_view what,
               const text::Value& value, std::string_view why) {
  if (!is_full(list)) add_cause(list, reason, std::move(field), std::string(what) + shown(value), why);
}

}  // namespace

void Causes::invalid(std::string field, const text::Value& value, std::string_view why) {
  add_shown(list_, "FieldValueInvalid", std::move(field), "Invalid value: ", value, why);
}

void Causes::required(std::string field, std::string_view why) {
  add_cause(list_, "FieldValueRequired", std::move(field), "Required value", why);
}

void Causes::forbidden(std::string field, std::string_view why) {
  add_cause(list_, "FieldValueForbidden", std::move(field), "Forbidden", why);
}

void Causes::not_supported(std::string field, const text::Value& value, const std::vector<std::string>& supported) {
  if (is_full(list_)) return;
  std::string why;
  for (const std::string& one : supported) {
    why += why.empty() ? "supported values: " : ", ";
    if (why.size() > kMaxShownValue) {
      why += kCut;
      break;
    }
    why += go_quote(text::utf8_prefix(one, kMaxShownValue));
  }
  add_shown(list_, "FieldValueNotSupported", std::move(field), "Unsupported value: ", value, why);
}

void Causes::duplicate(std::string field, const text::Value& value) {
  add_shown(list_, "FieldValueDuplicate", std::move(field), "Duplicate value: ", value, "");
}

void Causes::not_found(std::string field, const text::Value& value) {
  add_shown(list_, "FieldValueNotFound", std::move(field), "Not found: ", value, "");
}

void Causes::too_long(std::string field, size_t max_bytes) {
  add_cause(list_, "FieldValueTooLong", std::move(field), "Too long",
            fmt::format("may not be more than {} byte{}", max_bytes, max_bytes == 1 ? "" : "s"));
}

void Causes::too_many(std::string field, size_t actual, size_t max) {
  add_cause(list_, "FieldValueTooMany", std::move(field), fmt::format("Too many: {}", actual),
            fmt::format("must have at most {} item{}", max, max == 1 ? "" : "s"));
}

void Causes::type_invalid(std::string field, const text::Value& value, std::string_view why) {
  add_shown(list_, "FieldValueTypeInvalid", std::move(field), "Invalid value: ", value, why);
}

}  // namespace basalt::api

#include "kube/api/schema/value_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>

#include "kube/api/go_quote.h"
#include "kube/api/schema/formats.h"
#include "kube/api/schema/pattern.h"
#include "kube/text/utf8.h"

namespace basalt::api {
namespace {

// Beyond this a double no longer tells whole numbers apart, so none of them counts as an integer.
constexpr double kMaxWholeDouble = 9007199254740991.0;

bool is_whole(double number) { return std::abs(number) <= kMaxWholeDouble && std::trunc(number) == number; }

bool is_number(const text::Value& value) { return value.is_int64() || value.is_uint64() || value.is_double(); }

bool is_integer(const text::Value& value) {
  return value.is_int64() || (value.is_double() && is_whole(value.get_double()));
}

// Wide enough for every int64 and every double.
long double number_of(const text::Value& value) {
  if (value.is_int64()) return static_cast<long double>(value.get_int64());
  if (value.is_uint64()) return static_cast<long double>(value.get_uint64());
  return static_cast<long double>(value.get_double());
}

std::string_view type_name(Shape shape) {
  switch (shape) {
    case Shape::Object:
    case Shape::Map:
      return "object";
    case Shape::List:
      return "array";
    case Shape::Int32:
    case Shape::Int64:
      return "integer";
    case Shape::Number:
      return "number";
    case Shape::Bool:
      return "boolean";
    case Shape::IntOrString:
      return "integer,string";
    default:
      return "string";
  }
}

bool has_type(const Schema& schema, const text::Value& value) {
  switch (schema.shape) {
    case Shape::Any:
      return true;
    case Shape::Object:
    case Shape::Map:
      return value.is_object();
    case Shape::List:
      return value.is_array();
    case Shape::Int32:
    case Shape::Int64:
      return is_integer(value);
    case Shape::Number:
      return is_number(value);
    case Shape::Bool:
      return value.is_bool();
    case Shape::IntOrString:
      return value.is_string() || is_integer(value);
    default:
      // A list passes as a string with a format: the validator that Kubernetes uses leaves it to the format.
      return value.is_string() || (value.is_array() && schema.limits && is_known_format(schema.limits->format));
  }
}

std::string counted(std::string_view what, const ValuePath& at, uint64_t bound, std::string_view unit) {
  return at.text() + " in body should have at " + std::string(what) + " " + std::to_string(bound) + " " +
         std::string(unit);
}

std::string number_text(double number) {
  return is_whole(number) ? std::to_string(static_cast<int64_t>(number)) : text::double_text(number);
}

bool same_value(const text::Value& left, const text::Value& right) {
  if (is_number(left) && is_number(right)) return number_of(left) == number_of(right);
  return left == right;
}

void sort_keys(text::Value& value) {
  if (value.is_array()) {
    for (auto& element : value.get_array()) sort_keys(element);
  }
  if (!value.is_object()) return;
  std::map<std::string_view, text::Value*> members;
  for (auto& member : value.get_object()) members.emplace(member.key(), &member.value());
  text::Object sorted;
  for (const auto& [key, member] : members) {
    sort_keys(*member);
    sorted.emplace(key, *member);
  }
  value = std::move(sorted);
}

std::string sorted_text(const text::Value& value) {
  if (!value.is_structured()) return text::to_json(value);
  text::Value sorted = value;
  sort_keys(sorted);
  return text::to_json(sorted);
}

text::Value key_of(const Schema& schema, const text::Value& element) {
  text::Object key;
  if (!element.is_object()) return key;
  for (const std::string& name : schema.list_keys) {
    if (const text::Value* part = element.get_object().if_contains(name)) key.emplace(name, *part);
  }
  return key;
}

// Whether `number` is no multiple of `factor`, by the arithmetic that the type chooses.
bool is_off(const text::Value& value, double factor, bool by_whole_numbers) {
  if (value.is_int64() && by_whole_numbers) {
    const auto whole = static_cast<int64_t>(std::trunc(factor));
    return whole <= 0 || value.get_int64() % whole != 0;
  }
  const long double times = number_of(value) / static_cast<long double>(factor);
  return std::abs(times - std::round(times)) > 1e-9L * std::max(1.0L, std::abs(times));
}

}  // namespace

std::string_view schema_type_of(const text::Value& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "boolean";
  if (value.is_null()) return "null";
  return value.is_int64() ? "integer" : "number";
}

bool check_type(const Schema& schema, const text::Value& value, const ValuePath& at, Causes& causes) {
  const bool typed = has_type(schema, value);
  if (!typed) {
    const std::string found(schema_type_of(value));
    const std::string path = at.text();
    causes.type_invalid(
        path, text::Value(found),
        path + " in body must be of type " + std::string(type_name(schema.shape)) + ": " + go_quote(found));
  }
  const bool narrow = schema.shape == Shape::Int32;
  if ((!narrow && schema.shape != Shape::Int64) || !is_number(value)) return typed;
  const long double number = number_of(value);
  const long double bound = narrow ? 0x1p31L : 0x1p63L;
  if (std::trunc(number) == number && number >= -bound && number < bound) return typed;
  causes.invalid(at.root_text(), text::Value(""),
                 "Checked value must be of type integer with format " + std::string(narrow ? "int32" : "int64") +
                     " in " + at.text());
  return false;
}

void check_enum(const ValueLimits& limits, const text::Value& value, const ValuePath& at, Causes& causes) {
  if (limits.allowed.empty()) return;
  const auto allowed = [&](const text::Value& one) { return !one.is_null() && same_value(one, value); };
  if (std::ranges::any_of(limits.allowed, allowed)) return;
  constexpr size_t kMaxShownAllowed = 1'000;
  std::vector<std::string> names;
  for (const text::Value& one : std::span(limits.allowed).first(std::min(limits.allowed.size(), kMaxShownAllowed))) {
    names.push_back(one.is_string() ? std::string(std::string_view(one.get_string())) : text::to_json(one));
  }
  causes.not_supported(at.text(), value, names);
}

void check_string(const ValueLimits& limits, std::string_view text, const ValuePath& at, Causes& causes) {
  const bool counted_too = limits.min_length || limits.max_length;
  const auto runes = counted_too ? uint64_t{text::character_count(text)} : 0;
  // Of these three Kubernetes reports the first.
  if (limits.max_length && runes > *limits.max_length) {
    causes.too_long(at.text(), *limits.max_length);
  } else if (limits.min_length && runes < *limits.min_length) {
    const std::string path = at.text();
    causes.invalid(path, text::Value(text),
                   path + " in body should be at least " + std::to_string(*limits.min_length) + " chars long");
  } else if (limits.matcher && !limits.matcher->matches(text)) {
    const std::string path = at.text();
    causes.invalid(path, text::Value(text), path + " in body should match '" + limits.pattern + "'");
  }
  if (!limits.format.empty() && !has_format(limits.format, text)) {
    const std::string path = at.text();
    causes.type_invalid(path, text::Value(text),
                        path + " in body must be of type " + limits.format + ": " + go_quote(text));
  }
}

void check_number(const Schema& schema, const text::Value& value, const ValuePath& at, Causes& causes) {
  const ValueLimits& limits = *schema.limits;
  const long double number = number_of(value);
  // A whole number is compared with the whole part of a limit, unless the type is integer and the limit is not: the
  // validator that Kubernetes uses does so, and objects must not be valid here and invalid there.
  const bool integer = schema.shape == Shape::Int32 || schema.shape == Shape::Int64;
  const auto by_whole = [&](double limit) {
    return value.is_int64() && std::abs(limit) < 0x1p63 && (!integer || std::trunc(limit) == limit);
  };
  const auto bound_of = [&](double limit) -> long double { return by_whole(limit) ? std::trunc(limit) : limit; };
  const auto refuse = [&](std::string_view why, double bound) {
    const std::string path = at.text();
    causes.invalid(path, value, path + " in body should be " + std::string(why) + " " + number_text(bound));
  };
  if (limits.multiple_of &&
      (*limits.multiple_of <= 0 || is_off(value, *limits.multiple_of, by_whole(*limits.multiple_of)))) {
    refuse("a multiple of", *limits.multiple_of);
  }
  if (limits.maximum) {
    const long double bound = bound_of(*limits.maximum);
    if (number > bound || (limits.exclusive_maximum && number == bound)) {
      refuse(limits.exclusive_maximum ? "less than" : "less than or equal to", *limits.maximum);
    }
  }
  if (limits.minimum) {
    const long double bound = bound_of(*limits.minimum);
    if (number < bound || (limits.exclusive_minimum && number == bound)) {
      refuse(limits.exclusive_minimum ? "greater than" : "greater than or equal to", *limits.minimum);
    }
  }
}

void check_items(const ValueLimits& limits, size_t count, const ValuePath& at, Causes& causes) {
  if (limits.min_items && count < *limits.min_items) {
    causes.invalid(at.text(), text::Value(count), counted("least", at, *limits.min_items, "items"));
  }
  if (limits.max_items && count > *limits.max_items) causes.too_many(at.text(), count, *limits.max_items);
}

void check_properties(const ValueLimits& limits, size_t count, const ValuePath& at, Causes& causes) {
  if (limits.min_properties && count < *limits.min_properties) {
    causes.invalid(at.text(), text::Value(count), counted("least", at, *limits.min_properties, "properties"));
  }
  if (limits.max_properties && count > *limits.max_properties) {
    causes.too_many(at.text(), count, *limits.max_properties);
  }
}

void check_duplicates(const Schema& schema, const text::Array& list, const ValuePath& at, Causes& causes) {
  if (schema.list_type == ListType::Atomic) return;
  const bool by_key = schema.list_type == ListType::Map;
  std::map<std::string, size_t> seen;
  for (size_t i = 0; i < list.size(); ++i) {
    if (by_key && !list[i].is_object() && !list[i].is_null()) {
      causes.invalid(at.element(i).bracket_text(), list[i], "must be an object for an array of list-type map");
      return;
    }
    const text::Value key = by_key ? key_of(schema, list[i]) : list[i];
    // Once per value, however often it comes.
    if (++seen[sorted_text(key)] == 2) causes.duplicate(at.element(i).bracket_text(), key);
  }
}

}  // namespace basalt::api

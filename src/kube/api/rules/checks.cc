#include "kube/api/rules/checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace basalt::api::rules {

void refuse(const ValidationMessages& complaints, std::string_view value, const FieldPath& where, Causes& causes) {
  for (const std::string& why : complaints) causes.invalid(where.text(), text_value(value), why);
}

text::Value shown_member(const text::Object& object, std::string_view name) {
  const text::Value* value = object.if_contains(name);
  return value == nullptr ? text::Value(nullptr) : *value;
}

void check_not_negative(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes) {
  const auto number = int_at(object, name);
  if (number && *number < 0) causes.invalid(at.key(name).text(), *number, "must be greater than or equal to 0");
}

void check_range(const text::Object& object, std::string_view name, int64_t low, int64_t high, const FieldPath& at,
                 Causes& causes) {
  const auto number = int_at(object, name);
  if (number && (*number < low || *number > high)) {
    causes.invalid(at.key(name).text(), *number, fmt::format("must be between {} and {}, inclusive", low, high));
  }
}

void check_word(const text::Object& object, std::string_view name, std::initializer_list<std::string_view> allowed,
                Need need, const FieldPath& at, Causes& causes) {
  const text::Value* value = member_of(object, name);
  const std::string_view word = value == nullptr ? std::string_view() : view_of(*value);
  if (word.empty() && need == Need::Required) {
    causes.required(at.key(name).text());
  } else if (value != nullptr && std::ranges::find(allowed, word) == allowed.end()) {
    causes.not_supported(at.key(name).text(), *value, std::vector<std::string>(allowed.begin(), allowed.end()));
  }
}

void check_given(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes) {
  if (string_at(object, name).empty()) causes.required(at.key(name).text());
}

void check_name(const text::Object& object, std::string_view name, ValidationMessages (*rule)(std::string_view),
                Need need, const FieldPath& at, Causes& causes) {
  const std::string_view text = string_at(object, name);
  if (!text.empty()) {
    refuse(rule(text), text, at.key(name), causes);
  } else if (need == Need::Required) {
    causes.required(at.key(name).text());
  }
}

bool is_ipv4(std::string_view text) {
  int parts = 0;
  while (true) {
    const size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    if (part.empty() || part.size() > 3 || (part.size() > 1 && part[0] == '0')) return false;
    int number = 0;
    for (const char digit : part) {
      if (digit < '0' || digit > '9') return false;
      number = number * 10 + (digit - '0');
    }
    if (number > 255) return false;
    ++parts;
    if (dot == std::string_view::npos) return parts == 4;
    text.remove_prefix(dot + 1);
  }
}

bool is_ipv6(std::string_view text) {
  if (text.size() < 2 || text.size() > 45) return false;
  int groups = 0;
  bool gap = false;
  if (text.starts_with("::")) {
    gap = true;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    const size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    if (colon == std::string_view::npos && part.find('.') != std::string_view::npos) {
      if (!is_ipv4(part)) return false;
      groups += 2;
      break;
    }
    const auto is_hex = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    if (part.empty() || part.size() > 4 || !std::ranges::all_of(part, is_hex)) return false;
    ++groups;
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
    if (text.empty()) return false;
    if (text[0] == ':') {
      if (gap) return false;
      gap = true;
      text.remove_prefix(1);
    }
  }
  return gap ? groups < 8 : groups == 8;
}

namespace {

bool is_cidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const std::string_view bits = text.substr(slash + 1);
  if (bits.empty() || bits.size() > 3) return false;
  int number = 0;
  for (const char c : bits) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + (c - '0');
  }
  return (is_ipv4(address) && number <= 32) || (is_ipv6(address) && number <= 128);
}

}  // namespace

void check_ip(std::string_view text, const FieldPath& where, Causes& causes) {
  if (!is_ipv4(text) && !is_ipv6(text)) {
    causes.invalid(where.text(), text_value(text), "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  }
}

void check_network(std::string_view text, const FieldPath& where, Causes& causes) {
  if (is_cidr(text)) return;
  causes.invalid(where.text(), text_value(text), "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
}

void check_port_or_name(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes) {
  const text::Value* value = member_of(object, name);
  const FieldPath where = at.key(name);
  if (value != nullptr && value->is_string()) {
    refuse(port_name(view_of(*value)), view_of(*value), where, causes);
    return;
  }
  const int64_t port = value != nullptr && value->is_int64() ? value->get_int64() : 0;
  for (const std::string& why : port_number(port)) causes.invalid(where.text(), port, why);
}

void check_count_or_percent(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes) {
  const text::Value* value = member_of(object, name);
  if (value == nullptr) return;
  if (value->is_string()) {
    if (!is_percent(view_of(*value))) {
      causes.invalid(at.key(name).text(), *value,
                     "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', "
                     "regex used for validation is '[0-9]+%')");
    }
    return;
  }
  check_not_negative(object, name, at, causes);
}

void check_immutable(const text::Object& next, const text::Object& old, std::string_view name, const FieldPath& at,
                     Causes& causes) {
  if (!same_member(next, old, name)) causes.invalid(at.key(name).text(), shown_member(next, name), kImmutable);
}

}  // namespace basalt::api::rules

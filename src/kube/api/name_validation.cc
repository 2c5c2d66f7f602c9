#include "kube/api/name_validation.h"

#include <fmt/format.h>

#include <algorithm>

namespace basalt::api {
namespace {

constexpr std::string_view kLabelForm = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kKeyForm = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kKeyRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower_alnum(char c) { return is_lower(c) || is_digit(c); }
constexpr bool is_alnum(char c) { return is_lower_alnum(c) || (c >= 'A' && c <= 'Z'); }

bool is_label_form(std::string_view name) {
  return !name.empty() && is_lower_alnum(name.front()) && is_lower_alnum(name.back()) &&
         std::ranges::all_of(name, [](char c) { return is_lower_alnum(c) || c == '-'; });
}

bool is_subdomain_form(std::string_view name) {
  while (true) {
    const size_t dot = name.find('.');
    if (!is_label_form(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

bool is_key_form(std::string_view name) {
  return !name.empty() && is_alnum(name.front()) && is_alnum(name.back()) &&
         std::ranges::all_of(name, [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::string longer_than(size_t bytes) { return fmt::format("must be no more than {} bytes", bytes); }

std::string wrong_form(std::string_view rule, std::string_view examples, std::string_view form) {
  return fmt::format("{} (e.g. {}, regex used for validation is '{}')", rule, examples, form);
}

std::string wrong_key() { return wrong_form(kKeyRule, "'MyName',  or 'my.name',  or '123-abc'", kKeyForm); }

// "." and ".." would walk out of a directory that is made from the name.
void refuse_dots(std::string_view name, ValidationMessages& out) {
  if (name == "." || name == "..") {
    out.push_back(fmt::format("must not be '{}'", name));
  } else if (name.starts_with("..")) {
    out.emplace_back("must not start with '..'");
  }
}

}  // namespace

ValidationMessages dns1123_label(std::string_view name) {
  ValidationMessages out;
  if (name.size() > kMaxLabelBytes) out.push_back(longer_than(kMaxLabelBytes));
  if (is_label_form(name)) return out;
  if (is_subdomain_form(name)) {
    out.emplace_back("must not contain dots");
  } else {
    out.push_back(
        wrong_form("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
                   "must start and end with an alphanumeric character",
                   "'my-name',  or '123-abc'", kLabelForm));
  }
  return out;
}

ValidationMessages dns1123_subdomain(std::string_view name) {
  ValidationMessages out;
  if (name.size() > kMaxSubdomainBytes) out.push_back(longer_than(kMaxSubdomainBytes));
  if (!is_subdomain_form(name)) {
    out.push_back(wrong_form(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
        "and end with an alphanumeric character",
        "'example.com'", fmt::format("{0}(\\.{0})*", kLabelForm)));
  }
  return out;
}

ValidationMessages dns1035_label(std::string_view name) {
  ValidationMessages out;
  if (name.size() > kMaxLabelBytes) out.push_back(longer_than(kMaxLabelBytes));
  if (!is_label_form(name) || !is_lower(name.front())) {
    out.push_back(
        wrong_form("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
                   "alphabetic character, and end with an alphanumeric character",
                   "'my-name',  or 'abc-123'", "[a-z]([-a-z0-9]*[a-z0-9])?"));
  }
  return out;
}

ValidationMessages path_segment(std::string_view name) {
  if (name == "." || name == "..") return {fmt::format("may not be '{}'", name)};
  ValidationMessages out;
  for (const char bad : {'/', '%'}) {
    if (name.find(bad) != std::string_view::npos) out.push_back(fmt::format("may not contain '{}'", bad));
  }
  return out;
}

ValidationMessages qualified_name(std::string_view key) {
  ValidationMessages out;
  const size_t slash = key.find('/');
  std::string_view name = key;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {
          fmt::format("a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. "
                      "'example.com/MyName')",
                      wrong_key())};
    }
    if (prefix.empty()) out.emplace_back("prefix part must be non-empty");
    if (!prefix.empty()) {
      for (const std::string& why : dns1123_subdomain(prefix)) out.push_back("prefix part " + why);
    }
  }
  if (name.empty()) out.emplace_back("name part must be non-empty");
  if (name.size() > kMaxLabelBytes) out.push_back("name part " + longer_than(kMaxLabelBytes));
  if (!is_key_form(name)) out.push_back("name part " + wrong_key());
  return out;
}

ValidationMessages label_value(std::string_view value) {
  ValidationMessages out;
  if (value.size() > kMaxLabelBytes) out.push_back(longer_than(kMaxLabelBytes));
  if (!value.empty() && !is_key_form(value)) {
    out.push_back(wrong_form(
        fmt::format("a valid label must be an empty string or {}", kKeyRule.substr(std::string_view("must ").size())),
        "'MyValue',  or 'my_value',  or '12345'", fmt::format("({})?", kKeyForm)));
  }
  return out;
}

ValidationMessages config_key(std::string_view key) {
  ValidationMessages out;
  if (key.size() > kMaxSubdomainBytes)
    out.push_back(fmt::format("must be no more than {} characters", kMaxSubdomainBytes));
  const auto allowed = [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; };
  if (key.empty() || !std::ranges::all_of(key, allowed)) {
    out.push_back(wrong_form("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                             "'key.name',  or 'KEY_NAME',  or 'key-name'", "[-._a-zA-Z0-9]+"));
  }
  refuse_dots(key, out);
  return out;
}

ValidationMessages env_name(std::string_view name) {
  if (name.empty()) return {"environment variable name must be non-empty"};
  if (!std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '='; })) {
    return {"a valid environment variable name must consist only of printable ASCII characters other than '='"};
  }
  return {};
}

ValidationMessages port_name(std::string_view name) {
  ValidationMessages out;
  if (name.size() > 15) out.emplace_back("must be no more than 15 characters");
  if (name.empty() || !std::ranges::all_of(name, [](char c) { return is_lower_alnum(c) || c == '-'; })) {
    out.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!std::ranges::any_of(name, is_lower)) out.emplace_back("must contain at least one letter (a-z)");
  if (name.find("--") != std::string_view::npos) out.emplace_back("must not contain consecutive hyphens");
  if (name.starts_with('-') || name.ends_with('-')) out.emplace_back("must not begin or end with a hyphen");
  return out;
}

ValidationMessages port_number(int64_t port) {
  if (port >= 1 && port <= 65535) return {};
  return {"must be between 1 and 65535, inclusive"};
}

bool is_c_identifier(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_alnum(c) || c == '_'; });
}

bool is_percent(std::string_view text) {
  return text.size() > 1 && text.back() == '%' && std::ranges::all_of(text.substr(0, text.size() - 1), is_digit);
}

ValidationMessages object_name(NameRule rule, std::string_view name, bool prefix) {
  std::string masked;
  if (prefix && name.size() > 1 && name.back() == '-' && rule != NameRule::PathSegment) {
    // What follows a generateName's dash makes it whole.
    masked = std::string(name.substr(0, name.size() - 1)) + 'a';
    name = masked;
  }
  switch (rule) {
    case NameRule::Subdomain:
      return dns1123_subdomain(name);
    case NameRule::Label:
      return dns1123_label(name);
    case NameRule::ServiceName:
      return dns1035_label(name);
    case NameRule::PathSegment:
      return path_segment(name);
  }
  return {};
}

std::string generate_name(std::string_view base, Rng& rng) {
  // Without vowels and look-alikes, so that no words appear.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string name(base.substr(0, kMaxGeneratedBase));
  for (size_t i = 0; i < kRandomNameBytes; ++i) name += kAlphabet[rng.below(kAlphabet.size())];
  return name;
}

}  // namespace basalt::api

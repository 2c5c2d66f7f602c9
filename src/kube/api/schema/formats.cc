#include "kube/api/schema/formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/check.h"
#include "kube/api/schema/pattern.h"

namespace basalt::api {
namespace {

bool matches(const std::shared_ptr<const Pattern>& pattern, std::string_view text) { return pattern->matches(text); }

std::shared_ptr<const Pattern> fixed(std::string_view pattern) {
  auto compiled = Pattern::compile(pattern);
  check(compiled.has_value(), "the patterns of formats compile");
  return *compiled;
}

bool is_address(std::string_view text, int family) {
  if (text.size() >= INET6_ADDRSTRLEN) return false;
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

bool is_ipv4(std::string_view text) { return is_address(text, AF_INET); }
bool is_ipv6(std::string_view text) { return is_address(text, AF_INET6); }

bool is_cidr(std::string_view text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const std::string_view digits = text.substr(slash + 1);
  int bits = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.starts_with('-')) return false;
  return (is_ipv4(address) && bits <= 32) || (is_ipv6(address) && bits <= 128);
}

bool is_date_time(std::string_view text) {
  static const auto kForm = fixed(R"((?i)^[0-9]{4}-[0-9]{2}-[0-9]{2}t([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])"
                                  R"((.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})$)");
  return matches(kForm, text) && has_format("date", text.substr(0, 10));
}

bool is_date(std::string_view text) {
  static const auto kForm = fixed("^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$");
  if (!matches(kForm, text)) return false;
  const auto number = [&](size_t at, size_t size) {
    int value = 0;
    std::from_chars(text.data() + at, text.data() + at + size, value);
    return value;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const bool short_month = month == 4 || month == 6 || month == 9 || month == 11;
  return day <= (month == 2 ? (leap ? 29 : 28) : (short_month ? 30 : 31));
}

bool is_byte(std::string_view text) {
  static const auto kForm = fixed(R"(^(?:[A-Za-z0-9+/]{4}\s*)*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\s*$)");
  return matches(kForm, text);
}

bool is_duration(std::string_view text) {
  static const auto kGo = fixed(R"(^[-+]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$)");
  static const auto kWords =
      fixed(R"((?i)\d+\s*(ns|nano[a-zµ]*|us|µs|micro[a-zµ]*|ms|milli[a-zµ]*|s|sec[a-zµ]*|m|min[a-zµ]*|)"
            R"(h|hr|hour[a-zµ]*|d|day[a-zµ]*|w|wk|week[a-zµ]*)([^A-Za-zµ]|$))");
  return matches(kGo, text) || matches(kWords, text);
}

// Letters beyond ASCII are taken as they come. By hand: as a pattern this takes megabytes and a quarter of a second.
bool is_host_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
bool is_host_character(char c) {
  return is_host_letter(c) || (c >= '0' && c <= '9') || c == '$' || c == '+' || c == '~';
}

// One name, with at most one dash after its first character; or several names, the last of letters only.
bool is_hostname(std::string_view text) {
  constexpr size_t kMaxName = 63;
  if (text.empty() || text.size() > 255) return false;
  const size_t last_dot = text.rfind('.');
  if (last_dot == std::string_view::npos) {
    const std::string_view rest = text.substr(text.substr(1).starts_with('-') ? 2 : 1);
    return text.size() <= kMaxName && is_host_character(text[0]) && std::ranges::all_of(rest, is_host_character);
  }
  const std::string_view top = text.substr(last_dot + 1);
  if (top.size() < 2 || top.size() > kMaxName || !std::ranges::all_of(top, is_host_letter)) return false;
  std::string_view names = text.substr(0, last_dot);
  while (true) {
    const std::string_view name = names.substr(0, std::min(names.find('.'), names.size()));
    const auto inner = [](char c) { return is_host_character(c) || c == '-'; };
    if (name.empty() || name.size() > kMaxName || !is_host_character(name.front()) || !is_host_character(name.back()) ||
        !std::ranges::all_of(name, inner)) {
      return false;
    }
    if (name.size() == names.size()) return true;
    names.remove_prefix(name.size() + 1);
  }
}

bool is_email(std::string_view text) {
  static const auto kForm = fixed(R"(^[^\s@<>"(),:;\[\]\\]+@[^\s@<>"(),:;\\]+$)");
  static const auto kNamed = fixed(R"(^[^<>@]*<[^\s@<>"(),:;\[\]\\]+@[^\s@<>"(),:;\\]+>$)");
  return matches(kForm, text) || matches(kNamed, text);
}

bool is_uri(std::string_view text) {
  static const auto kForm = fixed(R"(^(/|[A-Za-z][A-Za-z0-9+.\-]*:)[^\s\x00-\x1f\x7f]*$)");
  return matches(kForm, text);
}

bool is_mac(std::string_view text) {
  static const auto kPairs = fixed("^[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2})*$");  // of 6, 8 or 20 bytes
  static const auto kFours = fixed(R"(^[0-9A-Fa-f]{4}(\.[0-9A-Fa-f]{4})*$)");
  if (matches(kPairs, text)) return text.size() == 17 || text.size() == 23 || text.size() == 59;
  return matches(kFours, text) && (text.size() == 14 || text.size() == 19 || text.size() == 49);
}

// Formats that one pattern decides.
bool is_uuid(std::string_view text) {
  static const auto kForm = fixed("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  return matches(kForm, text);
}
bool is_uuid3(std::string_view text) {
  static const auto kForm = fixed("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  return matches(kForm, text);
}
bool is_uuid4(std::string_view text) {
  static const auto kForm = fixed("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
  return matches(kForm, text);
}
bool is_uuid5(std::string_view text) {
  static const auto kForm = fixed("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
  return matches(kForm, text);
}
bool is_hex_color(std::string_view text) {
  static const auto kForm = fixed("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$");
  return matches(kForm, text);
}
bool is_ssn(std::string_view text) {
  static const auto kForm = fixed(R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)");
  return matches(kForm, text);
}
bool is_bson_id(std::string_view text) {
  static const auto kForm = fixed("^[0-9a-fA-F]{24}$");
  return matches(kForm, text);
}
bool is_short_name(std::string_view text) {
  static const auto kForm = fixed("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
  return text.size() <= 63 && matches(kForm, text);
}
bool is_long_name(std::string_view text) {
  static const auto kForm = fixed(R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)");
  return text.size() <= 253 && matches(kForm, text);
}
bool is_anything(std::string_view) { return true; }

struct Format {
  std::string_view name;  // without dashes
  bool (*has)(std::string_view text);
};

constexpr std::array<Format, 21> kFormats = {{
    {.name = "bsonobjectid", .has = is_bson_id},
    {.name = "byte", .has = is_byte},
    {.name = "cidr", .has = is_cidr},
    {.name = "date", .has = is_date},
    {.name = "datetime", .has = is_date_time},
    {.name = "duration", .has = is_duration},
    {.name = "email", .has = is_email},
    {.name = "hexcolor", .has = is_hex_color},
    {.name = "hostname", .has = is_hostname},
    {.name = "ipv4", .has = is_ipv4},
    {.name = "ipv6", .has = is_ipv6},
    {.name = "k8slongname", .has = is_long_name},
    {.name = "k8sshortname", .has = is_short_name},
    {.name = "mac", .has = is_mac},
    {.name = "password", .has = is_anything},
    {.name = "ssn", .has = is_ssn},
    {.name = "uri", .has = is_uri},
    {.name = "uuid", .has = is_uuid},
    {.name = "uuid3", .has = is_uuid3},
    {.name = "uuid4", .has = is_uuid4},
    {.name = "uuid5", .has = is_uuid5},
}};

// Equal but for the dashes in `given`.
bool same_name(std::string_view name, std::string_view given) {
  for (const char c : given) {
    if (c == '-') continue;
    if (name.empty() || name[0] != c) return false;
    name.remove_prefix(1);
  }
  return name.empty();
}

const Format* find_format(std::string_view given) {
  const auto found =
      std::ranges::find_if(kFormats, [&](const Format& format) { return same_name(format.name, given); });
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace

bool is_known_format(std::string_view format) { return find_format(format) != nullptr; }

bool has_format(std::string_view format, std::string_view text) {
  const Format* known = find_format(format);
  return known == nullptr || known->has(text);
}

}  // namespace basalt::api

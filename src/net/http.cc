#include "net/http.h"

#include <algorithm>

namespace basalt::net {
namespace {

// ASCII only, whatever the locale: header names are tokens.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string_view Headers::get(std::string_view name) const {
  for (const auto& [key, value] : list) {
    if (same_name(key, name)) return value;
  }
  return {};
}

}  // namespace basalt::net

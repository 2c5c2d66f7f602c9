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

size_t Headers::count(std::string_view name) const {
  return static_cast<size_t>(std::ranges::count_if(list, [&](const auto& one) { return same_name(one.first, name); }));
}

}  // namespace basalt::net

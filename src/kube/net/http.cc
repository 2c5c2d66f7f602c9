#include "kube/net/http.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace basalt::net {
namespace {

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

HttpResponse plain_text(unsigned status, std::string body) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = std::move(body), .headers = {}};
}

}  // namespace basalt::net

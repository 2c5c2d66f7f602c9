#include "tests/kube/protobuf/variants.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace basalt::tests {
namespace {

constexpr double kLeftOut = 0.03;
constexpr std::array<std::string_view, 5> kStay = {"apiVersion", "kind", "metadata", "name", "namespace"};

bool is_empty(const text::Value& value) {
  return (value.is_object() && value.get_object().empty()) || (value.is_array() && value.get_array().empty());
}

// What becomes empty is left out: of an empty map and none at all the binary form says the same.
text::Value thinned(const text::Value& value, Rng& rng, size_t depth) {
  if (value.is_object()) {
    text::Object kept;
    for (const auto& member : value.get_object()) {
      const bool stays = depth < 2 && std::ranges::find(kStay, std::string_view(member.key())) != kStay.end();
      if (!stays && rng.chance(kLeftOut)) continue;
      text::Value rest = thinned(member.value(), rng, depth + 1);
      if (is_empty(rest) && !is_empty(member.value())) continue;
      kept[member.key()] = std::move(rest);
    }
    return kept;
  }
  if (value.is_array()) {
    text::Array kept;
    for (const text::Value& element : value.get_array()) {
      if (!rng.chance(kLeftOut)) kept.push_back(thinned(element, rng, depth + 1));
    }
    return kept;
  }
  return value;
}

}  // namespace

text::Value variant_of(const text::Value& object, Rng& rng) { return thinned(object, rng, 0); }

}  // namespace basalt::tests

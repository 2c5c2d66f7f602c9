// Random choices from containers. Requires: not empty.
#pragma once

#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/rng.h"

namespace basalt::property {

template <class T>
const T& pick(Rng& rng, const std::vector<T>& from) {
  return from[rng.below(from.size())];
}

template <class Value>
const std::string& pick_key(Rng& rng, const std::map<std::string, Value>& from) {
  return std::next(from.begin(), static_cast<std::ptrdiff_t>(rng.below(from.size())))->first;
}

// Fisher and Yates.
template <class T>
void shuffle(Rng& rng, std::vector<T>& items) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[rng.below(i)]);
}

}  // namespace basalt::property

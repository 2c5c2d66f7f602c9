// How much filling in may add to an object. What is filled in is written by the schema, how often by the object: a list
// of a million `{}` is 3 MB of text, and each element may get a kilobyte of defaults.
#pragma once

#include <cstddef>

#include "kube/text/json.h"

namespace basalt::api {

// Twice the size at which an object is refused anyway (server/rest/commit.h), counted roughly as JSON text.
inline constexpr size_t kMaxFilledBytes = size_t{3} * 1024 * 1024;

class FillBudget {
 public:
  // False: more than kMaxFilledBytes were added in all.
  [[nodiscard]] bool add(size_t bytes) {
    bytes_ += bytes;
    return bytes_ <= kMaxFilledBytes;
  }

 private:
  size_t bytes_ = 0;
};

// About as long as its JSON text. Cost: O(value).
[[nodiscard]] size_t rough_size(const text::Value& value);

}  // namespace basalt::api

// The labels of an object in one piece of text: a tenth of a JSON value's memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/text/json.h"

namespace basalt::kubernetes {

class FlatLabels {
 public:
  FlatLabels() = default;
  explicit FlatLabels(const text::Object& labels);

  // Cost: O(text).
  [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const;

  friend auto operator<=>(const FlatLabels&, const FlatLabels&) = default;

 private:
  std::string text_;  // key NUL value NUL …: neither can hold a NUL in an object that a server accepted
};

}  // namespace basalt::kubernetes

#include "control/kubernetes/flat_labels.h"

namespace basalt::kubernetes {

FlatLabels::FlatLabels(api::StringMapView labels) {
  size_t size = 0;
  for (const auto [key, value] : labels) size += key.size() + value.size() + 2;
  text_.reserve(size);
  for (const auto [key, value] : labels) {
    text_.append(key).push_back('\0');
    text_.append(value).push_back('\0');
  }
}

std::optional<std::string_view> FlatLabels::find(std::string_view key) const {
  std::string_view rest = text_;
  while (!rest.empty()) {
    const size_t key_end = rest.find('\0');
    const size_t value_end = rest.find('\0', key_end + 1);
    if (value_end == std::string_view::npos) break;
    if (rest.substr(0, key_end) == key) return rest.substr(key_end + 1, value_end - key_end - 1);
    rest.remove_prefix(value_end + 1);
  }
  return std::nullopt;
}

}  // namespace basalt::kubernetes

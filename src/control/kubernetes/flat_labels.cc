#include "control/kubernetes/flat_labels.h"

#include "kube/api/rules/member_access.h"

namespace basalt::kubernetes {

FlatLabels::FlatLabels(const text::Object& labels) {
  size_t size = 0;
  for (const auto& label : labels) size += label.key().size() + api::rules::view_of(label.value()).size() + 2;
  text_.reserve(size);
  for (const auto& label : labels) {
    text_.append(label.key()).push_back('\0');
    text_.append(api::rules::view_of(label.value())).push_back('\0');
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

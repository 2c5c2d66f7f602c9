#include "engine/model/labels.h"

#include <algorithm>
#include <charconv>

namespace basalt::model {

void normalize(LabelSet& labels) {
  std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.key < b.key; });
  LabelSet unique;
  for (const Label& label : labels) {
    if (!unique.empty() && unique.back().key == label.key) {
      unique.back() = label;
    } else {
      unique.push_back(label);
    }
  }
  labels = std::move(unique);
}

NameId find_label(LabelSpan labels, NameId key) {
  auto at = std::lower_bound(labels.begin(), labels.end(), key, [](const Label& l, NameId k) { return l.key < k; });
  return at != labels.end() && at->key == key ? at->value : NameId();
}

namespace {

bool compare_integer(const Requirement& requirement, std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  return requirement.op == SelectorOp::Gt ? number > requirement.bound : number < requirement.bound;
}

}  // namespace

bool matches(const Requirement& requirement, LabelSpan labels, const StringPool& names) {
  const NameId value = find_label(labels, requirement.key);
  const auto listed = [&] { return std::binary_search(requirement.values.begin(), requirement.values.end(), value); };
  switch (requirement.op) {
    case SelectorOp::In:
      return value.valid() && listed();
    case SelectorOp::NotIn:
      return !value.valid() || !listed();
    case SelectorOp::Exists:
      return value.valid();
    case SelectorOp::DoesNotExist:
      return !value.valid();
    case SelectorOp::Gt:
    case SelectorOp::Lt:
      return value.valid() && !requirement.malformed && compare_integer(requirement, names.text(value));
  }
  return false;
}

bool matches(const Selector& selector, LabelSpan labels, const StringPool& names) {
  if (selector.nothing) return false;
  return std::all_of(selector.requirements.begin(), selector.requirements.end(),
                     [&](const Requirement& r) { return matches(r, labels, names); });
}

}  // namespace basalt::model

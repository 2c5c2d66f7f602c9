// Labels and what selects them, compiled to interned names.
//
// A LabelSet is sorted by key id and has each key once. A Selector is a conjunction of requirements; an empty one
// matches everything, `nothing` (an absent selector) matches nothing. Gt and Lt compare integers, as node affinity
// does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/model/ids.h"

namespace basalt::model {

struct Label {
  NameId key;
  NameId value;
  friend auto operator<=>(const Label&, const Label&) = default;
};
using LabelSet = std::vector<Label>;
using LabelSpan = std::span<const Label>;

// Sorts by key and keeps the last of equal keys.
void normalize(LabelSet& labels);
// The value under `key`, or NameId() if the key is absent. Cost: log of the set.
NameId find_label(LabelSpan labels, NameId key);

enum class SelectorOp : uint8_t { In, NotIn, Exists, DoesNotExist, Gt, Lt };

struct Requirement {
  NameId key;
  SelectorOp op = SelectorOp::Exists;
  std::vector<NameId> values;  // sorted
  int64_t bound = 0;           // for Gt and Lt
  bool malformed = false;      // Gt/Lt with a bound that is no integer: matches nothing
  friend auto operator<=>(const Requirement&, const Requirement&) = default;
};

struct Selector {
  bool nothing = false;
  std::vector<Requirement> requirements;
  friend auto operator<=>(const Selector&, const Selector&) = default;
};

bool matches(const Requirement& requirement, LabelSpan labels, const StringPool& names);
bool matches(const Selector& selector, LabelSpan labels, const StringPool& names);

}  // namespace basalt::model

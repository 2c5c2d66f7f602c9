// Selectors as written in objects. engine/model compiles and matches them.
#pragma once

#include <string>
#include <vector>

#include "kube/api/typed_decode.h"

namespace basalt::api {

// One `key operator values` line of a label selector (In, NotIn, Exists, DoesNotExist) or of a node selector (also
// Gt, Lt).
struct SelectorRequirement {
  std::string key, op;
  std::vector<std::string> values;
};

// All parts must match; an empty selector matches everything. "No selector" is an empty optional around it, and what
// that means differs by field.
struct LabelSelector {
  StringMap match_labels;
  std::vector<SelectorRequirement> match_expressions;

  [[nodiscard]] bool empty() const { return match_labels.empty() && match_expressions.empty(); }
};

// All parts of a term must match; a term without parts matches nothing.
struct NodeSelectorTerm {
  std::vector<SelectorRequirement> match_expressions;  // on labels
  std::vector<SelectorRequirement> match_fields;       // on metadata.name
};

// One of the terms must match.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;
};

[[nodiscard]] Result<void> read(const text::Field& at, SelectorRequirement& out);
[[nodiscard]] Result<void> read(const text::Field& at, LabelSelector& out);
[[nodiscard]] Result<void> read(const text::Field& at, NodeSelectorTerm& out);
[[nodiscard]] Result<void> read(const text::Field& at, NodeSelector& out);

}  // namespace basalt::api

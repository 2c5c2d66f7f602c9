#include "kube/api/selector.h"

namespace basalt::api {

Result<void> read(const text::Field& at, SelectorRequirement& out) {
  return read_fields(at, "key", out.key, "operator", out.op, "values", out.values);
}

Result<void> read(const text::Field& at, LabelSelector& out) {
  return read_fields(at, "matchLabels", out.match_labels, "matchExpressions", out.match_expressions);
}

Result<void> read(const text::Field& at, NodeSelectorTerm& out) {
  return read_fields(at, "matchExpressions", out.match_expressions, "matchFields", out.match_fields);
}

Result<void> read(const text::Field& at, NodeSelector& out) { return read_fields(at, "nodeSelectorTerms", out.terms); }

}  // namespace basalt::api

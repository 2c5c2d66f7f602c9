// Selectors, tolerations and taints as written in objects → compiled to interned names.
//
// An unknown operator or effect is an error that names the place below the selector, e.g.
// "matchExpressions[1].operator".
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "engine/model/pod_shape.h"
#include "kube/api/affinity.h"
#include "kube/api/node_types.h"
#include "kube/api/selector.h"

namespace basalt::state {

[[nodiscard]] model::LabelSet compile_labels(const api::StringMap& labels, StringPool& names);

// A selector that is not given matches nothing; one that is given but empty matches everything.
[[nodiscard]] Result<model::Selector> compile_selector(const std::optional<api::LabelSelector>& selector,
                                                       StringPool& names);
// One term of node affinity. Gt and Lt with a bound that is no integer compile to a requirement that never holds.
[[nodiscard]] Result<model::NodeTerm> compile_node_term(const api::NodeSelectorTerm& term, StringPool& names);
[[nodiscard]] bool is_empty(const api::NodeSelectorTerm& term);

[[nodiscard]] Result<model::TaintEffect> compile_effect(std::string_view effect);
[[nodiscard]] Result<model::Toleration> compile_toleration(const api::Toleration& toleration, StringPool& names);
[[nodiscard]] Result<model::Taint> compile_taint(const api::Taint& taint, StringPool& names);

}  // namespace basalt::state

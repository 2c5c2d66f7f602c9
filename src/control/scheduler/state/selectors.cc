#include "control/scheduler/state/selectors.h"

#include <algorithm>
#include <string>

#include "kube/text/document_path.h"
#include "kube/text/scalar.h"

namespace basalt::state {

namespace {

Result<model::Requirement> compile_requirement(const api::SelectorRequirement& written, bool on_nodes,
                                               StringPool& names) {
  using model::SelectorOp;
  model::Requirement out;
  out.key = names.intern(written.key);
  for (const std::string& value : written.values) out.values.push_back(names.intern(value));
  std::sort(out.values.begin(), out.values.end());
  if (written.op == "In") {
    out.op = SelectorOp::In;
  } else if (written.op == "NotIn") {
    out.op = SelectorOp::NotIn;
  } else if (written.op == "Exists") {
    out.op = SelectorOp::Exists;
  } else if (written.op == "DoesNotExist") {
    out.op = SelectorOp::DoesNotExist;
  } else if (on_nodes && (written.op == "Gt" || written.op == "Lt")) {
    out.op = written.op == "Gt" ? SelectorOp::Gt : SelectorOp::Lt;
    const auto bound = written.values.size() == 1 ? text::parse_int(written.values[0]) : invalid("");
    out.malformed = !bound;
    out.bound = bound.value_or(0);
  } else {
    return invalid("operator: unknown operator " + text::in_quotes(written.op) +
                   "; write In, NotIn, Exists or DoesNotExist" + (on_nodes ? ", Gt or Lt" : ""));
  }
  return out;
}

Result<void> compile_all(const std::vector<api::SelectorRequirement>& written, std::string_view place, bool on_nodes,
                         StringPool& names, std::vector<model::Requirement>& out) {
  for (size_t i = 0; i < written.size(); ++i) {
    auto requirement = compile_requirement(written[i], on_nodes, names);
    if (!requirement) return std::unexpected(requirement.error().within(text::element_path(place, i)));
    out.push_back(std::move(*requirement));
  }
  return {};
}

}  // namespace

model::LabelSet compile_labels(const api::StringMap& labels, StringPool& names) {
  model::LabelSet out;
  for (const auto& [key, value] : labels) out.push_back({.key = names.intern(key), .value = names.intern(value)});
  model::normalize(out);
  return out;
}

Result<model::Selector> compile_selector(const std::optional<api::LabelSelector>& selector, StringPool& names) {
  model::Selector out;
  if (!selector) {
    out.nothing = true;
    return out;
  }
  for (const auto& [key, value] : selector->match_labels) {
    out.requirements.push_back(
        {.key = names.intern(key), .op = model::SelectorOp::In, .values = {names.intern(value)}});
  }
  if (auto ok =
          compile_all(selector->match_expressions, "matchExpressions", /*on_nodes=*/false, names, out.requirements);
      !ok) {
    return std::unexpected(ok.error());
  }
  return out;
}

bool is_empty(const api::NodeSelectorTerm& term) { return term.match_expressions.empty() && term.match_fields.empty(); }

Result<model::NodeTerm> compile_node_term(const api::NodeSelectorTerm& term, StringPool& names) {
  model::NodeTerm out;
  for (auto [written, place, compiled] : {std::tuple{&term.match_expressions, "matchExpressions", &out.labels},
                                          std::tuple{&term.match_fields, "matchFields", &out.fields}}) {
    if (auto ok = compile_all(*written, place, /*on_nodes=*/true, names, *compiled); !ok) {
      return std::unexpected(ok.error());
    }
  }
  for (size_t i = 0; i < term.match_fields.size(); ++i) {
    if (term.match_fields[i].key != "metadata.name") {
      return invalid(text::element_path("matchFields", i) + ".key: unknown field " +
                     text::in_quotes(term.match_fields[i].key) + "; only metadata.name can be matched");
    }
  }
  return out;
}

Result<model::TaintEffect> compile_effect(std::string_view effect) {
  if (effect == "NoSchedule") return model::TaintEffect::NoSchedule;
  if (effect == "PreferNoSchedule") return model::TaintEffect::PreferNoSchedule;
  if (effect == "NoExecute") return model::TaintEffect::NoExecute;
  return invalid("effect: unknown effect " + text::in_quotes(effect) +
                 "; write NoSchedule, PreferNoSchedule or NoExecute");
}

Result<model::Toleration> compile_toleration(const api::Toleration& toleration, StringPool& names) {
  if (!toleration.op.empty() && toleration.op != "Equal" && toleration.op != "Exists") {
    return invalid("operator: unknown operator " + text::in_quotes(toleration.op) + "; write Equal or Exists");
  }
  model::Toleration out{.key = names.intern(toleration.key),
                        .exists = toleration.op == "Exists",
                        .value = names.intern(toleration.value),
                        .effect = model::TaintEffect::Any};
  if (!toleration.effect.empty()) {
    const auto effect = compile_effect(toleration.effect);
    if (!effect) return std::unexpected(effect.error());
    out.effect = *effect;
  }
  return out;
}

Result<model::Taint> compile_taint(const api::Taint& taint, StringPool& names) {
  const auto effect = compile_effect(taint.effect);
  if (!effect) return std::unexpected(effect.error());
  return model::Taint{.key = names.intern(taint.key), .value = names.intern(taint.value), .effect = *effect};
}

}  // namespace basalt::state

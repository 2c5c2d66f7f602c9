#include "lab/scenario/placement_syntax.h"

#include <string>
#include <utility>

#include "base/ascii.h"
#include "kube/text/document_path.h"
#include "kube/text/scalar.h"
#include "lab/scenario/line_fields.h"

namespace basalt::lab::scenario {

namespace {

using text::in_quotes;

constexpr std::string_view kHostName = "kubernetes.io/hostname";

std::unexpected<Error> no_requirement(std::string_view text) {
  return invalid(in_quotes(text) + " is no requirement; write key=value, key!=value, key in (a,b), key, !key or key>4");
}

Result<api::SelectorRequirement> set_requirement(std::string_view text, size_t open) {
  if (!text.ends_with(')')) return no_requirement(text);
  std::string_view head = trimmed(text.substr(0, open));
  const size_t blank = head.find_last_of(" \t");
  if (blank == std::string_view::npos) return no_requirement(text);
  const std::string_view word = head.substr(blank + 1);
  if (word != "in" && word != "notin") return no_requirement(text);
  return api::SelectorRequirement{.key = std::string(trimmed(head.substr(0, blank))),
                                  .op = word == "in" ? "In" : "NotIn",
                                  .values = split_list(text.substr(open + 1, text.size() - open - 2), ',')};
}

Result<api::SelectorRequirement> requirement(std::string_view text) {
  if (text.starts_with('!')) {
    return api::SelectorRequirement{.key = std::string(trimmed(text.substr(1))), .op = "DoesNotExist", .values = {}};
  }
  if (const size_t open = text.find('('); open != std::string_view::npos) return set_requirement(text, open);
  struct Form {
    std::string_view sign, op;
  };
  for (const Form& form : {Form{"!=", "NotIn"}, Form{"==", "In"}, Form{"=", "In"}, Form{">", "Gt"}, Form{"<", "Lt"}}) {
    const size_t at = text.find(form.sign);
    if (at == std::string_view::npos) continue;
    if (at == 0) return no_requirement(text);
    return api::SelectorRequirement{.key = std::string(trimmed(text.substr(0, at))),
                                    .op = std::string(form.op),
                                    .values = {std::string(trimmed(text.substr(at + form.sign.size())))}};
  }
  if (text.empty() || text.find_first_of(" \t") != std::string_view::npos) return no_requirement(text);
  return api::SelectorRequirement{.key = std::string(text), .op = "Exists", .values = {}};
}

Result<std::vector<api::SelectorRequirement>> requirements(std::string_view text) {
  std::vector<api::SelectorRequirement> list;
  for (const std::string& piece : split_list(text, ',')) {
    auto one = requirement(piece);
    if (!one) return std::unexpected(one.error());
    list.push_back(std::move(*one));
  }
  return list;
}

Result<api::NodeSelectorTerm> node_term(std::string_view text) {
  auto list = requirements(text);
  if (!list) return std::unexpected(list.error());
  api::NodeSelectorTerm term;
  for (api::SelectorRequirement& one : *list) {
    (one.key == "metadata.name" ? term.match_fields : term.match_expressions).push_back(std::move(one));
  }
  return term;
}

// Takes "10:" off the front of `text`.
Result<int32_t> take_weight(std::string_view& text) {
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const auto weight = text::parse_int32(trimmed(text.substr(0, colon)));
    if (weight && *weight >= 1 && *weight <= 100) {
      text.remove_prefix(colon + 1);
      return *weight;
    }
  }
  return invalid(in_quotes(text) + " has no weight; write WEIGHT:rule with a weight from 1 to 100");
}

// Requirements before the last '@', the rest behind it.
Result<std::pair<api::LabelSelector, std::string>> selector_at(std::string_view text) {
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos || at + 1 == text.size()) {
    return invalid(in_quotes(text) + " names no domain; write requirements@label-key, for example app=web@zone");
  }
  auto selector = parse_selector(text.substr(0, at));
  if (!selector) return std::unexpected(selector.error());
  return std::pair(std::move(*selector), std::string(trimmed(text.substr(at + 1))));
}

std::string domain_key(const std::string& key) { return key == "node" ? std::string(kHostName) : key; }

Result<api::PodAffinityTerm> pod_term(std::string_view text) {
  auto parts = selector_at(text);
  if (!parts) return std::unexpected(parts.error());
  api::PodAffinityTerm term;
  term.label_selector = std::move(parts->first);
  term.topology_key = domain_key(parts->second);
  return term;
}

Result<api::TopologySpreadConstraint> spread_constraint(std::string_view text) {
  auto parts = selector_at(text);
  if (!parts) return std::unexpected(parts.error());
  const std::vector<std::string> pieces = split_list(parts->second, ':');
  api::TopologySpreadConstraint constraint{.max_skew = 1};
  constraint.topology_key = domain_key(pieces.front());
  constraint.label_selector = std::move(parts->first);
  for (size_t i = 1; i < pieces.size(); ++i) {
    const auto number = text::parse_int32(pieces[i]);
    if (!number || *number < 1 || i > 2) {
      return invalid(in_quotes(text) +
                     " is no spread rule; write requirements@key:SKEW or requirements@key:SKEW:MINDOMAINS");
    }
    if (i == 1) {
      constraint.max_skew = *number;
    } else {
      constraint.min_domains = *number;
    }
  }
  return constraint;
}

Result<api::Taint> taint(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return invalid(in_quotes(text) + " is no taint; write key=value:NoSchedule or key:NoSchedule");
  }
  const std::string_view name = text.substr(0, colon);
  const size_t equals = std::min(name.find('='), name.size());
  api::Taint out;
  out.key = name.substr(0, equals);
  if (equals < name.size()) out.value = name.substr(equals + 1);
  out.effect = text.substr(colon + 1);
  if (out.effect != "NoSchedule" && out.effect != "PreferNoSchedule" && out.effect != "NoExecute") {
    return invalid(in_quotes(out.effect) + " is no effect; write NoSchedule, PreferNoSchedule or NoExecute");
  }
  return out;
}

Result<api::Toleration> toleration(std::string_view text) {
  api::Toleration out;
  if (text == "*") {
    out.op = "Exists";
    return out;
  }
  const size_t colon = std::min(text.rfind(':'), text.size());
  if (colon < text.size()) out.effect = text.substr(colon + 1);
  const std::string_view name = text.substr(0, colon);
  const size_t equals = std::min(name.find('='), name.size());
  out.key = name.substr(0, equals);
  if (out.key.empty())
    return invalid(in_quotes(text) + " is no toleration; write key=value:Effect, key:Effect, key or *");
  out.op = equals < name.size() ? "Equal" : "Exists";
  if (equals < name.size()) out.value = name.substr(equals + 1);
  return out;
}

Result<api::ContainerPort> port(std::string_view text) {
  const size_t slash = std::min(text.find('/'), text.size());
  const auto number = text::parse_int32(text.substr(0, slash));
  if (!number || *number < 1 || *number > 65535) {
    return invalid(in_quotes(text) + " is no port; write for example 8080 or 53/UDP");
  }
  api::ContainerPort out{.container_port = *number, .host_port = *number};
  if (slash < text.size()) out.protocol = text.substr(slash + 1);
  return out;
}

template <class T>
Result<std::vector<T>> each(const std::vector<std::string>& pieces, Result<T> (*parse)(std::string_view)) {
  std::vector<T> list;
  for (const std::string& piece : pieces) {
    auto one = parse(piece);
    if (!one) return std::unexpected(one.error());
    list.push_back(std::move(*one));
  }
  return list;
}

Result<api::PreferredNodes> preferred_nodes(std::string_view text) {
  const auto weight = take_weight(text);
  if (!weight) return std::unexpected(weight.error());
  auto term = node_term(text);
  if (!term) return std::unexpected(term.error());
  return api::PreferredNodes{.weight = *weight, .preference = std::move(*term)};
}

Result<api::PreferredPods> preferred_pods(std::string_view text) {
  const auto weight = take_weight(text);
  if (!weight) return std::unexpected(weight.error());
  auto term = pod_term(text);
  if (!term) return std::unexpected(term.error());
  return api::PreferredPods{.weight = *weight, .term = std::move(*term)};
}

}  // namespace

Result<api::LabelSelector> parse_selector(std::string_view text) {
  auto list = requirements(text);
  if (!list) return std::unexpected(list.error());
  api::LabelSelector selector;
  selector.match_expressions = std::move(*list);
  return selector;
}

Result<std::vector<api::NodeSelectorTerm>> parse_node_terms(std::string_view text) {
  std::vector<std::string> pieces;
  for (size_t at = 0; at <= text.size();) {
    const size_t bar = std::min(text.find("||", at), text.size());
    pieces.emplace_back(trimmed(text.substr(at, bar - at)));
    at = bar + 2;
  }
  return each(pieces, node_term);
}

Result<std::vector<api::PreferredNodes>> parse_preferred_nodes(std::string_view text) {
  return each(split_list(text, ';'), preferred_nodes);
}
Result<std::vector<api::PodAffinityTerm>> parse_pod_terms(std::string_view text) {
  return each(split_list(text, ';'), pod_term);
}
Result<std::vector<api::PreferredPods>> parse_preferred_pods(std::string_view text) {
  return each(split_list(text, ';'), preferred_pods);
}
Result<std::vector<api::TopologySpreadConstraint>> parse_spread(std::string_view text) {
  return each(split_list(text, ';'), spread_constraint);
}
Result<std::vector<api::Taint>> parse_taints(std::string_view text) { return each(split_list(text, ','), taint); }
Result<std::vector<api::Toleration>> parse_tolerations(std::string_view text) {
  return each(split_list(text, ','), toleration);
}
Result<std::vector<api::ContainerPort>> parse_ports(std::string_view text) { return each(split_list(text, ','), port); }

}  // namespace basalt::lab::scenario

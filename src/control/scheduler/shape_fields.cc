// The shape of a pod as text: only what was given shows, so that most shapes are a request and nothing more.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "control/scheduler/state_fields.h"

namespace basalt::scheduler {
namespace {

void join_sorted(std::string& out, std::vector<std::string> parts, std::string_view between) {
  std::sort(parts.begin(), parts.end());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += between;
    out += parts[i];
  }
}

std::string_view sign_of(model::SelectorOp op) {
  switch (op) {
    case model::SelectorOp::In:
      return "in";
    case model::SelectorOp::NotIn:
      return "notin";
    case model::SelectorOp::Exists:
      return "exists";
    case model::SelectorOp::DoesNotExist:
      return "missing";
    case model::SelectorOp::Gt:
      return "gt";
    case model::SelectorOp::Lt:
      break;
  }
  return "lt";
}

}  // namespace

std::string StateFields::requirement(const model::Requirement& requirement) const {
  std::string out = fmt::format("{} {}", name(requirement.key), sign_of(requirement.op));
  const bool compares = requirement.op == model::SelectorOp::Gt || requirement.op == model::SelectorOp::Lt;
  if (compares) fmt::format_to(std::back_inserter(out), " {}{}", requirement.bound, requirement.malformed ? "?" : "");
  if (requirement.values.empty()) return out;
  Texts values;
  for (const NameId value : requirement.values) values.emplace_back(name(value));
  out += " (";
  join_sorted(out, std::move(values), ",");
  return out + ")";
}

std::string StateFields::requirements(const std::vector<model::Requirement>& list) const {
  Texts texts;
  for (const model::Requirement& one : list) texts.push_back(requirement(one));
  std::string out;
  join_sorted(out, std::move(texts), " & ");
  return out;
}

std::string StateFields::selector(const model::Selector& selector) const {
  return selector.nothing ? "nothing" : "{" + requirements(selector.requirements) + "}";
}

std::string StateFields::pod_terms(const std::vector<model::PodTerm>& terms) const {
  std::string out;
  for (const model::PodTerm& term : terms) {
    Texts namespaces;
    for (const NameId ns : term.namespaces) namespaces.emplace_back(name(ns));
    fmt::format_to(std::back_inserter(out), "[{} by {} weight {} in ", selector(term.selector), name(term.topology_key),
                   term.weight);
    join_sorted(out, std::move(namespaces), ",");
    if (term.has_namespace_selector) out += " and " + selector(term.namespace_selector);
    out += "]";
  }
  return out;
}

std::string StateFields::shape(const model::PodShape& shape) {
  std::string out = "request";
  const auto to = [&out] { return std::back_inserter(out); };
  const model::ResourceVec request = model::to_vec(shape.request);
  for (const model::ResourceId id : by_name_) {
    if (request[id] != 0) fmt::format_to(to(), " {}={}", state_.schema.name(id), request[id]);
  }
  fmt::format_to(to(), " nonzero {} {}", shape.nonzero_cpu_milli, shape.nonzero_memory);
  if (!shape.node_selector.empty()) {
    Texts labels;
    for (const model::Label& label : shape.node_selector) {
      labels.push_back(fmt::format("{}={}", name(label.key), name(label.value)));
    }
    out += " nodes with ";
    join_sorted(out, std::move(labels), ",");
  }
  const auto node_term = [&](const model::NodeTerm& term) {
    return fmt::format("[{} fields {}]", requirements(term.labels), requirements(term.fields));
  };
  if (shape.has_required_node_terms) out += " required nodes ";
  for (const model::NodeTerm& term : shape.required_node_terms) out += node_term(term);
  for (const auto& [weight, term] : shape.preferred_node_terms) {
    fmt::format_to(to(), " preferred {}{}", weight, node_term(term));
  }
  for (const model::Toleration& toleration : shape.tolerations) {
    fmt::format_to(to(), " tolerates {}{}{}:{}", name(toleration.key), toleration.exists ? "" : "=",
                   name(toleration.value), static_cast<int>(toleration.effect));
  }
  Texts ports;
  for (const model::HostPort& port : shape.host_ports) {
    ports.push_back(fmt::format(" port {}:{}/{}", name(port.ip), port.port, name(port.protocol)));
  }
  join_sorted(out, std::move(ports), "");
  fmt::format_to(to(), " containers {}", shape.containers);
  for (const NameId image : shape.images) fmt::format_to(to(), " image {}", name(image));
  for (const auto& [what, terms] :
       {std::pair("affinity", &shape.required_affinity), std::pair("anti-affinity", &shape.required_anti_affinity),
        std::pair("preferred affinity", &shape.preferred_affinity),
        std::pair("preferred anti-affinity", &shape.preferred_anti_affinity)}) {
    if (!terms->empty()) fmt::format_to(to(), " {} {}", what, pod_terms(*terms));
  }
  for (const model::SpreadConstraint& spread : shape.spread) {
    fmt::format_to(to(), " spread {} {} {} {} {} {} {}", selector(spread.selector), name(spread.topology_key),
                   spread.max_skew, spread.min_domains, spread.hard, spread.honor_node_affinity,
                   spread.honor_node_taints);
  }
  return out;
}

}  // namespace basalt::scheduler

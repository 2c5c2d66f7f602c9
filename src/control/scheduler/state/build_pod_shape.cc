#include "control/scheduler/state/build_pod_shape.h"

#include <algorithm>
#include <string>

#include "control/scheduler/state/amount_conversion.h"
#include "control/scheduler/state/selectors.h"
#include "kube/api/pod_requests.h"
#include "kube/text/document_path.h"

namespace basalt::state {

namespace {

// "busybox" and "registry:5000/busybox" mean the tag latest; the colon of a port is no tag.
std::string with_tag(const std::string& image) {
  const size_t colon = image.rfind(':');
  const size_t slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? image : image + ":latest";
}

// Adds `key op [the pod's value]` for each key that the pod has; a selector that matches nothing stays so.
void add_own_values(const std::vector<std::string>& keys, model::SelectorOp op, const api::Pod& pod, StringPool& names,
                    model::Selector& selector) {
  if (selector.nothing) return;
  for (const std::string& key : keys) {
    const std::string* value = api::find_in(pod.metadata.labels, key);
    if (value == nullptr) continue;
    model::Requirement own{.key = names.intern(key), .op = op, .values = {names.intern(*value)}};
    // The API server may have merged it already.
    if (std::find(selector.requirements.begin(), selector.requirements.end(), own) == selector.requirements.end()) {
      selector.requirements.push_back(std::move(own));
    }
  }
}

class ShapeBuilder {
 public:
  ShapeBuilder(const api::Pod& pod, StringPool& names, model::ResourceSchema& schema)
      : pod_(pod), names_(names), schema_(schema) {}

  Result<model::PodShape> build() {
    for (const auto step : {&ShapeBuilder::requests, &ShapeBuilder::node_affinity, &ShapeBuilder::tolerations,
                            &ShapeBuilder::pod_affinity, &ShapeBuilder::spread}) {
      if (Result<void> done = (this->*step)(); !done) return std::unexpected(done.error());
    }
    containers();
    return std::move(shape_);
  }

 private:
  Result<void> requests() {
    const api::ResourceList list = api::pod_requests(pod_);
    auto amounts = to_vec(list, schema_);
    if (!amounts) return std::unexpected(amounts.error().within("requests"));
    shape_.best_effort = amounts->is_empty();
    amounts->at(model::kPods) = 1;
    shape_.request = model::to_demand(*amounts);
    const api::NonZeroRequests nonzero = api::pod_nonzero_requests(pod_);
    shape_.nonzero_cpu_milli = std::clamp(nonzero.cpu_milli, model::Amount{0}, kMaxAmount);
    shape_.nonzero_memory = std::clamp(nonzero.memory_bytes, model::Amount{0}, kMaxAmount);
    return {};
  }

  Result<void> node_affinity() {
    shape_.node_selector = compile_labels(pod_.spec.node_selector, names_);
    const api::NodeAffinity& affinity = pod_.spec.affinity.node;
    const std::string place = "spec.affinity.nodeAffinity.";
    if (affinity.required) {
      shape_.has_required_node_terms = true;
      const std::string list = place + "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
      for (size_t i = 0; i < affinity.required->terms.size(); ++i) {
        if (is_empty(affinity.required->terms[i])) continue;  // matches no node
        auto term = compile_node_term(affinity.required->terms[i], names_);
        if (!term) return std::unexpected(term.error().within(text::element_path(list, i)));
        shape_.required_node_terms.push_back(std::move(*term));
      }
    }
    const std::string list = place + "preferredDuringSchedulingIgnoredDuringExecution";
    for (size_t i = 0; i < affinity.preferred.size(); ++i) {
      const api::PreferredNodes& preferred = affinity.preferred[i];
      if (is_empty(preferred.preference) || preferred.weight == 0) continue;
      auto term = compile_node_term(preferred.preference, names_);
      if (!term) return std::unexpected(term.error().within(text::element_path(list, i) + ".preference"));
      shape_.preferred_node_terms.push_back({.weight = preferred.weight, .term = std::move(*term)});
    }
    return {};
  }

  Result<void> tolerations() {
    for (size_t i = 0; i < pod_.spec.tolerations.size(); ++i) {
      const auto toleration = compile_toleration(pod_.spec.tolerations[i], names_);
      if (!toleration) return std::unexpected(toleration.error().within(text::element_path("spec.tolerations", i)));
      shape_.tolerations.push_back(*toleration);
    }
    return {};
  }

  Result<void> pod_affinity() {
    const api::Affinity& affinity = pod_.spec.affinity;
    Result<void> done =
        pod_terms(affinity.pod, "spec.affinity.podAffinity.", shape_.required_affinity, shape_.preferred_affinity);
    if (!done) return done;
    return pod_terms(affinity.pod_anti, "spec.affinity.podAntiAffinity.", shape_.required_anti_affinity,
                     shape_.preferred_anti_affinity);
  }

  Result<void> pod_terms(const api::PodAffinity& written, const std::string& place,
                         std::vector<model::PodTerm>& required, std::vector<model::PodTerm>& preferred) {
    for (size_t i = 0; i < written.required.size(); ++i) {
      auto term = pod_term(written.required[i], 0);
      if (!term) {
        return std::unexpected(
            term.error().within(text::element_path(place + "requiredDuringSchedulingIgnoredDuringExecution", i)));
      }
      required.push_back(std::move(*term));
    }
    for (size_t i = 0; i < written.preferred.size(); ++i) {
      auto term = pod_term(written.preferred[i].term, written.preferred[i].weight);
      if (!term) {
        return std::unexpected(term.error().within(
            text::element_path(place + "preferredDuringSchedulingIgnoredDuringExecution", i) + ".podAffinityTerm"));
      }
      preferred.push_back(std::move(*term));
    }
    return {};
  }

  Result<model::PodTerm> pod_term(const api::PodAffinityTerm& written, int32_t weight) {
    model::PodTerm out{.topology_key = names_.intern(written.topology_key), .weight = weight};
    auto selector = compile_selector(written.label_selector, names_);
    if (!selector) return std::unexpected(selector.error().within("labelSelector"));
    out.selector = std::move(*selector);
    add_own_values(written.match_label_keys, model::SelectorOp::In, pod_, names_, out.selector);
    add_own_values(written.mismatch_label_keys, model::SelectorOp::NotIn, pod_, names_, out.selector);
    for (const std::string& name : written.namespaces) out.namespaces.push_back(names_.intern(name));
    if (written.namespace_selector) {
      auto spaces = compile_selector(written.namespace_selector, names_);
      if (!spaces) return std::unexpected(spaces.error().within("namespaceSelector"));
      out.has_namespace_selector = true;
      out.namespace_selector = std::move(*spaces);
    } else if (out.namespaces.empty()) {
      out.namespaces.push_back(names_.intern(pod_.metadata.namespace_name));
    }
    std::sort(out.namespaces.begin(), out.namespaces.end());
    return out;
  }

  Result<void> spread() {
    for (size_t i = 0; i < pod_.spec.topology_spread.size(); ++i) {
      auto constraint = spread_constraint(pod_.spec.topology_spread[i]);
      if (!constraint)
        return std::unexpected(constraint.error().within(text::element_path("spec.topologySpreadConstraints", i)));
      shape_.spread.push_back(std::move(*constraint));
    }
    return {};
  }

  Result<model::SpreadConstraint> spread_constraint(const api::TopologySpreadConstraint& written) {
    const std::string& action = written.when_unsatisfiable;
    if (!action.empty() && action != "DoNotSchedule" && action != "ScheduleAnyway") {
      return invalid("whenUnsatisfiable: unknown word " + text::in_quotes(action) +
                     "; write DoNotSchedule or ScheduleAnyway");
    }
    if (written.max_skew <= 0) {
      return invalid("maxSkew: " + std::to_string(written.max_skew) + " is not positive; write 1 or more");
    }
    auto selector = compile_selector(written.label_selector, names_);
    if (!selector) return std::unexpected(selector.error().within("labelSelector"));
    add_own_values(written.match_label_keys, model::SelectorOp::In, pod_, names_, *selector);
    return model::SpreadConstraint{.max_skew = written.max_skew,
                                   .min_domains = written.min_domains.value_or(1),
                                   .topology_key = names_.intern(written.topology_key),
                                   .hard = action != "ScheduleAnyway",
                                   .selector = std::move(*selector),
                                   .honor_node_affinity = written.node_affinity_policy != "Ignore",
                                   .honor_node_taints = written.node_taints_policy == "Honor"};
  }

  void containers() {
    for (const auto* list : {&pod_.spec.init_containers, &pod_.spec.containers}) {
      for (const api::Container& container : *list) {
        shape_.images.push_back(names_.intern(with_tag(container.image)));
        ++shape_.containers;
        // A plain init container is gone before the pod serves anything.
        if (list == &pod_.spec.init_containers && !container.is_sidecar()) continue;
        for (const api::ContainerPort& port : container.ports) {
          if (port.host_port <= 0) continue;
          shape_.host_ports.push_back({.ip = names_.intern(port.host_ip.empty() ? "0.0.0.0" : port.host_ip),
                                       .protocol = names_.intern(port.protocol.empty() ? "TCP" : port.protocol),
                                       .port = port.host_port});
        }
      }
    }
    std::sort(shape_.host_ports.begin(), shape_.host_ports.end());
  }

  const api::Pod& pod_;
  StringPool& names_;
  model::ResourceSchema& schema_;
  model::PodShape shape_;
};

}  // namespace

Result<model::PodShape> build_shape(const api::Pod& pod, StringPool& names, model::ResourceSchema& schema) {
  return ShapeBuilder(pod, names, schema).build();
}

}  // namespace basalt::state

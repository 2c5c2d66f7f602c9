// The rules of a Pod: those of its spec, and what only a living pod has.
#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/checks.h"
#include "kube/api/rules/pod_template.h"
#include "kube/api/rules/pod_update_rules.h"
#include "kube/api/views/pod_view.h"
#include "kube/text/scalar.h"

namespace basalt::api::rules {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

const text::Object& spec_of(const text::Object& pod) { return part_of(pod, "spec"); }

// The one address and the first of the list are the same.
void complete_addresses(text::Object& status) {
  const std::string one(string_at(status, "podIP"));
  const text::Array* all = array_at(status, "podIPs");
  if (all == nullptr || all->empty()) {
    if (!one.empty()) status["podIPs"] = text::Array{text::Object{{"ip", one}}};
    return;
  }
  const text::Object* first = all->front().if_object();
  const std::string_view address = first == nullptr ? std::string_view() : string_at(*first, "ip");
  if (one.empty() && !address.empty()) {
    status["podIP"] = std::string(address);
  } else if (one != address) {
    status["podIPs"] = text::Array{text::Object{{"ip", one}}};
  }
}

void complete_pod(text::Object& pod) {
  complete_pod_spec(make_object(pod, "spec"), SpecOf::Pod);
  if (text::Object* status = object_at(pod, "status")) complete_addresses(*status);
}

// "key in (value of the pod's label)", for each key the pod has.
void merge_label_keys(text::Object& term, std::string_view keys, std::string_view op, const text::Object& labels) {
  text::Object* selector = object_at(term, "labelSelector");
  if (selector == nullptr) return;
  each_string(term, keys, [&](std::string_view key, size_t) {
    const text::Value* value = labels.if_contains(key);
    if (value == nullptr) return;
    make_array(*selector, "matchExpressions")
        .push_back({{"key", key}, {"operator", op}, {"values", text::Array{*value}}});
  });
}

void merge_affinity_terms(text::Object& affinity, const text::Object& labels) {
  const auto merge = [&](text::Object& term) {
    merge_label_keys(term, "matchLabelKeys", "In", labels);
    merge_label_keys(term, "mismatchLabelKeys", "NotIn", labels);
  };
  each_object(affinity, "preferredDuringSchedulingIgnoredDuringExecution", [&](text::Object& weighted, size_t) {
    if (text::Object* term = object_at(weighted, "podAffinityTerm")) merge(*term);
  });
  each_object(affinity, "requiredDuringSchedulingIgnoredDuringExecution",
              [&](text::Object& term, size_t) { merge(term); });
}

void merge_all_label_keys(text::Object& pod) {
  text::Object* spec = object_at(pod, "spec");
  const text::Object* metadata = object_at(pod, "metadata");
  const text::Object* labels = metadata == nullptr ? nullptr : object_at(*metadata, "labels");
  if (spec == nullptr || labels == nullptr) return;
  if (text::Object* affinity = object_at(*spec, "affinity")) {
    for (const std::string_view name : {"podAffinity", "podAntiAffinity"}) {
      if (text::Object* terms = object_at(*affinity, name)) merge_affinity_terms(*terms, *labels);
    }
  }
  each_object(*spec, "topologySpreadConstraints",
              [&](text::Object& constraint, size_t) { merge_label_keys(constraint, "matchLabelKeys", "In", *labels); });
}

void prepare_create_pod(text::Object& pod) {
  text::Object status;
  status["phase"] = "Pending";
  if (length_at(spec_of(pod), "schedulingGates") > 0) {
    const text::Value* born = member_of(part_of(pod, "metadata"), "creationTimestamp");
    status["conditions"] =
        text::Array{text::Object{{"type", "PodScheduled"},
                                 {"status", "False"},
                                 {"lastProbeTime", nullptr},
                                 {"lastTransitionTime", born == nullptr ? text::Value(nullptr) : *born},
                                 {"reason", "SchedulingGated"},
                                 {"message", "Scheduling is blocked due to non-empty scheduling gates"}}};
  }
  status["qosClass"] = qos_class(PodView(pod).spec());
  pod["status"] = std::move(status);
  merge_all_label_keys(pod);
}

void check_annotations(const text::Object& pod, Causes& causes) {
  const text::Object* metadata = object_at(pod, "metadata");
  const text::Object* annotations = metadata == nullptr ? nullptr : object_at(*metadata, "annotations");
  if (annotations == nullptr) return;
  const FieldPath at("metadata.annotations");
  if (const text::Value* mirror = annotations->if_contains(kMirror)) {
    if (string_at(spec_of(pod), "nodeName").empty()) {
      causes.invalid(at.entry(kMirror).text(), *mirror, "must set spec.nodeName if mirror pod annotation is set");
    }
  }
  if (const text::Value* cost = annotations->if_contains(kDeletionCost)) {
    const std::string_view text = view_of(*cost);
    const bool fine = text::parse_int32(text).has_value() && !text.starts_with('+') &&
                      (text == "0" || !text.starts_with('0')) && !text.starts_with("-0");
    if (!fine) causes.invalid(at.entry(kDeletionCost).text(), *cost, "must be a 32bit integer");
  }
}

// A token is made out to an account, so there must be one.
void check_tokens_have_account(const text::Object& spec, const FieldPath& at, Causes& causes) {
  if (!string_at(spec, "serviceAccountName").empty()) return;
  const FieldPath volumes = at.key("volumes");
  each_object(spec, "volumes", [&](const text::Object& volume, size_t i) {
    const text::Object* projected = object_at(volume, "projected");
    if (projected == nullptr) return;
    const FieldPath here = volumes.at(i);
    each_object(*projected, "sources", [&](const text::Object& source, size_t j) {
      if (!has(source, "serviceAccountToken")) return;
      causes.forbidden(here.text() + ".projected.sources[" + std::to_string(j) + "].serviceAccountToken",
                       "must not be specified when serviceAccountName is not set");
    });
  });
}

void validate_pod(const text::Object& pod, Causes& causes) {
  const FieldPath at("spec");
  check_annotations(pod, causes);
  validate_pod_spec(spec_of(pod), object_at(pod, "metadata"), SpecOf::Pod, at, causes);
  check_tokens_have_account(spec_of(pod), at, causes);
}

void validate_create_pod(const text::Object& pod, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = spec_of(pod);
  if (length_at(spec, "ephemeralContainers") > 0) {
    causes.forbidden(at.key("ephemeralContainers").text(), "cannot be set on create");
  }
  if (!string_at(spec, "nodeName").empty() && length_at(spec, "schedulingGates") > 0) {
    causes.forbidden(at.key("nodeName").text(), "cannot be set until all schedulingGates have been cleared");
  }
}

}  // namespace

KindRules pod_rules() {
  return {.name_rule = NameRule::Subdomain,
          .counts_generation = true,
          .complete = complete_pod,
          .prepare_create = prepare_create_pod,
          .prepare_status = prepare_pod_status,
          .validate = validate_pod,
          .validate_update = validate_pod_update,
          .validate_status = validate_pod_status,
          .validate_create = validate_create_pod};
}

}  // namespace basalt::api::rules

// Deployment, ReplicaSet and ReplicationController.
#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/pod_template.h"
#include "kube/api/rules/workload_rules.h"

namespace basalt::api::rules {
namespace {

void complete_deployment(text::Object& deployment) {
  complete_template(deployment);
  text::Object& strategy = make_object(make_object(deployment, "spec"), "strategy");
  set_if_missing(strategy, "type", "RollingUpdate");
  if (string_at(strategy, "type") != "RollingUpdate") return;
  text::Object& rolling = make_object(strategy, "rollingUpdate");
  set_if_missing(rolling, "maxUnavailable", "25%");
  set_if_missing(rolling, "maxSurge", "25%");
}

void start_deployment(text::Object& deployment) { deployment["status"].emplace_object(); }

// A rollout is steered by annotations too, so their change counts as one of the spec.
void update_deployment(text::Object& next, const text::Object& old) {
  text::Object& metadata = make_object(next, "metadata");
  const text::Object& before = part_of(old, "metadata");
  if (!same_member(metadata, before, "annotations")) {
    metadata["generation"] = int_at(before, "generation").value_or(0) + 1;
  }
}

void check_strategy(const text::Object& spec, Causes& causes) {
  const FieldPath at("spec.strategy");
  const text::Object& strategy = part_of(spec, "strategy");
  const std::string_view type = string_at(strategy, "type");
  const text::Object* rolling = object_at(strategy, "rollingUpdate");
  if (type == "Recreate") {
    if (rolling != nullptr) {
      causes.forbidden(at.key("rollingUpdate").text(), "may not be specified when strategy `type` is 'Recreate'");
    }
    return;
  }
  if (type != "RollingUpdate") {
    causes.not_supported(at.text(), strategy, {"Recreate", "RollingUpdate"});
    return;
  }
  if (rolling == nullptr) return;
  const FieldPath here = at.key("rollingUpdate");
  check_share(*rolling, "maxUnavailable", here, causes);
  check_count_or_percent(*rolling, "maxSurge", here, causes);
  if (count_or_percent(*rolling, "maxUnavailable") == 0 && count_or_percent(*rolling, "maxSurge") == 0) {
    causes.invalid(here.key("maxUnavailable").text(), shown_member(*rolling, "maxUnavailable"),
                   "may not be 0 when `maxSurge` is 0");
  }
}

void validate_deployment(const text::Object& deployment, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(deployment, "spec");
  for (const std::string_view number : {"replicas", "minReadySeconds", "revisionHistoryLimit"}) {
    check_not_negative(spec, number, at, causes);
  }
  check_selector_and_labels(spec, "deployment", causes);
  check_lasting_template(spec, "ReplicaSet", causes);
  check_strategy(spec, causes);
  const auto deadline = int_at(spec, "progressDeadlineSeconds");
  check_not_negative(spec, "progressDeadlineSeconds", at, causes);
  if (deadline && *deadline <= int_at(spec, "minReadySeconds").value_or(0)) {
    causes.invalid(at.key("progressDeadlineSeconds").text(), *deadline, "must be greater than minReadySeconds");
  }
}

void keep_selector(const text::Object& next, const text::Object& old, Causes& causes) {
  const FieldPath at("spec");
  check_immutable(part_of(next, "spec"), part_of(old, "spec"), "selector", at, causes);
}

void deployment_status(const text::Object& next, const text::Object& old, Causes& causes) {
  check_counts(next, {"replicas", "unavailableReplicas", "observedGeneration"}, "", causes);
  check_counts(next, {"updatedReplicas", "readyReplicas", "availableReplicas"}, "replicas", causes);
  check_counts(next, {"availableReplicas"}, "readyReplicas", causes);
  check_collisions(next, old, causes);
}

void start_replicas(text::Object& object) { object["status"] = text::Object{{"replicas", 0}}; }

void validate_replica_set(const text::Object& set, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(set, "spec");
  check_not_negative(spec, "replicas", at, causes);
  check_not_negative(spec, "minReadySeconds", at, causes);
  check_selector_and_labels(spec, "replicaset", causes);
  check_lasting_template(spec, "ReplicaSet", causes);
}

void replica_status(const text::Object& next, const text::Object&, Causes& causes) {
  check_counts(next, {"replicas", "observedGeneration"}, "", causes);
  check_counts(next, {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"}, "replicas", causes);
  check_counts(next, {"availableReplicas"}, "readyReplicas", causes);
}

void complete_controller(text::Object& controller) {
  complete_template(controller);
  text::Object& spec = make_object(controller, "spec");
  const text::Object& labels = part_of(part_of(part_of(spec, "template"), "metadata"), "labels");
  if (labels.empty()) return;
  const text::Object copy = labels;
  if (part_of(spec, "selector").empty()) spec["selector"] = copy;
  text::Object& metadata = make_object(controller, "metadata");
  if (part_of(metadata, "labels").empty()) metadata["labels"] = copy;
}

void validate_controller(const text::Object& controller, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(controller, "spec");
  check_not_negative(spec, "replicas", at, causes);
  check_not_negative(spec, "minReadySeconds", at, causes);
  const text::Object& selector = part_of(spec, "selector");
  if (selector.empty()) {
    causes.required(at.key("selector").text());
  } else {
    const text::Object& labels = part_of(part_of(part_of(spec, "template"), "metadata"), "labels");
    for (const auto& member : selector) {
      const text::Value* value = labels.if_contains(member.key());
      if (value != nullptr && *value == member.value()) continue;
      causes.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
      break;
    }
  }
  if (!has(spec, "template")) return causes.required(at.key("template").text());
  check_lasting_template(spec, "ReplicationController", causes);
}

void complete_pod_template(text::Object& object) {
  text::Object* pod_template = object_at(object, "template");
  text::Object* spec = pod_template == nullptr ? nullptr : object_at(*pod_template, "spec");
  if (spec != nullptr) complete_pod_spec(*spec, SpecOf::Template);
}

void validate_template_object(const text::Object& object, Causes& causes) {
  validate_pod_template(part_of(object, "template"), "template", causes);
}

}  // namespace

KindRules deployment_rules() {
  return {.counts_generation = true,
          .complete = complete_deployment,
          .prepare_create = start_deployment,
          .prepare_update = update_deployment,
          .validate = validate_deployment,
          .validate_update = keep_selector,
          .validate_status = deployment_status};
}

KindRules replica_set_rules() {
  return {.counts_generation = true,
          .complete = complete_template,
          .prepare_create = start_replicas,
          .validate = validate_replica_set,
          .validate_update = keep_selector,
          .validate_status = replica_status};
}

KindRules replication_controller_rules() {
  return {.counts_generation = true,
          .complete = complete_controller,
          .prepare_create = start_replicas,
          .validate = validate_controller,
          .validate_status = replica_status};
}

KindRules pod_template_rules() {
  return {.counts_generation = true, .complete = complete_pod_template, .validate = validate_template_object};
}

}  // namespace basalt::api::rules

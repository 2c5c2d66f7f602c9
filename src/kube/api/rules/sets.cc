// StatefulSet, DaemonSet and ControllerRevision.
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/pod_template.h"
#include "kube/api/rules/volume_claim_spec.h"
#include "kube/api/rules/workload_rules.h"
#include "kube/text/scalar.h"

namespace basalt::api::rules {
namespace {

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

void complete_stateful_set(text::Object& set) {
  complete_template(set);
  text::Object& spec = make_object(set, "spec");
  text::Object& strategy = make_object(spec, "updateStrategy");
  if (string_at(strategy, "type").empty()) {
    strategy["type"] = "RollingUpdate";
    if (!has(strategy, "rollingUpdate")) strategy["rollingUpdate"].emplace_object();
  }
  text::Object* rolling = object_at(strategy, "rollingUpdate");
  if (rolling != nullptr && string_at(strategy, "type") == "RollingUpdate") set_if_missing(*rolling, "partition", 0);
  each_object(spec, "volumeClaimTemplates", [](text::Object& claim, size_t) {
    claim["apiVersion"] = "v1";
    claim["kind"] = "PersistentVolumeClaim";
    claim["status"] = text::Object{{"phase", "Pending"}};
  });
}

void start_stateful_set(text::Object& set) { set["status"] = text::Object{{"replicas", 0}, {"availableReplicas", 0}}; }

// The template with what the set itself brings: a volume for each claim template, and no host name of its own.
text::Object effective_template(const text::Object& spec) {
  text::Object pod_template = part_of(spec, "template");
  text::Object* pod = object_at(pod_template, "spec");
  if (pod == nullptr) return pod_template;
  pod->erase("subdomain");
  pod->erase("hostname");
  std::map<std::string, bool, std::less<>> claimed;  // the claims by name, and whether the pod has a volume for them
  each_object(spec, "volumeClaimTemplates", [&](const text::Object& claim, size_t) {
    claimed.try_emplace(std::string(string_at(part_of(claim, "metadata"), "name")), false);
  });
  const auto volume_of = [](const std::string& claim) {
    return text::Object{{"name", claim}, {"persistentVolumeClaim", text::Object{{"claimName", claim}}}};
  };
  each_object(*pod, "volumes", [&](text::Object& volume, size_t) {
    const auto claim = claimed.find(string_at(volume, "name"));
    if (claim == claimed.end()) return;
    volume = volume_of(claim->first);
    claim->second = true;
  });
  each_object(spec, "volumeClaimTemplates", [&](const text::Object& claim, size_t) {
    const auto known = claimed.find(string_at(part_of(claim, "metadata"), "name"));
    if (!std::exchange(known->second, true)) make_array(*pod, "volumes").push_back(volume_of(known->first));
  });
  return pod_template;
}

void check_stateful_strategy(const text::Object& spec, Causes& causes) {
  const FieldPath at("spec.updateStrategy");
  const text::Object& strategy = part_of(spec, "updateStrategy");
  const std::string_view type = string_at(strategy, "type");
  const text::Object* rolling = object_at(strategy, "rollingUpdate");
  if (type == "OnDelete") {
    if (rolling != nullptr) {
      causes.invalid(at.key("rollingUpdate").text(), *rolling, "only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (type != "RollingUpdate") {
    causes.invalid(at.text(), strategy, "must be 'RollingUpdate' or 'OnDelete'");
  } else if (rolling != nullptr) {
    const FieldPath here = at.key("rollingUpdate");
    check_not_negative(*rolling, "partition", here, causes);
    check_share(*rolling, "maxUnavailable", here, causes);
  }
}

void validate_stateful_set(const text::Object& set, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(set, "spec");
  const std::string_view policy = string_at(spec, "podManagementPolicy");
  if (policy != "OrderedReady" && policy != "Parallel") {
    causes.invalid(at.key("podManagementPolicy").text(), text_value(policy), "must be 'OrderedReady' or 'Parallel'");
  }
  check_stateful_strategy(spec, causes);
  if (const text::Object* retention = object_at(spec, "persistentVolumeClaimRetentionPolicy")) {
    const FieldPath here = at.key("persistentVolumeClaimRetentionPolicy");
    check_word(*retention, "whenDeleted", {"Retain", "Delete"}, Need::Optional, here, causes);
    check_word(*retention, "whenScaled", {"Retain", "Delete"}, Need::Optional, here, causes);
  }
  check_not_negative(spec, "replicas", at, causes);
  check_not_negative(spec, "minReadySeconds", at, causes);
  check_not_negative(part_of(spec, "ordinals"), "start", at.key("ordinals"), causes);
  check_selector_and_labels(spec, "statefulset", causes);
  text::Object checked = {{"template", effective_template(spec)}};
  check_lasting_template(checked, "StatefulSet", causes);
}

void create_stateful_set(const text::Object& set, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(set, "spec");
  check_name(spec, "serviceName", dns1123_label, Need::Optional, at, causes);
  const FieldPath list = at.key("volumeClaimTemplates");
  each_object(spec, "volumeClaimTemplates", [&](const text::Object& claim, size_t i) {
    const FieldPath here = list.at(i);
    check_claim_spec(part_of(claim, "spec"), here.key("spec"), causes);
  });
}

void update_stateful_set(const text::Object& next, const text::Object& old, Causes& causes) {
  const text::Object& spec = part_of(next, "spec");
  const text::Object& before = part_of(old, "spec");
  for (const std::string_view field : {"selector", "serviceName", "podManagementPolicy", "volumeClaimTemplates"}) {
    if (same_member(spec, before, field)) continue;
    causes.forbidden("spec",
                     "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
                     "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
                     "'minReadySeconds' are forbidden");
    return;
  }
}

void stateful_set_status(const text::Object& next, const text::Object& old, Causes& causes) {
  check_counts(next, {"replicas", "observedGeneration"}, "", causes);
  check_counts(next, {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"}, "replicas", causes);
  check_counts(next, {"availableReplicas"}, "readyReplicas", causes);
  check_collisions(next, old, causes);
}

void complete_daemon_set(text::Object& set) {
  complete_template(set);
  // The count of template changes is a field of the kind's internal form, which is always there.
  set_if_missing(make_object(make_object(set, "metadata"), "annotations"), kTemplateGeneration, "0");
  text::Object& strategy = make_object(make_object(set, "spec"), "updateStrategy");
  set_if_missing(strategy, "type", "RollingUpdate");
  if (string_at(strategy, "type") != "RollingUpdate") return;
  text::Object& rolling = make_object(strategy, "rollingUpdate");
  set_if_missing(rolling, "maxUnavailable", 1);
  set_if_missing(rolling, "maxSurge", 0);
}

void start_daemon_set(text::Object& set) {
  set["status"] = text::Object{
      {"currentNumberScheduled", 0}, {"numberMisscheduled", 0}, {"desiredNumberScheduled", 0}, {"numberReady", 0}};
  make_object(make_object(set, "metadata"), "annotations")[kTemplateGeneration] = "1";
}

void advance_daemon_set(text::Object& next, const text::Object& old) {
  const auto known = text::parse_int(string_at(part_of(part_of(old, "metadata"), "annotations"), kTemplateGeneration));
  const bool changed = !same_member(part_of(next, "spec"), part_of(old, "spec"), "template");
  make_object(make_object(next, "metadata"), "annotations")[kTemplateGeneration] =
      fmt::format("{}", known.value_or(1) + (changed ? 1 : 0));
}

void validate_daemon_set(const text::Object& set, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(set, "spec");
  check_selector_and_labels(spec, "daemonset", causes);
  check_lasting_template(spec, "DaemonSet", causes);
  check_not_negative(spec, "minReadySeconds", at, causes);
  check_not_negative(spec, "revisionHistoryLimit", at, causes);
  const text::Object& strategy = part_of(spec, "updateStrategy");
  const std::string_view type = string_at(strategy, "type");
  if (type == "OnDelete") return;
  if (type != "RollingUpdate") {
    causes.not_supported("spec.updateStrategy", strategy, {"RollingUpdate", "OnDelete"});
    return;
  }
  const FieldPath here("spec.updateStrategy.rollingUpdate");
  const text::Object& rolling = part_of(strategy, "rollingUpdate");
  check_share(rolling, "maxUnavailable", here, causes);
  check_share(rolling, "maxSurge", here, causes);
  const bool unavailable = count_or_percent(rolling, "maxUnavailable") != 0;
  const bool surge = count_or_percent(rolling, "maxSurge") != 0;
  if (unavailable && surge) {
    causes.invalid(here.key("maxSurge").text(), shown_member(rolling, "maxSurge"),
                   "may not be set when maxUnavailable is non-zero");
  } else if (!unavailable && !surge) {
    causes.required(here.key("maxUnavailable").text(), "cannot be 0 when maxSurge is 0");
  }
}

void update_daemon_set(const text::Object& next, const text::Object& old, Causes& causes) {
  const FieldPath at("spec");
  check_immutable(part_of(next, "spec"), part_of(old, "spec"), "selector", at, causes);
}

void daemon_set_status(const text::Object& next, const text::Object& old, Causes& causes) {
  check_counts(next,
               {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady",
                "observedGeneration", "updatedNumberScheduled", "numberAvailable", "numberUnavailable"},
               "", causes);
  check_collisions(next, old, causes);
}

void validate_revision(const text::Object& revision, Causes& causes) {
  const FieldPath at("");
  check_not_negative(revision, "revision", at, causes);
}

void create_revision(const text::Object& revision, Causes& causes) {
  if (object_at(revision, "data") == nullptr) causes.required("data", "data is mandatory");
}

void update_revision(const text::Object& next, const text::Object& old, Causes& causes) {
  const FieldPath at("");
  check_immutable(next, old, "data", at, causes);
}

}  // namespace

KindRules stateful_set_rules() {
  return {.name_rule = NameRule::Label,
          .counts_generation = true,
          .complete = complete_stateful_set,
          .prepare_create = start_stateful_set,
          .validate = validate_stateful_set,
          .validate_update = update_stateful_set,
          .validate_status = stateful_set_status,
          .validate_create = create_stateful_set};
}

KindRules daemon_set_rules() {
  return {.counts_generation = true,
          .complete = complete_daemon_set,
          .prepare_create = start_daemon_set,
          .prepare_update = advance_daemon_set,
          .validate = validate_daemon_set,
          .validate_update = update_daemon_set,
          .validate_status = daemon_set_status};
}

KindRules controller_revision_rules() {
  return {.validate = validate_revision, .validate_update = update_revision, .validate_create = create_revision};
}

}  // namespace basalt::api::rules

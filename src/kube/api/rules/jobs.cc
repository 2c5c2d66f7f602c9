#include <fmt/format.h>

#include <limits>

#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/job_spec.h"
#include "kube/api/rules/workload_rules.h"

namespace basalt::api::rules {
namespace {

// Pods carry the name and uid of their job under an old and a new key each.
constexpr std::string_view kUid = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kOldUid = "controller-uid";
constexpr std::string_view kName = "batch.kubernetes.io/job-name";
constexpr std::string_view kOldName = "job-name";
constexpr int64_t kBackoffLimit = 6;

void complete_job(text::Object& job) {
  complete_template(job);
  text::Object& spec = make_object(job, "spec");
  if (!has(spec, "completions") && !has(spec, "parallelism")) spec["completions"] = 1;
  set_if_missing(spec, "parallelism", 1);
  set_if_missing(spec, "backoffLimit",
                 has(spec, "backoffLimitPerIndex") ? int64_t{std::numeric_limits<int32_t>::max()} : kBackoffLimit);
  set_if_missing(spec, "completionMode", "NonIndexed");
  set_if_missing(spec, "suspend", false);
  set_if_missing(spec, "podReplacementPolicy", has(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  set_if_missing(spec, "manualSelector", false);
  const text::Object& labels = part_of(part_of(part_of(spec, "template"), "metadata"), "labels");
  if (labels.empty()) return;
  const text::Object copy = labels;
  text::Object& metadata = make_object(job, "metadata");
  if (part_of(metadata, "labels").empty()) metadata["labels"] = copy;
}

void prepare_create_job(text::Object& job) {
  job["status"].emplace_object();
  text::Object& spec = make_object(job, "spec");
  if (is_true(spec, "manualSelector")) return;
  const std::string uid(string_at(part_of(job, "metadata"), "uid"));
  const std::string name(string_at(part_of(job, "metadata"), "name"));
  text::Object& labels = make_object(make_object(make_object(spec, "template"), "metadata"), "labels");
  // Labels that the job got from its template follow it here too.
  const bool shared = !labels.empty() && part_of(part_of(job, "metadata"), "labels") == labels;
  for (const std::string_view key : {kOldName, kName}) set_if_missing(labels, key, text_value(name));
  for (const std::string_view key : {kOldUid, kUid}) set_if_missing(labels, key, text_value(uid));
  set_if_missing(make_object(make_object(spec, "selector"), "matchLabels"), kUid, text_value(uid));
  if (!shared) return;
  const text::Object copy = labels;
  make_object(job, "metadata")["labels"] = copy;
}

void check_label(const text::Object& labels, std::string_view key, std::string_view expected, Causes& causes) {
  const FieldPath at("spec.template.metadata");
  const FieldPath list = at.key("labels");
  if (!labels.contains(key)) {
    causes.required(at.key("labels").text() + fmt::format("[{}]", key), fmt::format("must be '{}'", expected));
  } else if (string_at(labels, key) != expected) {
    causes.invalid(list.entry(key).text(), labels, fmt::format("must be '{}'", expected));
  }
}

void check_generated_selector(const text::Object& job, Causes& causes) {
  const text::Object& spec = part_of(job, "spec");
  const text::Object* selector = object_at(spec, "selector");
  if (is_true(spec, "manualSelector") || selector == nullptr) return;
  const std::string_view uid = string_at(part_of(job, "metadata"), "uid");
  const std::string_view name = string_at(part_of(job, "metadata"), "name");
  const text::Object& labels = part_of(part_of(part_of(spec, "template"), "metadata"), "labels");
  check_label(labels, kOldUid, uid, causes);
  check_label(labels, kOldName, name, causes);
  check_label(labels, kUid, uid, causes);
  check_label(labels, kName, name, causes);
  const text::Object expected{{kUid, uid}, {kName, name}, {kOldUid, uid}, {kOldName, name}};
  if (!selector_matches(*selector, &expected)) {
    causes.invalid("spec.selector", *selector, "`selector` not auto-generated");
  }
}

void check_selector(const text::Object& spec, Causes& causes) {
  const FieldPath at("spec.selector");
  const text::Object* selector = object_at(spec, "selector");
  if (selector == nullptr) {
    causes.required(at.text());
  } else {
    check_label_selector(*selector, at, causes);
  }
  const text::Object& labels = part_of(part_of(part_of(spec, "template"), "metadata"), "labels");
  if (selector == nullptr || !selector_matches(*selector, &labels)) {
    causes.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  }
}

void check_spec(const text::Object& spec, Causes& causes) {
  const FieldPath at("spec");
  check_job_spec(spec, at, causes);
  check_selector(spec, causes);
}

void validate_job(const text::Object& job, Causes& causes) {
  const text::Object& spec = part_of(job, "spec");
  check_generated_selector(job, causes);
  check_spec(spec, causes);
  const int64_t completions = int_at(spec, "completions").value_or(0);
  if (string_at(spec, "completionMode") != "Indexed" || completions <= 0) return;
  const std::string_view name = string_at(part_of(job, "metadata"), "name");
  const std::string last = fmt::format("{}-{}", name, completions - 1);
  if (!dns1123_label(last).empty()) {
    causes.invalid("metadata.name", text_value(name),
                   fmt::format("will not able to create pod with invalid DNS label: {}", last));
  }
}

bool has_true_condition(const text::Object& job, std::string_view type) {
  bool found = false;
  each_object(part_of(job, "status"), "conditions", [&](const text::Object& condition, size_t) {
    found = found || (string_at(condition, "type") == type && string_at(condition, "status") == "True");
  });
  return found;
}

// A suspended job without pods may still be told where and with what its pods shall run.
text::Object comparable_template(const text::Object& spec) {
  text::Object out = part_of(spec, "template");
  if (text::Object* metadata = object_at(out, "metadata")) {
    metadata->erase("labels");
    metadata->erase("annotations");
  }
  text::Object* pod = object_at(out, "spec");
  if (pod == nullptr) return out;
  for (const std::string_view field : {"nodeSelector", "tolerations", "schedulingGates"}) pod->erase(field);
  if (text::Object* affinity = object_at(*pod, "affinity")) affinity->erase("nodeAffinity");
  for (const std::string_view list : {"containers", "initContainers"}) {
    each_object(*pod, list, [](text::Object& container, size_t) { container.erase("resources"); });
  }
  return out;
}

void check_template_kept(const text::Object& next, const text::Object& old, Causes& causes) {
  const text::Object& spec = part_of(next, "spec");
  const text::Object& before = part_of(old, "spec");
  const bool idle = is_true(before, "suspend") && has_true_condition(old, "Suspended") &&
                    int_at(part_of(old, "status"), "active").value_or(0) == 0;
  if (same_member(spec, before, "template")) return;
  if (idle) {
    const text::Value now = comparable_template(spec);
    const text::Value was = comparable_template(before);
    if (same_value(&now, &was)) return;
  }
  causes.invalid("spec.template", shown_member(spec, "template"), kImmutable);
}

void validate_update_job(const text::Object& next, const text::Object& old, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(next, "spec");
  const text::Object& before = part_of(old, "spec");
  check_spec(spec, causes);  // again: Kubernetes tells each fault twice
  if (string_at(spec, "completionMode") != "Indexed") {
    check_immutable(spec, before, "completions", at, causes);
  } else if (!same_member(spec, before, "completions") && has(spec, "completions") &&
             int_at(spec, "completions") != int_at(spec, "parallelism")) {
    causes.invalid("spec.completions", shown_member(spec, "completions"),
                   "can only be modified in tandem with spec.parallelism");
  }
  for (const std::string_view field :
       {"selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
    check_immutable(spec, before, field, at, causes);
  }
  check_template_kept(next, old, causes);
}

void validate_status_job(const text::Object& next, const text::Object& old, Causes& causes) {
  check_counts(next, {"active", "succeeded", "failed", "ready", "terminating"}, "", causes);
  const text::Object& before = part_of(old, "status");
  const text::Object& status = part_of(next, "status");
  if (has(before, "completionTime") && !same_member(status, before, "completionTime")) {
    causes.invalid("status.completionTime", shown_member(status, "completionTime"), kImmutable);
  }
  for (const std::string_view end : {"Complete", "Failed"}) {
    if (has_true_condition(old, end) && !has_true_condition(next, end)) {
      causes.invalid("status.conditions", shown_member(status, "conditions"),
                     fmt::format("cannot disable the terminal {}=True condition", end));
    }
  }
  if (has_true_condition(next, "Complete") && has_true_condition(next, "Failed")) {
    causes.invalid("status.conditions", shown_member(status, "conditions"),
                   "cannot set Complete=True and Failed=true conditions");
  }
}

}  // namespace

KindRules job_rules() {
  return {.counts_generation = true,
          .complete = complete_job,
          .prepare_create = prepare_create_job,
          .validate = validate_job,
          .validate_update = validate_update_job,
          .validate_status = validate_status_job};
}

}  // namespace basalt::api::rules

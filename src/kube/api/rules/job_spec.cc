#include "kube/api/rules/job_spec.h"

#include <fmt/format.h>

#include <set>

#include "kube/api/rules/pod_template.h"

namespace basalt::api::rules {
namespace {

constexpr int64_t kMaxIndexedParallelism = 100000;
constexpr int64_t kMaxFailedIndexes = 100000;
constexpr size_t kMaxListedCodes = 255;
constexpr size_t kMaxFailureRules = 20;
constexpr size_t kMaxConditionPatterns = 20;
constexpr size_t kMaxManagedByBytes = 63;

void check_exit_codes(const text::Object& codes, const std::set<std::string_view>& containers, const FieldPath& at,
                      Causes& causes) {
  check_word(codes, "operator", {"In", "NotIn"}, Need::Required, at, causes);
  const std::string_view name = string_at(codes, "containerName");
  if (has(codes, "containerName") && !containers.contains(name)) {
    causes.invalid(at.key("containerName").text(), text_value(name),
                   "must be one of the container or initContainer names in the pod template");
  }
  const FieldPath list = at.key("values");
  const text::Array* values = array_at(codes, "values");
  const size_t count = values == nullptr ? 0 : values->size();
  if (count == 0) return causes.invalid(list.text(), text::Array{}, "at least one value is required");
  if (count > kMaxListedCodes) return causes.too_many(list.text(), count, kMaxListedCodes);
  int64_t last = -1;
  for (size_t i = 0; i < count; ++i) {
    const int64_t code = (*values)[i].is_int64() ? (*values)[i].get_int64() : 0;
    if (code == last) causes.duplicate(list.at(i).text(), code);
    if (code < last) causes.invalid(list.text(), *member_of(codes, "values"), "must be ordered");
    if (code == 0 && string_at(codes, "operator") == "In") {
      causes.invalid(list.at(i).text(), code, "must not be 0 for the In operator");
    }
    last = code;
  }
}

void check_failure_policy(const text::Object& spec, const FieldPath& at, Causes& causes) {
  const text::Object* policy = object_at(spec, "podFailurePolicy");
  if (policy == nullptr) return;
  std::set<std::string_view> containers;
  const text::Object& pod = part_of(part_of(spec, "template"), "spec");
  for (const std::string_view list : {"containers", "initContainers"}) {
    each_object(pod, list, [&](const text::Object& one, size_t) { containers.insert(string_at(one, "name")); });
  }
  const FieldPath here = at.key("podFailurePolicy");
  const FieldPath rules = here.key("rules");
  if (const size_t count = length_at(*policy, "rules"); count > kMaxFailureRules) {
    causes.too_many(rules.text(), count, kMaxFailureRules);
  }
  each_object(*policy, "rules", [&](const text::Object& rule, size_t i) {
    const FieldPath where = rules.at(i);
    check_word(rule, "action", {"Count", "FailIndex", "FailJob", "Ignore"}, Need::Required, where, causes);
    if (string_at(rule, "action") == "FailIndex" && !has(spec, "backoffLimitPerIndex")) {
      causes.invalid(where.key("action").text(), text_value("FailIndex"),
                     "requires the backoffLimitPerIndex to be set");
    }
    const text::Object* codes = object_at(rule, "onExitCodes");
    const size_t patterns = length_at(rule, "onPodConditions");
    if (codes != nullptr) check_exit_codes(*codes, containers, where.key("onExitCodes"), causes);
    if (patterns > kMaxConditionPatterns) {
      causes.too_many(where.key("onPodConditions").text(), patterns, kMaxConditionPatterns);
    }
    if ((codes != nullptr) == (patterns > 0)) {
      causes.invalid(where.text(), rule,
                     codes != nullptr ? "specifying both OnExitCodes and OnPodConditions is not supported"
                                      : "specifying one of OnExitCodes and OnPodConditions is required");
    }
  });
}

void check_indexed(const text::Object& spec, const FieldPath& at, Causes& causes) {
  const auto completions = int_at(spec, "completions");
  const auto failed = int_at(spec, "maxFailedIndexes");
  if (!completions) causes.required(at.key("completions").text(), "when completion mode is Indexed");
  if (const int64_t parallel = int_at(spec, "parallelism").value_or(0); parallel > kMaxIndexedParallelism) {
    causes.invalid(
        at.key("parallelism").text(), parallel,
        fmt::format("must be less than or equal to {} when completion mode is Indexed", kMaxIndexedParallelism));
  }
  if (completions && failed && *failed > *completions) {
    causes.invalid(at.key("maxFailedIndexes").text(), *failed, "must be less than or equal to completions");
  }
  if (failed && *failed > kMaxFailedIndexes) {
    causes.invalid(at.key("maxFailedIndexes").text(), *failed,
                   fmt::format("must be less than or equal to {}", kMaxFailedIndexes));
  }
}

void check_not_indexed(const text::Object& spec, const FieldPath& at, Causes& causes) {
  for (const std::string_view field : {"backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"}) {
    if (has(spec, field)) {
      causes.invalid(at.key(field).text(), shown_member(spec, field), "requires indexed completion mode");
    }
  }
}

void check_restart_policy(const text::Object& spec, const FieldPath& at, Causes& causes) {
  const std::string_view policy = string_at(part_of(part_of(spec, "template"), "spec"), "restartPolicy");
  const std::string path = at.text() + ".template.spec.restartPolicy";
  if (policy == "Always" || policy.empty()) {
    causes.required(path, "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    causes.not_supported(path, text_value(policy), {"OnFailure", "Never"});
  } else if (has(spec, "podFailurePolicy") && policy != "Never") {
    causes.invalid(path, text_value(policy), "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

}  // namespace

void check_job_spec(const text::Object& spec, const FieldPath& at, Causes& causes) {
  for (const std::string_view number : {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                                        "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"}) {
    check_not_negative(spec, number, at, causes);
  }
  if (has(spec, "maxFailedIndexes") && !has(spec, "backoffLimitPerIndex")) {
    causes.required(at.key("backoffLimitPerIndex").text(), "when maxFailedIndexes is specified");
  }
  if (has(spec, "managedBy")) {
    const std::string_view manager = string_at(spec, "managedBy");
    const size_t slash = manager.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == manager.size()) {
      causes.invalid(at.key("managedBy").text(), text_value(manager),
                     "must be a domain-prefixed path (such as \"acme.io/foo\")");
    } else {
      refuse(dns1123_subdomain(manager.substr(0, slash)), manager.substr(0, slash), at.key("managedBy"), causes);
    }
    if (manager.size() > kMaxManagedByBytes) causes.too_long(at.key("managedBy").text(), kMaxManagedByBytes);
  }
  check_word(spec, "completionMode", {"NonIndexed", "Indexed"}, Need::Optional, at, causes);
  if (string_at(spec, "completionMode") == "Indexed") {
    check_indexed(spec, at, causes);
  } else {
    check_not_indexed(spec, at, causes);
  }
  check_failure_policy(spec, at, causes);
  if (has(spec, "podFailurePolicy")) {
    check_word(spec, "podReplacementPolicy", {"Failed"}, Need::Optional, at, causes);
  } else {
    check_word(spec, "podReplacementPolicy", {"Failed", "TerminatingOrFailed"}, Need::Optional, at, causes);
  }
  validate_pod_template(part_of(spec, "template"), at.key("template").text(), causes);
  check_restart_policy(spec, at, causes);
}

}  // namespace basalt::api::rules

#include "kube/api/rules/workload_rules.h"

#include <fmt/format.h>

#include "kube/api/rules/pod_template.h"
#include "kube/text/scalar.h"

namespace basalt::api::rules {

void complete_template(text::Object& object) {
  text::Object* spec = object_at(object, "spec");
  text::Object* pod_template = spec == nullptr ? nullptr : object_at(*spec, "template");
  text::Object* pod_spec = pod_template == nullptr ? nullptr : object_at(*pod_template, "spec");
  if (pod_spec != nullptr) complete_pod_spec(*pod_spec, SpecOf::Template);
}

void check_selector_and_labels(const text::Object& spec, std::string_view kind, Causes& causes) {
  const FieldPath at("spec.selector");
  const text::Object* selector = object_at(spec, "selector");
  if (selector == nullptr) {
    if (kind != "daemonset") causes.required(at.text());
    causes.invalid("spec.template.metadata.labels", text::Value(), "`selector` does not match template `labels`");
    return;
  }
  const size_t before = causes.list().size();
  check_label_selector(*selector, at, causes);
  if (part_of(*selector, "matchLabels").empty() && length_at(*selector, "matchExpressions") == 0) {
    causes.invalid(at.text(), *selector, fmt::format("empty selector is invalid for {}", kind));
  }
  if (causes.list().size() != before) return;
  const text::Object& labels = part_of(part_of(part_of(spec, "template"), "metadata"), "labels");
  if (!selector_matches(*selector, &labels)) {
    causes.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  }
}

void check_lasting_template(const text::Object& spec, std::string_view kind, Causes& causes) {
  const text::Object& pod_template = part_of(spec, "template");
  validate_pod_template(pod_template, "spec.template", causes);
  const text::Object& pod = part_of(pod_template, "spec");
  const std::string_view policy = string_at(pod, "restartPolicy");
  if (!policy.empty() && policy != "Always") {
    causes.not_supported("spec.template.spec.restartPolicy", text_value(policy), {"Always"});
  }
  if (has(pod, "activeDeadlineSeconds")) {
    causes.forbidden("spec.template.spec.activeDeadlineSeconds",
                     fmt::format("activeDeadlineSeconds in {} is not Supported", kind));
  }
}

int64_t count_or_percent(const text::Object& object, std::string_view name) {
  const text::Value* value = member_of(object, name);
  if (value == nullptr) return 0;
  if (value->is_int64()) return value->get_int64();
  const std::string_view percent = view_of(*value);
  if (!is_percent(percent)) return 0;
  const auto number = text::parse_int(percent.substr(0, percent.size() - 1));
  return number ? *number : 0;
}

void check_share(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes) {
  check_count_or_percent(object, name, at, causes);
  const text::Value* value = member_of(object, name);
  if (value != nullptr && value->is_string() && count_or_percent(object, name) > 100) {
    causes.invalid(at.key(name).text(), *value, "must not be greater than 100%");
  }
}

void check_counts(const text::Object& object, std::initializer_list<std::string_view> counts, std::string_view total,
                  Causes& causes) {
  const text::Object& status = part_of(object, "status");
  const FieldPath at("status");
  for (const std::string_view name : counts) {
    check_not_negative(status, name, at, causes);
    const int64_t count = int_at(status, name).value_or(0);
    if (!total.empty() && count > int_at(status, total).value_or(0)) {
      causes.invalid(at.key(name).text(), count, fmt::format("cannot be greater than status.{}", total));
    }
  }
}

void check_collisions(const text::Object& next, const text::Object& old, Causes& causes) {
  const auto count = int_at(part_of(next, "status"), "collisionCount").value_or(0);
  if (count < int_at(part_of(old, "status"), "collisionCount").value_or(0)) {
    causes.invalid("status.collisionCount", count, "cannot be decremented");
  }
}

}  // namespace basalt::api::rules

#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/checks.h"

namespace basalt::api::rules {
namespace {

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";
constexpr std::string_view kFinalizer = "kubernetes";

// Policies select namespaces by label; this one lets them select by name.
void label_with_name(text::Object& namespace_object) {
  const std::string name(string_at(part_of(namespace_object, "metadata"), "name"));
  if (name.empty()) return;
  make_object(make_object(namespace_object, "metadata"), "labels")[kNameLabel] = name;
}

void prepare_create_namespace(text::Object& namespace_object) {
  label_with_name(namespace_object);
  namespace_object["status"] = text::Object{{"phase", "Active"}};
  text::Array& finalizers = make_array(make_object(namespace_object, "spec"), "finalizers");
  for (const text::Value& one : finalizers) {
    if (view_of(one) == kFinalizer) return;
  }
  finalizers.emplace_back(kFinalizer);
}

void prepare_update_namespace(text::Object& next, const text::Object& old) {
  label_with_name(next);
  text::Object& spec = make_object(next, "spec");
  const text::Object& before = part_of(old, "spec");
  if (has(before, "finalizers")) {
    spec["finalizers"] = before.at("finalizers");
  } else {
    spec.erase("finalizers");
  }
}

void validate_namespace(const text::Object& namespace_object, Causes& causes) {
  each_string(part_of(namespace_object, "spec"), "finalizers", [&](std::string_view name, size_t) {
    const FieldPath at("spec.finalizers");
    refuse(qualified_name(name), name, at, causes);
    if (name.find('/') == std::string_view::npos && name != kFinalizer && name != "orphan" &&
        name != "foregroundDeletion") {
      causes.invalid(at.text(), text_value(name),
                     "name is neither a standard finalizer name nor is it fully qualified");
    }
  });
}

void validate_status_namespace(const text::Object& next, const text::Object&, Causes& causes) {
  const bool leaving = has(part_of(next, "metadata"), "deletionTimestamp");
  const std::string_view phase = string_at(part_of(next, "status"), "phase");
  if (!leaving && phase != "Active") {
    causes.invalid("status.Phase", text_value(phase), "may only be 'Active' if `deletionTimestamp` is empty");
  }
  if (leaving && phase != "Terminating") {
    causes.invalid("status.Phase", text_value(phase), "may only be 'Terminating' if `deletionTimestamp` is not empty");
  }
}

}  // namespace

KindRules namespace_rules() {
  return {.name_rule = NameRule::Label,
          .complete = label_with_name,
          .prepare_create = prepare_create_namespace,
          .prepare_update = prepare_update_namespace,
          .validate = validate_namespace,
          .validate_status = validate_status_namespace};
}

}  // namespace basalt::api::rules

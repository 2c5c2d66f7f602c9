// Roles and their bindings (rbac.authorization.k8s.io).
#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/checks.h"

namespace basalt::api::rules {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

enum class Scope : uint8_t { Namespace, Cluster };

void check_rules(const text::Object& role, Scope scope, Causes& causes) {
  const FieldPath list("rules");
  each_object(role, "rules", [&](const text::Object& rule, size_t i) {
    const FieldPath here = list.at(i);
    if (length_at(rule, "verbs") == 0) {
      causes.required(here.key("verbs").text(), "verbs must contain at least one value");
    }
    const bool resources =
        length_at(rule, "apiGroups") + length_at(rule, "resources") + length_at(rule, "resourceNames") > 0;
    if (length_at(rule, "nonResourceURLs") > 0) {
      const FieldPath where = here.key("nonResourceURLs");
      if (scope == Scope::Namespace) {
        causes.invalid(where.text(), shown_member(rule, "nonResourceURLs"),
                       "namespaced rules cannot apply to non-resource URLs");
      }
      if (resources) {
        causes.invalid(where.text(), shown_member(rule, "nonResourceURLs"),
                       "rules cannot apply to both regular resources and non-resource URLs");
      }
      return;
    }
    if (length_at(rule, "apiGroups") == 0) {
      causes.required(here.key("apiGroups").text(), "resource rules must supply at least one api group");
    }
    if (length_at(rule, "resources") == 0) {
      causes.required(here.key("resources").text(), "resource rules must supply at least one resource");
    }
  });
}

void validate_role(const text::Object& role, Causes& causes) { check_rules(role, Scope::Namespace, causes); }

void validate_cluster_role(const text::Object& role, Causes& causes) {
  check_rules(role, Scope::Cluster, causes);
  const text::Object* aggregation = object_at(role, "aggregationRule");
  if (aggregation == nullptr) return;
  const FieldPath list("aggregationRule.clusterRoleSelectors");
  if (length_at(*aggregation, "clusterRoleSelectors") == 0) {
    causes.required(list.text(), "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  each_object(*aggregation, "clusterRoleSelectors",
              [&](const text::Object& one, size_t i) { check_label_selector(one, list.at(i), causes); });
}

void complete_binding(text::Object& binding) {
  each_object(binding, "subjects", [](text::Object& subject, size_t) {
    const std::string_view kind = string_at(subject, "kind");
    if ((kind == "User" || kind == "Group") && string_at(subject, "apiGroup").empty()) subject["apiGroup"] = kGroup;
  });
  text::Object* role = object_at(binding, "roleRef");
  if (role != nullptr && string_at(*role, "apiGroup").empty()) (*role)["apiGroup"] = kGroup;
}

void check_subject(const text::Object& subject, Scope scope, const FieldPath& at, Causes& causes) {
  const std::string_view kind = string_at(subject, "kind");
  const std::string_view group = string_at(subject, "apiGroup");
  check_given(subject, "name", at, causes);
  if (kind == "ServiceAccount") {
    check_name(subject, "name", dns1123_subdomain, Need::Optional, at, causes);
    if (!group.empty()) causes.not_supported(at.key("apiGroup").text(), text_value(group), {""});
    if (scope == Scope::Cluster) check_given(subject, "namespace", at, causes);
  } else if (kind == "User" || kind == "Group") {
    if (group != kGroup) causes.not_supported(at.key("apiGroup").text(), text_value(group), {std::string(kGroup)});
  } else {
    causes.not_supported(at.key("kind").text(), text_value(kind), {"ServiceAccount", "User", "Group"});
  }
}

void check_binding(const text::Object& binding, Scope scope, Causes& causes) {
  const FieldPath at("roleRef");
  const text::Object& role = part_of(binding, "roleRef");
  const std::string_view group = string_at(role, "apiGroup");
  if (group != kGroup) causes.not_supported(at.key("apiGroup").text(), text_value(group), {std::string(kGroup)});
  const std::string_view kind = string_at(role, "kind");
  if (kind != "ClusterRole" && (scope == Scope::Cluster || kind != "Role")) {
    if (scope == Scope::Cluster) {
      causes.not_supported(at.key("kind").text(), text_value(kind), {"ClusterRole"});
    } else {
      causes.not_supported(at.key("kind").text(), text_value(kind), {"Role", "ClusterRole"});
    }
  }
  check_name(role, "name", path_segment, Need::Required, at, causes);
  const FieldPath list("subjects");
  each_object(binding, "subjects",
              [&](const text::Object& subject, size_t i) { check_subject(subject, scope, list.at(i), causes); });
}

void validate_binding(const text::Object& binding, Causes& causes) { check_binding(binding, Scope::Namespace, causes); }
void validate_cluster_binding(const text::Object& binding, Causes& causes) {
  check_binding(binding, Scope::Cluster, causes);
}

void update_binding(const text::Object& next, const text::Object& old, Causes& causes) {
  if (!same_member(next, old, "roleRef")) {
    causes.invalid("roleRef", shown_member(next, "roleRef"), "cannot change roleRef");
  }
}

}  // namespace

KindRules role_rules() { return {.name_rule = NameRule::PathSegment, .validate = validate_role}; }
KindRules cluster_role_rules() { return {.name_rule = NameRule::PathSegment, .validate = validate_cluster_role}; }
KindRules role_binding_rules() {
  return {.name_rule = NameRule::PathSegment,
          .complete = complete_binding,
          .validate = validate_binding,
          .validate_update = update_binding};
}
KindRules cluster_role_binding_rules() {
  return {.name_rule = NameRule::PathSegment,
          .complete = complete_binding,
          .validate = validate_cluster_binding,
          .validate_update = update_binding};
}

}  // namespace basalt::api::rules

#include <fmt/format.h>

#include <map>
#include <set>

#include "kube/api/rules/pod_spec_checks.h"

namespace basalt::api::rules {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

enum class Strictness : uint8_t { Required, Preferred };

void check_node_requirement(const text::Object& one, Strictness strictness, const FieldPath& at, Causes& causes) {
  const std::string_view op = string_at(one, "operator");
  const size_t values = length_at(one, "values");
  const FieldPath list = at.key("values");
  if (op == "In" || op == "NotIn") {
    if (values == 0) causes.required(list.text(), "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (values > 0) {
      causes.forbidden(list.text(), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (values != 1) causes.required(list.text(), "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    causes.invalid(at.key("operator").text(), text_value(op), "not a valid selector operator");
  }
  const std::string_view key = string_at(one, "key");
  refuse(qualified_name(key), key, at.key("key"), causes);
  if (strictness == Strictness::Preferred) return;
  each_string(one, "values",
              [&](std::string_view value, size_t i) { refuse(label_value(value), value, list.at(i), causes); });
}

void check_node_field(const text::Object& one, const FieldPath& at, Causes& causes) {
  const std::string_view op = string_at(one, "operator");
  if (op != "In" && op != "NotIn") {
    causes.invalid(at.key("operator").text(), text_value(op), "not a valid selector operator");
  } else if (length_at(one, "values") != 1) {
    causes.required(at.key("values").text(),
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  const std::string_view key = string_at(one, "key");
  if (key != "metadata.name") {
    causes.invalid(at.key("key").text(), text_value(key), "not a valid field selector key");
    return;
  }
  const FieldPath list = at.key("values");
  each_string(one, "values",
              [&](std::string_view value, size_t i) { refuse(dns1123_subdomain(value), value, list.at(i), causes); });
}

void check_node_term(const text::Object& term, Strictness strictness, const FieldPath& at, Causes& causes) {
  const FieldPath expressions = at.key("matchExpressions");
  each_object(term, "matchExpressions", [&](const text::Object& one, size_t i) {
    check_node_requirement(one, strictness, expressions.at(i), causes);
  });
  const FieldPath fields = at.key("matchFields");
  each_object(term, "matchFields",
              [&](const text::Object& one, size_t i) { check_node_field(one, fields.at(i), causes); });
}

void check_weight(const text::Object& term, const FieldPath& at, Causes& causes) {
  const int64_t weight = int_at(term, "weight").value_or(0);
  if (weight < 1 || weight > 100) causes.invalid(at.key("weight").text(), weight, "must be in the range 1-100");
}

// Keys whose values are taken from the pod's labels; they need a selector to be added to.
void check_label_keys(const text::Object& term, std::string_view name, const FieldPath& at, Causes& causes) {
  if (length_at(term, name) == 0) return;
  if (!has(term, "labelSelector")) {
    causes.forbidden(at.key(name).text(), "must not be specified when labelSelector is not set");
    return;
  }
  const FieldPath list = at.key(name);
  each_string(term, name,
              [&](std::string_view key, size_t i) { refuse(qualified_name(key), key, list.at(i), causes); });
}

void check_label_key_overlap(const text::Object& term, const FieldPath& at, Causes& causes) {
  std::set<std::string_view> mismatched;
  each_string(term, "mismatchLabelKeys", [&](std::string_view key, size_t) { mismatched.insert(key); });
  const FieldPath list = at.key("matchLabelKeys");
  const text::Object* selector = object_at(term, "labelSelector");
  const text::Object* labels = selector == nullptr ? nullptr : object_at(*selector, "matchLabels");
  std::map<std::string_view, int> expressions;  // of each key
  if (selector != nullptr) {
    each_object(*selector, "matchExpressions",
                [&](const text::Object& one, size_t) { ++expressions[string_at(one, "key")]; });
  }
  each_string(term, "matchLabelKeys", [&](std::string_view key, size_t i) {
    if (mismatched.contains(key)) {
      causes.invalid(list.at(i).text(), text_value(key), "exists in both matchLabelKeys and mismatchLabelKeys");
    }
    // Merging has put each key once among the expressions; a second mention comes from the user.
    const auto mentioned = expressions.find(key);
    const int mentions =
        (labels != nullptr && labels->contains(key) ? 1 : 0) + (mentioned == expressions.end() ? 0 : mentioned->second);
    if (mentions > 1) {
      causes.invalid(at.at(i).text(), text_value(key), "exists in both matchLabelKeys and labelSelector");
    }
  });
}

void check_pod_term(const text::Object& term, const FieldPath& at, Causes& causes) {
  for (const std::string_view name : {"labelSelector", "namespaceSelector"}) {
    if (const text::Object* selector = object_at(term, name)) check_label_selector(*selector, at.key(name), causes);
  }
  each_string(term, "namespaces",
              [&](std::string_view name, size_t) { refuse(dns1123_label(name), name, at.key("namespace"), causes); });
  check_label_keys(term, "matchLabelKeys", at, causes);
  check_label_keys(term, "mismatchLabelKeys", at, causes);
  check_label_key_overlap(term, at, causes);
  const std::string_view key = string_at(term, "topologyKey");
  if (key.empty()) causes.required(at.key("topologyKey").text(), "can not be empty");
  refuse(qualified_name(key), key, at.key("topologyKey"), causes);
}

void check_pod_terms(const text::Object& affinity, const FieldPath& at, Causes& causes) {
  const FieldPath required = at.key(kRequired);
  each_object(affinity, kRequired,
              [&](const text::Object& term, size_t i) { check_pod_term(term, required.at(i), causes); });
  const FieldPath preferred = at.key(kPreferred);
  each_object(affinity, kPreferred, [&](const text::Object& weighted, size_t i) {
    const FieldPath here = preferred.at(i);
    check_weight(weighted, here, causes);
    if (const text::Object* term = object_at(weighted, "podAffinityTerm")) {
      check_pod_term(*term, here.key("podAffinityTerm"), causes);
    }
  });
}

}  // namespace

void check_node_selector(const text::Object& selector, const FieldPath& at, Causes& causes) {
  const FieldPath list = at.key("nodeSelectorTerms");
  if (length_at(selector, "nodeSelectorTerms") == 0) {
    causes.required(list.text(), "must have at least one node selector term");
  }
  each_object(selector, "nodeSelectorTerms", [&](const text::Object& term, size_t i) {
    check_node_term(term, Strictness::Required, list.at(i), causes);
  });
}

void check_affinity(const text::Object& affinity, const FieldPath& at, Causes& causes) {
  if (const text::Object* node = object_at(affinity, "nodeAffinity")) {
    const FieldPath here = at.key("nodeAffinity");
    if (const text::Object* required = object_at(*node, kRequired)) {
      check_node_selector(*required, here.key(kRequired), causes);
    }
    const FieldPath list = here.key(kPreferred);
    each_object(*node, kPreferred, [&](const text::Object& weighted, size_t i) {
      const FieldPath one = list.at(i);
      check_weight(weighted, one, causes);
      if (const text::Object* term = object_at(weighted, "preference")) {
        check_node_term(*term, Strictness::Preferred, one.key("preference"), causes);
      }
    });
  }
  for (const std::string_view name : {"podAffinity", "podAntiAffinity"}) {
    if (const text::Object* terms = object_at(affinity, name)) check_pod_terms(*terms, at.key(name), causes);
  }
}

void check_spread_constraints(const text::Object& spec, const FieldPath& at, Causes& causes) {
  std::set<std::string> seen;
  const FieldPath list = at.key("topologySpreadConstraints");
  each_object(spec, "topologySpreadConstraints", [&](const text::Object& constraint, size_t i) {
    const FieldPath here = list.at(i);
    const int64_t skew = int_at(constraint, "maxSkew").value_or(0);
    if (skew <= 0) causes.invalid(here.key("maxSkew").text(), skew, "must be greater than zero");
    const std::string_view key = string_at(constraint, "topologyKey");
    const std::string_view action = string_at(constraint, "whenUnsatisfiable");
    if (key.empty()) causes.required(here.key("topologyKey").text(), "can not be empty");
    if (action != "DoNotSchedule" && action != "ScheduleAnyway") {
      causes.not_supported(here.key("whenUnsatisfiable").text(), text_value(action),
                           {"DoNotSchedule", "ScheduleAnyway"});
    }
    const std::string pair = fmt::format("{{{}, {}}}", key, action);
    if (!seen.insert(pair).second) {
      causes.duplicate(here.key("{topologyKey, whenUnsatisfiable}").text(), text_value(pair));
    }
    if (const auto domains = int_at(constraint, "minDomains")) {
      if (*domains <= 0) causes.invalid(here.key("minDomains").text(), *domains, "must be greater than zero");
      if (action != "DoNotSchedule") {
        causes.invalid(here.key("minDomains").text(), *domains,
                       fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", action));
      }
    }
    check_word(constraint, "nodeAffinityPolicy", {"Honor", "Ignore"}, Need::Optional, here, causes);
    check_word(constraint, "nodeTaintsPolicy", {"Honor", "Ignore"}, Need::Optional, here, causes);
    check_label_keys(constraint, "matchLabelKeys", here, causes);
    check_label_key_overlap(constraint, here, causes);
    if (const text::Object* selector = object_at(constraint, "labelSelector")) {
      check_label_selector(*selector, here.key("labelSelector"), causes);
    }
  });
}

}  // namespace basalt::api::rules

#include <fmt/format.h>

#include "kube/api/rules/pod_spec_checks.h"

namespace basalt::api::rules {

void check_tolerations(const text::Object& spec, const FieldPath& at, Causes& causes) {
  const FieldPath list = at.key("tolerations");
  each_object(spec, "tolerations", [&](const text::Object& toleration, size_t i) {
    const FieldPath here = list.at(i);
    const std::string_view key = string_at(toleration, "key");
    const std::string_view op = string_at(toleration, "operator");
    const std::string_view value = string_at(toleration, "value");
    const std::string_view effect = string_at(toleration, "effect");
    if (!key.empty()) refuse(qualified_name(key), key, here.key("key"), causes);
    if (key.empty() && op != "Exists") {
      causes.invalid(here.key("operator").text(), text_value(op),
                     "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if (has(toleration, "tolerationSeconds") && effect != "NoExecute") {
      causes.invalid(here.key("effect").text(), text_value(effect),
                     "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (op == "Equal" || op.empty()) {
      const ValidationMessages complaints = label_value(value);
      if (!complaints.empty()) {
        causes.invalid(here.key("operator").text(), text_value(value), fmt::format("{}", fmt::join(complaints, ";")));
      }
    } else if (op == "Exists") {
      if (!value.empty()) {
        causes.invalid(here.key("operator").text(), text_value(value),
                       "value must be empty when `operator` is 'Exists'");
      }
    } else {
      causes.not_supported(here.key("operator").text(), text_value(op), {"Equal", "Exists"});
    }
    if (!effect.empty()) {
      check_word(toleration, "effect", {"NoSchedule", "PreferNoSchedule", "NoExecute"}, Need::Optional, here, causes);
    }
  });
}

}  // namespace basalt::api::rules

#include "programs/webhook/match_conditions.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "kube/api/volcano_keys.h"
#include "kube/text/yaml.h"
#include "programs/webhook/webhook_configurations.h"

namespace basalt::webhook {
namespace {

// A CEL string: JSON's escapes are among CEL's.
std::string quoted(std::string_view text) {
  std::string out;
  text::append_json_string(out, text);
  return out;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string out = "[";
  for (const std::string& word : words) out += (out.size() > 1 ? ", " : "") + quoted(word);
  return out + "]";
}

std::string any_of(const std::vector<std::string>& clauses) { return fmt::format("{}", fmt::join(clauses, " || ")); }

std::string has_annotation(std::string_view key) { return quoted(key) + " in object.metadata.annotations"; }

std::string annotation_is(std::string_view key, std::string_view value) {
  return fmt::format("({} && object.metadata.annotations[{}] == {})", has_annotation(key), quoted(key), quoted(value));
}

std::string with_annotations(const std::vector<std::string>& clauses) {
  return fmt::format("(has(object.metadata.annotations) && ({}))", any_of(clauses));
}

// The clauses of a group by annotations, as admission::mutate_pod matches them.
void add_annotations(const admission::ResourceGroup& group, std::vector<std::string>& clauses) {
  for (const std::string& line : group.values) {
    const auto parsed = text::parse_yaml(line);
    const text::Object* pairs = parsed ? parsed->value.if_object() : nullptr;
    if (pairs == nullptr) continue;
    for (const auto& pair : *pairs) {
      if (pair.value().is_string()) clauses.push_back(annotation_is(pair.key(), pair.value().get_string()));
    }
  }
  if (group.key.empty()) clauses.push_back(annotation_is(api::keys::kResourceGroup, group.name));
}

std::string belongs_to_a_group(const admission::VolcanoAdmissionOptions& options) {
  std::vector<std::string> clauses, annotations;
  for (const admission::ResourceGroup& group : options.resource_groups) {
    if (group.key == "namespace") {
      clauses.push_back("request.namespace in " + list_of(group.values));
    } else {
      add_annotations(group, annotations);
    }
  }
  if (options.gate_queue_admission) annotations.push_back(annotation_is(api::keys::kQueueGate, "true"));
  if (!annotations.empty()) clauses.push_back(with_annotations(annotations));
  return clauses.empty() ? "false" : any_of(clauses);
}

}  // namespace

text::Array match_conditions(const admission::Webhook& webhook, const admission::VolcanoAdmissionOptions& options) {
  text::Array conditions;
  const auto add = [&conditions](std::string_view name, const std::string& expression) {
    const bool fits = expression.size() <= kMaxConditionBytes;  // asked too often is better than too seldom
    conditions.emplace_back(text::Object{{"name", name}, {"expression", fits ? expression : "true"}});
  };
  if (webhook.path == "/pods/validate") {
    add("scheduled-by-volcano",
        "has(object.spec.schedulerName) && object.spec.schedulerName in " + list_of(options.scheduler_names));
    add("has-a-budget",
        with_annotations({has_annotation(api::keys::kMinAvailable), has_annotation(api::keys::kMaxUnavailable)}));
  } else if (webhook.path == "/pods/mutate") {
    add("belongs-to-a-group", belongs_to_a_group(options));
  } else if ((webhook.operations & static_cast<unsigned>(admission::WebhookOperation::Update)) != 0) {
    // Finalizers can be taken off while we are away: what is being deleted is not held up.
    add("is-to-stay", "request.operation == \"DELETE\" || !has(object.metadata.deletionTimestamp)");
  }
  return conditions;
}

}  // namespace basalt::webhook

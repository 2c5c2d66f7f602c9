#include "programs/webhook/admission_conf.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "kube/api/volcano_go_types.h"
#include "kube/text/yaml.h"

namespace basalt::webhook {
namespace {

Result<void> read_text(const text::Field& field, std::string& into) {
  if (!field.given()) return {};
  auto value = field.as_text();
  if (!value) return std::unexpected(value.error());
  into = std::move(*value);
  return {};
}

// Pods get it as it is: what no pod can hold is told here, not by every pod that the group is for.
Result<void> check_part(const text::Field& field, const text::Object& part, std::string_view type) {
  const api::Schema* schema = api::builtin_schemas().find(type);
  check(schema != nullptr, "a part of a pod is of a built-in type");
  const std::string fault = api::decode_fault(*schema, part);
  return fault.empty() ? Result<void>() : std::unexpected(field.error(fault));
}

// What a group matches by. Volcano knows these two keys; a typo would match nothing, so it is told.
Result<void> read_match(const text::Field& object, admission::ResourceGroup& group) {
  if (auto read = read_text(object.field("key"), group.key); !read) return read;
  if (!group.key.empty() && group.key != "namespace" && group.key != "annotation") {
    return std::unexpected(object.field("key").error("expected \"namespace\" or \"annotation\""));
  }
  return object.field("value").each([&](const text::Field& value) -> Result<void> {
    auto line = value.as_text();
    if (!line) return std::unexpected(line.error());
    group.values.push_back(std::move(*line));
    return {};
  });
}

Result<void> read_labels(const text::Field& labels, admission::ResourceGroup& group) {
  return labels.each_member([&](std::string_view key, const text::Field& value) -> Result<void> {
    auto read = value.as_text();
    if (!read) return std::unexpected(read.error());
    group.labels[key] = *read;
    return {};
  });
}

Result<void> read_affinity(const text::Field& field, admission::ResourceGroup& group) {
  const text::Value* value = field.value();
  if (value == nullptr) return {};
  group.affinity = *value;
  if (value->is_string()) {
    auto inner = text::parse_yaml(std::string_view(value->get_string()));  // JSON is YAML
    if (!inner) return std::unexpected(field.error(inner.error().message));
    group.affinity = std::move(inner->value);
  }
  if (group.affinity.is_null()) return {};
  if (group.affinity.is_object()) {
    return check_part(field, group.affinity.get_object(), "io.k8s.api.core.v1.Affinity");
  }
  return std::unexpected(field.error("expected an affinity, as JSON"));
}

Result<admission::ResourceGroup> read_group(const text::Field& field) {
  admission::ResourceGroup group;
  if (auto there = field.as_object(); !there) return std::unexpected(there.error());
  if (auto ok = read_text(field.field("resourceGroup"), group.name); !ok) return std::unexpected(ok.error());
  if (auto ok = read_match(field.field("object"), group); !ok) return std::unexpected(ok.error());
  if (auto ok = read_text(field.field("schedulerName"), group.scheduler_name); !ok) return std::unexpected(ok.error());
  if (auto ok = read_labels(field.field("labels"), group); !ok) return std::unexpected(ok.error());
  auto tolerations = field.field("tolerations").each([&](const text::Field& one) -> Result<void> {
    auto toleration = one.as_object();
    if (!toleration) return std::unexpected(toleration.error());
    group.tolerations.emplace_back(**toleration);
    return check_part(one, **toleration, "io.k8s.api.core.v1.Toleration");
  });
  if (!tolerations) return std::unexpected(tolerations.error());
  if (auto ok = read_affinity(field.field("affinity"), group); !ok) return std::unexpected(ok.error());
  return group;
}

}  // namespace

Result<std::vector<admission::ResourceGroup>> read_admission_conf(std::string_view text) {
  if (text.size() > kMaxAdmissionConfBytes) return invalid("the conf is larger than 1 MiB");
  const auto document = text::parse_yaml(text);
  if (!document) return std::unexpected(document.error());
  std::vector<admission::ResourceGroup> groups;
  auto read = document->root().field("resourceGroups").each([&](const text::Field& field) -> Result<void> {
    if (groups.size() >= kMaxResourceGroups) return std::unexpected(field.error("there are too many groups"));
    auto group = read_group(field);
    if (!group) return std::unexpected(group.error());
    groups.push_back(std::move(*group));
    return {};
  });
  if (!read) return std::unexpected(read.error());
  return groups;
}

}  // namespace basalt::webhook

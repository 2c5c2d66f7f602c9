#include "kube/api/apply/last_applied.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kube/api/apply/field_changes.h"
#include "kube/api/apply/path_element.h"
#include "kube/api/apply/typed_value.h"
#include "kube/api/name_validation.h"

namespace basalt::api {
namespace {

using text::Object;
using text::Value;

const Value* find_annotations(const Value& object) {
  const Value* metadata = text::find_member(object, "metadata");
  return metadata == nullptr ? nullptr : text::find_member(*metadata, "annotations");
}

const Value* find_annotation(const Value& object) {
  const Value* annotations = find_annotations(object);
  const Value* text = annotations == nullptr ? nullptr : text::find_member(*annotations, kLastApplied);
  return text == nullptr || !text->is_string() || text->get_string().empty() ? nullptr : text;
}

// JSON with sorted keys, as Go writes maps; without the annotation itself.
void append_sorted(std::string& out, const Value& value) {
  if (const Object* object = value.if_object()) {
    std::vector<std::pair<std::string_view, const Value*>> members;
    for (const auto& member : *object) {
      if (member.key() != kLastApplied) members.emplace_back(member.key(), &member.value());
    }
    std::ranges::sort(members);
    out.push_back('{');
    for (const auto& [key, member] : members) {
      if (out.back() != '{') out.push_back(',');
      append_canonical_string(out, key);
      out.push_back(':');
      append_sorted(out, *member);
    }
    out.push_back('}');
  } else if (const text::Array* array = value.if_array()) {
    out.push_back('[');
    for (const Value& element : *array) {
      if (out.back() != '[') out.push_back(',');
      append_sorted(out, element);
    }
    out.push_back(']');
  } else {
    append_canonical(out, value);
  }
}

}  // namespace

Value last_applied_config(const Schema& schema, const Value& live, std::string_view api_version) {
  const Value* annotation = find_annotation(live);
  if (annotation == nullptr) return nullptr;
  auto config = text::parse_json(annotation->get_string());
  if (!config || !config->is_object()) return nullptr;
  const Value* version = text::find_member(*config, "apiVersion");
  if (version == nullptr || *version != Value(api_version) || !find_type_error(schema, *config).empty()) return nullptr;
  return std::move(*config);
}

FieldSet fields_last_applied(FieldArena& arena, const Schema& schema, const Value& last_applied, const Value& live) {
  const FieldChanges changes = compare_objects(arena, schema, last_applied, live);
  FieldSet fields = fields_of_config(arena, schema, last_applied);
  for (const FieldSet changed : {changes.modified, changes.added, changes.removed}) {
    fields = subtract(arena, fields, changed);
  }
  return fields;
}

void renew_last_applied(Value& object, const Value& config) {
  if (find_annotation(object) == nullptr) return;
  std::string text;
  append_sorted(text, config);
  text.push_back('\n');
  Object& annotations = object.get_object()["metadata"].get_object()["annotations"].get_object();
  size_t bytes = 0;
  for (const auto& member : annotations) {
    const bool renewed = member.key() == kLastApplied;
    bytes += member.key().size() + (renewed                      ? text.size()
                                    : member.value().is_string() ? member.value().get_string().size()
                                                                 : 0);
  }
  if (bytes > kMaxAnnotationBytes) {
    annotations.erase(kLastApplied);
  } else {
    annotations.insert_or_assign(kLastApplied, text);
  }
}

}  // namespace basalt::api

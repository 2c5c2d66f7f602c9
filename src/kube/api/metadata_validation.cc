// The rules of metadata that hold for every kind (declared in name_validation.h).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "kube/api/name_validation.h"
#include "kube/api/rules/field_path.h"
#include "kube/api/rules/member_access.h"

namespace basalt::api {
namespace {

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

void validate_owner(const text::Object& owner, const rules::FieldPath& at, Causes& causes) {
  const std::string_view api_version = rules::string_at(owner, "apiVersion");
  const std::string_view kind = rules::string_at(owner, "kind");
  // "group/version", or the version alone for the core group.
  const size_t slash = api_version.find('/');
  const std::string_view version = slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  if (version.empty() || version.find('/') != std::string_view::npos) {
    causes.invalid(at.key("apiVersion").text(), text::Value(api_version), "version must not be empty");
  }
  for (const std::string_view field : {"kind", "name", "uid"}) {
    if (rules::string_at(owner, field).empty())
      causes.invalid(at.key(field).text(), text::Value(""), "must not be empty");
  }
  if (api_version == "v1" && kind == "Event") {
    causes.invalid(at.text(), owner, "/v1, Kind=Event is disallowed from being an owner");
  }
}

void validate_owners(const text::Object& metadata, const rules::FieldPath& at, Causes& causes) {
  std::string controller;
  rules::each_object(metadata, "ownerReferences", [&](const text::Object& owner, size_t) {
    validate_owner(owner, at, causes);
    if (!rules::is_true(owner, "controller")) return;
    const std::string name = fmt::format("{}/{}", rules::string_at(owner, "kind"), rules::string_at(owner, "name"));
    if (controller.empty()) {
      controller = name;
      return;
    }
    causes.invalid(at.text(), metadata.at("ownerReferences"),
                   fmt::format("Only one reference can have Controller set to true. Found \"true\" in references for "
                               "{} and {}",
                               controller, name));
  });
}

void validate_finalizers(const text::Object& metadata, const rules::FieldPath& at, Causes& causes) {
  bool orphan = false;
  bool foreground = false;
  rules::each_string(metadata, "finalizers", [&](std::string_view name, size_t) {
    for (const std::string& why : qualified_name(name)) causes.invalid(at.text(), text::Value(name), why);
    orphan = orphan || name == kOrphan;
    foreground = foreground || name == kForeground;
  });
  if (orphan && foreground) {
    causes.invalid(at.text(), metadata.at("finalizers"),
                   fmt::format("finalizer {} and {} cannot be both set", kOrphan, kForeground));
  }
}

void validate_common(const text::Object& metadata, const rules::FieldPath& at, Causes& causes) {
  if (const text::Object* labels = rules::object_at(metadata, "labels")) {
    validate_labels(*labels, "metadata.labels", causes);
  }
  if (const text::Object* annotations = rules::object_at(metadata, "annotations")) {
    validate_annotations(*annotations, "metadata.annotations", causes);
  }
  validate_owners(metadata, at.key("ownerReferences"), causes);
}

void validate_namespace(const text::Object& metadata, bool namespaced, const rules::FieldPath& at, Causes& causes) {
  const std::string_view name = rules::string_at(metadata, "namespace");
  if (!namespaced) {
    if (!name.empty()) causes.forbidden(at.text(), "not allowed on this type");
    return;
  }
  if (name.empty()) {
    causes.required(at.text());
    return;
  }
  for (const std::string& why : dns1123_label(name)) causes.invalid(at.text(), text::Value(name), why);
}

// Names that `next` rules::has and `old` rules::has not, for a message in Go's notation of a list.
std::string added_finalizers(const text::Object& next, const text::Object& old) {
  std::set<std::string_view> known;
  rules::each_string(old, "finalizers", [&](std::string_view name, size_t) { known.insert(name); });
  std::vector<std::string> added;
  rules::each_string(next, "finalizers", [&](std::string_view name, size_t) {
    if (!known.contains(name)) added.push_back(fmt::format("\"{}\"", name));
  });
  std::ranges::sort(added);
  return fmt::format("{}", fmt::join(added, ", "));
}

}  // namespace

void validate_labels(const text::Object& labels, std::string_view path, Causes& causes) {
  for (const auto& member : labels) {
    const std::string_view key = member.key();
    for (const std::string& why : qualified_name(key)) causes.invalid(std::string(path), text::Value(key), why);
    for (const std::string& why : label_value(rules::view_of(member.value()))) {
      causes.invalid(std::string(path), member.value(), why);
    }
  }
}

void validate_annotations(const text::Object& annotations, std::string_view path, Causes& causes) {
  size_t bytes = 0;
  for (const auto& member : annotations) {
    const std::string_view key = member.key();
    bytes += key.size() + rules::view_of(member.value()).size();
    // Upper case is allowed in the prefix too, here only.
    for (const std::string& why : qualified_name(lower(key))) {
      causes.invalid(std::string(path), text::Value(key), why);
    }
  }
  if (bytes > kMaxAnnotationBytes) causes.too_long(std::string(path), kMaxAnnotationBytes);
}

void validate_builtin_finalizers(const text::Object& metadata, Causes& causes) {
  const rules::FieldPath list("metadata.finalizers");
  rules::each_string(metadata, "finalizers", [&](std::string_view name, size_t i) {
    if (name.find('/') != std::string_view::npos || name == "kubernetes" || name == kOrphan || name == kForeground) {
      return;
    }
    causes.invalid(list.at(i).text(), text::Value(name),
                   "name is neither a standard finalizer name nor is it fully qualified");
  });
}

void validate_metadata(const text::Object& metadata, bool namespaced, NameRule rule, Causes& causes) {
  const rules::FieldPath at("metadata");
  const std::string_view prefix = rules::string_at(metadata, "generateName");
  if (!prefix.empty()) {
    for (const std::string& why : object_name(rule, prefix, true)) {
      causes.invalid(at.key("generateName").text(), text::Value(prefix), why);
    }
  }
  const std::string_view name = rules::string_at(metadata, "name");
  if (name.empty()) {
    causes.required(at.key("name").text(), "name or generateName is required");
  } else {
    for (const std::string& why : object_name(rule, name))
      causes.invalid(at.key("name").text(), text::Value(name), why);
  }
  validate_namespace(metadata, namespaced, at.key("namespace"), causes);
  if (const auto generation = rules::int_at(metadata, "generation"); generation && *generation < 0) {
    causes.invalid(at.key("generation").text(), *generation, "must be greater than or equal to 0");
  }
  validate_common(metadata, at, causes);
  validate_finalizers(metadata, at.key("finalizers"), causes);
}

void validate_metadata_update(const text::Object& next, const text::Object& old, Causes& causes) {
  const rules::FieldPath at("metadata");
  if (rules::has(old, "deletionTimestamp")) {
    if (const std::string added = added_finalizers(next, old); !added.empty()) {
      causes.forbidden(at.key("finalizers").text(),
                       fmt::format("no new finalizers can be added if the object is being deleted, found new "
                                   "finalizers []string{{{}}}",
                                   added));
    }
  }
  if (rules::int_at(next, "generation").value_or(0) < rules::int_at(old, "generation").value_or(0)) {
    causes.invalid(at.key("generation").text(), rules::int_at(next, "generation").value_or(0),
                   "must not be decremented");
  }
  for (const std::string_view field :
       {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    if (rules::same_member(next, old, field)) continue;
    const text::Value* value = next.if_contains(field);
    causes.invalid(at.key(field).text(), value == nullptr ? text::Value(nullptr) : *value, "field is immutable");
  }
  validate_common(next, at, causes);
}

}  // namespace basalt::api

#include "kube/api/apply/ownership.h"

namespace basalt::api {
namespace {

constexpr FieldNode field(std::string_view name, bool member, const FieldNode* child, const FieldNode* next) {
  return {.element = {.kind = PathElementKind::Field, .text = name}, .member = member, .child = child, .next = next};
}

// Sets known at compile time, written back to front: siblings are sorted by name.
constexpr FieldNode kUid = field("uid", true, nullptr, nullptr);
constexpr FieldNode kSelfLink = field("selfLink", true, nullptr, &kUid);
constexpr FieldNode kResourceVersion = field("resourceVersion", true, nullptr, &kSelfLink);
constexpr FieldNode kNamespace = field("namespace", true, nullptr, &kResourceVersion);
constexpr FieldNode kName = field("name", true, nullptr, &kNamespace);
constexpr FieldNode kManagedFields = field("managedFields", true, nullptr, &kName);
constexpr FieldNode kGeneration = field("generation", true, nullptr, &kManagedFields);
constexpr FieldNode kCreationTimestamp = field("creationTimestamp", true, nullptr, &kGeneration);
constexpr FieldNode kClusterName = field("clusterName", true, nullptr, &kCreationTimestamp);
constexpr FieldNode kMetadata = field("metadata", true, &kClusterName, nullptr);
constexpr FieldNode kKind = field("kind", true, nullptr, &kMetadata);
constexpr FieldNode kIdentity = field("apiVersion", true, nullptr, &kKind);

constexpr FieldNode kStatus = field("status", true, nullptr, nullptr);
constexpr FieldNode kSpec = field("spec", true, nullptr, nullptr);
constexpr FieldNode kMetadataAndSpec = field("metadata", true, nullptr, &kSpec);
constexpr FieldNode kLabels = field("labels", true, nullptr, nullptr);
constexpr FieldNode kLabelsAndSpec = field("metadata", false, &kLabels, &kSpec);
constexpr FieldNode kOwnerReferences = field("ownerReferences", true, nullptr, nullptr);
constexpr FieldNode kDeletionTimestamp = field("deletionTimestamp", true, nullptr, &kOwnerReferences);
constexpr FieldNode kLifeAndSpec = field("metadata", false, &kDeletionTimestamp, &kSpec);

// What a write to /status leaves alone differs among built-in kinds.
FieldSet reset_fields(const Schema& schema, const FieldManager& writer) {
  if (!writer.status_is_subresource) return nullptr;
  if (writer.subresource.empty()) return &kStatus;
  if (writer.subresource != "status") return nullptr;
  if (writer.custom) return &kMetadataAndSpec;
  if (schema.name == "io.k8s.api.apps.v1.Deployment") return &kLabelsAndSpec;
  if (schema.name == "io.k8s.api.core.v1.Pod") return &kLifeAndSpec;
  return &kSpec;
}

}  // namespace

FieldOwner owner_of(const FieldManager& writer, bool applied) {
  return {.manager = writer.manager.empty() ? std::string_view("unknown") : std::string_view(writer.manager),
          .api_version = writer.api_version,
          .subresource = writer.subresource,
          .applied = applied};
}

FieldSet without_identity(FieldArena& arena, FieldSet fields) { return subtract(arena, fields, &kIdentity); }

FieldSet without_reset_fields(FieldArena& arena, const Schema& schema, FieldSet fields, const FieldManager& writer) {
  return subtract_trees(arena, fields, reset_fields(schema, writer));
}

FieldChanges without_reset_fields(FieldArena& arena, const Schema& schema, const FieldChanges& changes,
                                  const FieldManager& writer) {
  return {.removed = without_reset_fields(arena, schema, changes.removed, writer),
          .modified = without_reset_fields(arena, schema, changes.modified, writer),
          .added = without_reset_fields(arena, schema, changes.added, writer)};
}

FieldOwners owners_before(FieldArena& arena, const text::Value* given, const text::Value& live) {
  const bool too_many = given != nullptr && given->is_array() && given->get_array().size() > kMaxFieldOwners;
  if (given != nullptr && !too_many) {
    if (auto owners = read_owners(arena, *given); owners && !owners->empty()) return std::move(*owners);
  }
  return read_owners(arena, live).value_or(FieldOwners());
}

void record_update(FieldArena& arena, FieldOwners& owners, const FieldChanges& changes, const FieldOwner& self) {
  const FieldSet touched = unite(arena, changes.modified, changes.added);
  for (FieldOwner& owner : owners) {
    owner.fields = subtract(arena, subtract(arena, owner.fields, touched), changes.removed);
  }
  drop_empty(owners);
  if (self.fields == nullptr) return;
  if (FieldOwner* before = find_owner(owners, self)) {
    before->fields = unite(arena, self.fields, before->fields);
    before->time = self.time;
  } else {
    owners.push_back(self);
  }
}

}  // namespace basalt::api

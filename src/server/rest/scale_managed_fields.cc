#include "server/rest/scale_managed_fields.h"

#include "kube/api/apply/field_owners.h"
#include "kube/api/object_fields.h"

namespace basalt::server {
namespace {

using api::FieldOwner;
using api::FieldOwners;
using api::FieldSet;

// The set of one field: the last step of the path.
FieldSet single(api::FieldArena& arena, std::string_view path) {
  path.remove_prefix(path.starts_with('.') ? 1 : 0);
  const std::string_view step = path.substr(0, path.find('.'));
  const bool last = step.size() == path.size();
  return arena.node({.element = {.kind = api::PathElementKind::Field, .text = arena.keep(step)},
                     .member = last,
                     .child = last ? nullptr : single(arena, path.substr(step.size()))});
}

bool owns(api::FieldArena& arena, const FieldOwner& owner, FieldSet field) {
  return api::intersect(arena, owner.fields, field) != nullptr;
}

}  // namespace

void update_scale_managed_fields(text::Object& object, std::string_view path, int64_t before, int64_t now,
                                 const api::FieldManager& writer) {
  text::Object& metadata = api::metadata_of(object);
  const text::Value* entries = metadata.if_contains("managedFields");
  if (entries == nullptr) return;
  const text::Value former = *entries;  // owners point into it
  api::FieldArena arena;
  const auto read = api::read_owners(arena, former);
  if (!read) return;
  const FieldSet replicas = single(arena, path);
  FieldOwners owners, twins;
  bool owned = false;
  const bool kept = before == now;
  for (const FieldOwner& owner : *read) {
    const bool has_it = owns(arena, owner, replicas);
    owned = owned || has_it;
    if (!has_it || (owner.applied && kept)) {
      owners.push_back(owner);
      continue;
    }
    if (kept) {
      FieldOwner twin = owner;
      twin.time = {};
      twin.fields = replicas;
      twins.push_back(twin);
    }
    FieldOwner rest = owner;
    rest.fields = api::subtract(arena, owner.fields, replicas);
    owners.push_back(rest);
  }
  if (owned && !kept && now != 0) {  // what nobody owned so far is not tracked by an update
    twins.push_back({.manager = writer.manager,
                     .api_version = writer.api_version,
                     .subresource = writer.subresource,
                     .fields = replicas});
  }
  api::drop_empty(owners);
  owners.insert(owners.end(), twins.begin(), twins.end());
  metadata["managedFields"] = api::write_owners(owners);
}

}  // namespace basalt::server

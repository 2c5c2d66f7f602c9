#include "kube/api/apply/managed_fields.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kube/api/apply/field_changes.h"
#include "kube/api/apply/field_owners.h"
#include "kube/api/apply/fields_v1.h"
#include "kube/api/apply/ownership.h"
#include "kube/text/rfc3339.h"

namespace basalt::api {
namespace {

using text::Array;
using text::Object;
using text::Value;

const Value& managed_fields_of(const Value* object) {
  const Value* metadata = object == nullptr ? nullptr : text::find_member(*object, "metadata");
  const Value* entries = metadata == nullptr ? nullptr : text::find_member(*metadata, "managedFields");
  static const Value kNone;
  return entries == nullptr ? kNone : *entries;
}

// A client asks for a fresh start with an empty list, or a list of one empty entry.
bool asks_reset(const Value& entries) {
  const Array* list = entries.if_array();
  if (list == nullptr || list->size() > 1) return false;
  return list->empty() || (list->front().is_object() && list->front().get_object().empty());
}

Value take_managed_fields(Object& metadata) {
  const auto found = metadata.find("managedFields");
  if (found == metadata.end()) return nullptr;
  Value entries = std::move(found->value());
  metadata.stable_erase(found);
  return entries;
}

// The writer's entry among those written, or nullptr.
Object* find_entry(Array& entries, const FieldOwner& self) {
  const auto is = [](const Object& entry, std::string_view key, std::string_view text) {
    const Value* value = entry.if_contains(key);
    return value == nullptr ? text.empty() : value->is_string() && value->get_string() == text;
  };
  for (Value& value : entries) {
    Object* entry = value.if_object();
    if (entry != nullptr && is(*entry, "manager", self.manager) && is(*entry, "operation", "Update") &&
        is(*entry, "apiVersion", self.api_version) && is(*entry, "subresource", self.subresource)) {
      return entry;
    }
  }
  return nullptr;
}

// When the writer changed only what it owns already, and nobody else owns, just its time moves. The entries are then
// changed without reading them. False: it is not so, nothing was done.
bool only_time_moves(Array& entries, const FieldOwner& self, const FieldChanges& changes, FieldSet touched) {
  Object* own = find_entry(entries, self);
  const Value* own_fields = own == nullptr ? nullptr : own->if_contains("fieldsV1");
  if (own_fields == nullptr || !includes(*own_fields, self.fields)) return false;
  for (const Value& value : entries) {
    const Value* fields = text::find_member(value, "fieldsV1");
    if (fields == nullptr) return false;
    if (changes.removed != nullptr && touches(*fields, changes.removed)) return false;
    if (fields != own_fields && touches(*fields, touched)) return false;
  }
  own->insert_or_assign("time", self.time);
  sort_entries(entries);
  return true;
}

// Entries without a time come from /scale and may name an owner twice; reading them unites the two.
bool all_timed(const Array& entries) {
  return std::ranges::all_of(entries, [](const Value& entry) { return text::find_member(entry, "time") != nullptr; });
}

}  // namespace

void track_update(const Schema& schema, const Value* old, Value& next, const FieldManager& writer) {
  Value* metadata = next.is_object() ? next.get_object().if_contains("metadata") : nullptr;
  if (metadata == nullptr || !metadata->is_object()) return;
  const Value given = take_managed_fields(metadata->get_object());
  const Value& live = managed_fields_of(old);
  const bool may_be_given = writer.subresource.empty();
  if (may_be_given && old != nullptr && asks_reset(given)) return;  // nobody owns anything until the next apply

  FieldArena arena;
  FieldChanges changes;
  if (old == nullptr) {
    changes.added = fields_of_new(arena, schema, next);
  } else {
    changes = compare_objects(arena, schema, *old, next);
  }
  changes = without_reset_fields(arena, schema, changes, writer);
  const FieldSet touched = unite(arena, changes.modified, changes.added);
  const std::string now = text::format_time(writer.now);
  FieldOwner self = owner_of(writer, false);
  self.time = now;
  self.fields = without_identity(arena, touched);

  Object& target = metadata->get_object();
  const bool others_given = may_be_given && !given.is_null() && given != live;
  if (!others_given && live.is_array() && !live.get_array().empty() && all_timed(live.get_array())) {
    Value entries = live;
    const bool unchanged = self.fields == nullptr && touched == nullptr && changes.removed == nullptr;
    if (unchanged || (self.fields != nullptr && only_time_moves(entries.get_array(), self, changes, touched))) {
      target.emplace("managedFields", std::move(entries));
      return;
    }
  }
  FieldOwners owners = owners_before(arena, may_be_given ? &given : nullptr, live);
  if (owners.empty() && old != nullptr) return;  // not tracked so far: an update does not begin it
  record_update(arena, owners, changes, self);
  cap_owners(arena, owners);
  if (!owners.empty()) target.emplace("managedFields", write_owners(owners));
}

}  // namespace basalt::api

#include "kube/api/apply/field_owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "kube/api/apply/fields_v1.h"
#include "kube/text/rfc3339.h"

namespace basalt::api {
namespace {

using text::Array;
using text::Object;
using text::Value;

std::string_view text_of(const Object& entry, std::string_view key) {
  const Value* value = entry.if_contains(key);
  return value == nullptr || !value->is_string() ? std::string_view() : std::string_view(value->get_string());
}

int64_t seconds_of(std::string_view time) {
  constexpr int64_t kNanosPerSecond = 1'000'000'000;
  const auto at = text::parse_time(time);
  return at ? at->nanos / kNanosPerSecond : 0;
}

// The place of an entry among the others.
using Rank = std::tuple<bool, int64_t, std::string_view, std::string_view, std::string_view>;

Rank rank_of(const FieldOwner& owner) {
  return {!owner.applied, seconds_of(owner.time), owner.manager, owner.api_version, owner.subresource};
}

Rank rank_of(const Value& value) {
  const Object* entry = value.if_object();
  if (entry == nullptr) return {};
  return {text_of(*entry, "operation") != "Apply", seconds_of(text_of(*entry, "time")), text_of(*entry, "manager"),
          text_of(*entry, "apiVersion"), text_of(*entry, "subresource")};
}

// What Kubernetes calls an owner inside: decides among equally old ones.
std::string identifier(const FieldOwner& owner) {
  return fmt::format(R"({{"manager":"{}","operation":"Update","apiVersion":"{}"{}}})", owner.manager, owner.api_version,
                     owner.subresource.empty() ? "" : fmt::format(R"(,"subresource":"{}")", owner.subresource));
}

Result<FieldOwner> read_owner(FieldArena& arena, const Value& value) {
  const Object* entry = value.if_object();
  if (entry == nullptr) return invalid("managedFields: expected an object, got " + text::describe(value));
  const std::string_view operation = text_of(*entry, "operation");
  if (operation != "Apply" && operation != "Update") return invalid("operation must be `Apply` or `Update`");
  FieldOwner owner{.manager = text_of(*entry, "manager"),
                   .api_version = text_of(*entry, "apiVersion"),
                   .subresource = text_of(*entry, "subresource"),
                   .applied = operation == "Apply",
                   .time = text_of(*entry, "time")};
  if (owner.api_version.empty()) return invalid("apiVersion must not be empty");
  if (text_of(*entry, "fieldsType") != "FieldsV1") return invalid("fieldsType must be FieldsV1");
  const Value* written = entry->if_contains("fieldsV1");
  if (written != nullptr) {
    const auto fields = read_fields(arena, *written);
    if (!fields) return std::unexpected(fields.error());
    owner.fields = *fields;
  }
  return owner;
}

}  // namespace

bool FieldOwner::same_owner(const FieldOwner& other) const {
  return applied == other.applied && manager == other.manager && subresource == other.subresource &&
         (applied || api_version == other.api_version);
}

Result<FieldOwners> read_owners(FieldArena& arena, const Value& managed_fields) {
  FieldOwners owners;
  if (managed_fields.is_null()) return owners;
  const Array* entries = managed_fields.if_array();
  if (entries == nullptr) return invalid("managedFields: expected a list, got " + text::describe(managed_fields));
  for (const Value& entry : *entries) {
    const auto owner = read_owner(arena, entry);
    if (!owner) return std::unexpected(owner.error());
    if (FieldOwner* known = find_owner(owners, *owner)) {
      *known = *owner;
    } else {
      owners.push_back(*owner);
    }
  }
  return owners;
}

FieldOwner* find_owner(FieldOwners& owners, const FieldOwner& owner) {
  const auto found = std::ranges::find_if(owners, [&](const FieldOwner& other) { return other.same_owner(owner); });
  return found == owners.end() ? nullptr : &*found;
}

void drop_empty(FieldOwners& owners) {
  std::erase_if(owners, [](const FieldOwner& owner) { return owner.fields == nullptr; });
}

void cap_owners(FieldArena& arena, FieldOwners& owners) {
  size_t count = static_cast<size_t>(std::ranges::count(owners, false, &FieldOwner::applied));
  if (count <= kMaxUpdateOwners) return;
  std::vector<std::pair<std::pair<int64_t, std::string>, FieldOwner>> oldest;
  for (const FieldOwner& owner : owners) {
    if (!owner.applied) oldest.push_back({{seconds_of(owner.time), identifier(owner)}, owner});
  }
  std::ranges::sort(oldest, {}, [](const auto& item) -> const auto& { return item.first; });
  const auto erase = [&](const FieldOwner& gone) {
    std::erase_if(owners, [&](const FieldOwner& owner) { return owner.same_owner(gone); });
  };
  std::map<std::string_view, FieldOwner> first_of_version;
  for (const auto& [age, owner] : oldest) {
    if (count <= kMaxUpdateOwners) break;
    const auto [first, is_first] = first_of_version.try_emplace(owner.api_version, owner);
    FieldOwner bucket{.manager = kAncientOwner, .api_version = owner.api_version};
    if (is_first || owner.same_owner(bucket)) continue;
    if (FieldOwner* known = find_owner(owners, bucket)) {
      bucket = *known;
    } else {
      bucket.fields = first->second.fields;
      erase(first->second);
      owners.push_back(bucket);
    }
    erase(owner);
    FieldOwner* merged = find_owner(owners, bucket);
    merged->fields = unite(arena, bucket.fields, owner.fields);
    merged->time = owner.time;
    --count;
  }
}

Value write_owners(FieldOwners& owners) {
  std::ranges::stable_sort(owners, {}, [](const FieldOwner& owner) { return rank_of(owner); });
  Value out(boost::json::array_kind);
  Array& entries = out.get_array();
  entries.reserve(owners.size());
  constexpr size_t kKeys = 7;
  for (const FieldOwner& owner : owners) {
    Object& entry = entries.emplace_back(boost::json::object_kind).get_object();
    entry.reserve(kKeys);
    if (!owner.manager.empty()) entry.emplace("manager", owner.manager);
    entry.emplace("operation", owner.applied ? "Apply" : "Update");
    entry.emplace("apiVersion", owner.api_version);
    if (!owner.time.empty()) entry.emplace("time", owner.time);
    entry.emplace("fieldsType", "FieldsV1");
    entry.emplace("fieldsV1", write_fields(owner.fields));
    if (!owner.subresource.empty()) entry.emplace("subresource", owner.subresource);
  }
  return out;
}

void sort_entries(Array& entries) {
  if (std::ranges::is_sorted(entries, {}, [](const Value& entry) { return rank_of(entry); })) return;
  std::vector<Value> sorted(std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
  std::ranges::stable_sort(sorted, {}, [](const Value& entry) { return rank_of(entry); });
  for (size_t i = 0; i < sorted.size(); ++i) entries[i] = std::move(sorted[i]);
}

}  // namespace basalt::api

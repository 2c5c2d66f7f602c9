// The entries of metadata.managedFields, read.
//
// An owner is one (manager, operation, apiVersion, subresource); those who apply are the same owner in every version.
// Strings and sets point into the document that was read, or into the FieldManager: both must outlive the owners.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/api/apply/field_set.h"
#include "kube/text/json.h"

namespace basalt::api {

// More owners by update than these are merged into one called kAncientOwner, the oldest first.
inline constexpr size_t kMaxUpdateOwners = 10;
// Each write compares what it changed with what each owner has. A client that sends more owners is not listened to, and
// one more cannot apply.
inline constexpr size_t kMaxFieldOwners = 1'000;
inline constexpr std::string_view kAncientOwner = "ancient-changes";

struct FieldOwner {
  std::string_view manager, api_version, subresource;
  bool applied = false;   // operation Apply, else Update
  std::string_view time;  // RFC 3339; "" when not known
  FieldSet fields = nullptr;

  [[nodiscard]] bool same_owner(const FieldOwner& other) const;
};

using FieldOwners = std::vector<FieldOwner>;

// Fails for entries that are no entries: unknown operation or fieldsType, no apiVersion, unreadable fields; and for
// more than kMaxFieldOwners of them.
[[nodiscard]] Result<FieldOwners> read_owners(FieldArena& arena, const text::Value& managed_fields);

// The owner that is the same as `owner`, or nullptr.
[[nodiscard]] FieldOwner* find_owner(FieldOwners& owners, const FieldOwner& owner);

// An owner of nothing is none.
void drop_empty(FieldOwners& owners);

void cap_owners(FieldArena& arena, FieldOwners& owners);

// managedFields in Kubernetes' order: Apply before Update, then by time, manager, apiVersion, subresource.
[[nodiscard]] text::Value write_owners(FieldOwners& owners);
// Puts entries that are written already into that order.
void sort_entries(text::Array& entries);

}  // namespace basalt::api

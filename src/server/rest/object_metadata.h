// What the server itself keeps in metadata: identity, times, generation, and the marks of a deletion under way.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

// A new object: its name (generated when only a prefix is given), namespace, uid, creation time; what a client may not
// set is cleared.
[[nodiscard]] api::ApiResult<void> prepare_for_create(const CallContext& context, text::Object& object);

// An object that replaces `old`: creation time and generation are taken from it; another uid stays, for validation to
// refuse.
void prepare_for_update(text::Object& next, const text::Object& old);
// The same for the marks of a deletion under way; a deletion of the client's own stays, for validation to refuse. What
// the client said about them counts for who owns the fields, so this comes after the owners are settled.
void keep_deletion_metadata(text::Object& next, const text::Object& old);

// Raises metadata.generation when anything but metadata and status differs.
void update_generation(const api::ApiResource& resource, text::Object& next, const text::Object& old);

// Deletion has begun at `now`, to be complete `grace` seconds later.
void mark_deleted(text::Object& object, Instant now, int64_t grace);

// The condition of a type (an object) among those of a status; null when there is none.
[[nodiscard]] text::Value* condition_of(text::Array& conditions, std::string_view type);

[[nodiscard]] bool is_being_deleted(const text::Object& object);
[[nodiscard]] bool has_finalizers(const text::Object& object);
// True when nothing holds the object back any more: being deleted, no grace left, no finalizers.
[[nodiscard]] bool is_ready_for_removal(const text::Object& object);

// Equal but for managedFields' times: writing it would change nothing.
[[nodiscard]] bool same_content(const text::Object& a, const text::Object& b);

}  // namespace basalt::server

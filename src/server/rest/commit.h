// The last step of a write: into the store, and the answer when it is durable.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

// An object as it is stored, in bytes of JSON: what etcd takes by default. Every write comes by here, whatever verb,
// patch, defaulting, admission or controller made it so large; more is answered 413. Nothing may grow an object that is
// larger already, from an earlier version; it can be made smaller and deleted.
inline constexpr size_t kMaxObjectBytes = size_t{1536} * 1024;
// What an object may have besides while it is being deleted: the time, and what others note about it.
inline constexpr size_t kDeletionBytes = size_t{64} * 1024;

enum class CommitResult : uint8_t {
  Accepted,  // the call will be answered when the write is committed
  Conflict,  // somebody else wrote first: nothing happened, the caller may try again
};

// What a write means for its object.
enum class CommitAction : uint8_t {
  Update,
  Delete,            // the written state is its last
  UpdateThenDelete,  // the same, but watchers see the written state before they see it gone: two steps in one go
};

// Writes `object` in the place of the record at revision `expected` (0: none). A dry run answers at once and writes
// nothing. Errors other than Conflict are answered here, too large an object among them. `finish` may turn the written
// record into another answer (a Status for a removal).
[[nodiscard]] CommitResult commit(const ContextPtr& context, const std::string& key, text::Value object,
                                  store::Revision expected, CommitAction action, bool created,
                                  std::function<ApiResponse(const store::RecordPtr&)> finish = nullptr);

// The last finalizer goes with this write: `old` is removed as it was (that is what watchers see), and the answer shows
// `next` at the revision that was replaced.
[[nodiscard]] CommitResult commit_finalized_deletion(
    const ContextPtr& context, const std::string& key, text::Value next, const text::Value& old,
    store::Revision expected, std::function<ApiResponse(const store::RecordPtr&)> finish = nullptr);

}  // namespace basalt::server

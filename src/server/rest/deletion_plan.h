// What a DELETE means for an object, decided from its state and the options alone: it goes, it is marked and stays
// until its grace period and its finalizers are over, or it is on its way already. Pure; cost: one copy of the object.
#pragma once

#include <optional>
#include <string>

#include "server/rest/call_context.h"
#include "server/rest/commit.h"

namespace basalt::server {

struct DeleteOptions {
  std::optional<int64_t> grace;
  std::string uid, resource_version;  // preconditions; "": none
  std::string propagation;            // "", Background, Foreground, Orphan
  bool dry_run = false;
  bool cascade = false;  // orphanDependents is false: a deletion that takes time is answered with 202
};

// The options in the body of a call (null: none), or why they are refused.
[[nodiscard]] api::ApiResult<DeleteOptions> read_delete_options(const text::Value& body);

struct DeletionPlan {
  text::Value next;                            // the state to write, or the last one
  CommitAction action = CommitAction::Update;  // a pod whose marks of deletion are new departs
  bool nothing = false;                        // it is already on its way; nothing to write
};

[[nodiscard]] DeletionPlan plan_deletion(const CallContext& context, const DeleteOptions& options,
                                         const text::Value& old);

}  // namespace basalt::server

// Kinds that are questions, not objects: who am I, may I. They are answered and never stored.
#pragma once

#include "kube/api/call.h"
#include "kube/api/resource.h"
#include "server/rest/answer.h"

namespace basalt::server {

[[nodiscard]] bool is_review(const api::Resource& resource);

// Requires: is_review(resource).
[[nodiscard]] Outcome answer_review(const api::Resource& resource, const api::Call& call, const api::User& user);

}  // namespace basalt::server

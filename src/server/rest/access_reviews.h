// Kinds that are questions, not objects: who am I, may I. They are answered and never stored.
#pragma once

#include "kube/api/api_resource.h"
#include "kube/api/call.h"
#include "server/rest/api_response.h"

namespace basalt::server {

[[nodiscard]] bool is_review(const api::ApiResource& resource);

// Requires: is_review(resource).
[[nodiscard]] ApiOutcome answer_review(const api::ApiResource& resource, const api::Call& call,
                                       const api::UserInfo& user);

}  // namespace basalt::server

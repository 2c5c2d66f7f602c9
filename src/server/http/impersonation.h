// Impersonate-User, -Group and -Uid: acting as somebody else, as kubectl --as does.
//
// Only members of system:masters may (RBAC, which could allow it to others, is not enforced here). Impersonate-Extra-…
// and any other header of that family is refused: what is not understood must not be ignored.
#pragma once

#include "kube/api/call.h"
#include "kube/net/http.h"

namespace basalt::server {

inline constexpr size_t kMaxImpersonatedGroups = 1'000;

// Whether any header of the family is there.
[[nodiscard]] bool impersonates(const net::Headers& headers);

// Who the request acts as: `caller` without such headers. 403: the caller may not; 400: a header that is not
// understood, or no Impersonate-User beside the others.
[[nodiscard]] api::ApiResult<api::UserInfo> acting_user(const api::UserInfo& caller, const net::Headers& headers);

}  // namespace basalt::server

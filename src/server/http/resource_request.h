// A request on a resource becomes a call: its verb, the options of its URL, its body.
#pragma once

#include "kube/api/api_resource.h"
#include "kube/api/call.h"
#include "kube/net/http.h"
#include "server/http/request_path.h"

namespace basalt::server {

// Completes `call`, which has the place that the path names. Options that a body of DeleteOptions speaks for are taken
// out of `target`. Refusals: 405, 415, 400, 422.
[[nodiscard]] api::ApiResult<void> read_call(const net::HttpRequest& request, RequestTarget& target,
                                             const api::ApiResource& resource, const api::ApiResourceTable& kinds,
                                             api::Call& call);

// "timeout", which every request may have: 400 when it is no length of time. How long we take does not depend on it.
[[nodiscard]] api::ApiResult<void> check_timeout(const RequestTarget& target);

// Whether the state is larger when the call is done: such calls are refused while memory is tight.
[[nodiscard]] bool may_grow(const api::Call& call, const api::ApiResource& resource);

}  // namespace basalt::server

// GET of a collection: consistent at one revision, in pages if asked.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

void list(const ContextPtr& context);

// Everything that the call's selectors match, now; no paging.
[[nodiscard]] api::ApiResult<ListResponse> list_matching(const CallContext& context);

// Rules about resourceVersion, resourceVersionMatch, continue, limit and sendInitialEvents that hold for lists and
// watches.
[[nodiscard]] api::ApiResult<void> check_list_options(const api::Call& call);

// "", "0" and numbers; anything else is 400.
[[nodiscard]] api::ApiResult<store::Revision> parse_revision(const std::string& text);

}  // namespace basalt::server

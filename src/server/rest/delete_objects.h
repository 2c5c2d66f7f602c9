// DELETE: an object goes, at once or when its grace period is over and its finalizers are done.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

void remove(const ContextPtr& context);

// Removes all that a list call with the same selectors would show; answers the list of them.
void remove_collection(const ContextPtr& context);

}  // namespace basalt::server

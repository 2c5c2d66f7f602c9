// The words of a watch for what happened.
#pragma once

#include <string_view>

#include "base/result.h"
#include "kube/client/object_client.h"

namespace basalt::client {

// "ADDED", "MODIFIED", "DELETED", "BOOKMARK" or "ERROR"; an error for any other word.
[[nodiscard]] Result<WatchEventType> parse_watch_event_type(std::string_view word);

}  // namespace basalt::client

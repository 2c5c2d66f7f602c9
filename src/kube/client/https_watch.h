// A watch over HTTPS: a thread of its own that reads a connection of its own.
#pragma once

#include <functional>
#include <memory>

#include "kube/client/object_client.h"
#include "kube/client/transport.h"

namespace basalt::client {

// See HttpsObjectClient::watch. When there is no thread or descriptor left, `receive` gets its Error event at once.
[[nodiscard]] std::unique_ptr<Watch> start_watch(std::shared_ptr<Transport> transport, api::Call call,
                                                 std::function<void(WatchEvent)> receive);

}  // namespace basalt::client

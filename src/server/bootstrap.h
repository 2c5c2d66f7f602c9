// What every cluster has from its first second: namespaces, the two system priority classes, and Volcano's kinds.
#pragma once

#include "base/result.h"
#include "client/object_client.h"

namespace basalt::server {

// Creates what is missing and brings definitions of an older version up to date. Harmless when all is there.
[[nodiscard]] Result<void> bootstrap(client::ObjectClient& client);

}  // namespace basalt::server

// What every cluster has from its first second: namespaces, the two system priority classes, Volcano's kinds and, where
// they are put to use, the queues "root" and "default".
#pragma once

#include "base/result.h"
#include "client/object_client.h"

namespace basalt::server {

struct BootstrapOptions {
  bool queues = false;  // "root" and "default", open
};

// Creates what is missing and brings definitions of an older version up to date. Harmless when all is there: queues
// keep what their owners made of them.
[[nodiscard]] Result<void> bootstrap(client::ObjectClient& client, const BootstrapOptions& options = {});

}  // namespace basalt::server

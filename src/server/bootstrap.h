// What every cluster has from its first second: namespaces, the two system priority classes, Volcano's kinds and, where
// they are put to use, the queues "root" and "default" and the scheduler's policy. Kinds and policy are marked as those
// of the Helm release "volcano" in volcano-system, so that installing a chart there takes them over.
#pragma once

#include <string_view>

#include "base/result.h"
#include "kube/client/object_client.h"

namespace basalt::server {

struct BootstrapOptions {
  bool queues = false;  // "root" and "default", open
  // The scheduler's conf: what the ConfigMap volcano-system/volcano-scheduler-configmap holds from the start. "": there
  // is none. Of a file (`policy_file`, its path) it is shown in any case; what stood there before is kept beside it,
  // and comes back with the first start without a file.
  std::string_view policy = {};
  std::string_view policy_file = {};
};

// Creates what is missing and brings definitions of an older version up to date. Harmless when all is there: queues
// keep what their owners made of them.
[[nodiscard]] Result<void> bootstrap(client::ObjectClient& client, const BootstrapOptions& options = {});

}  // namespace basalt::server

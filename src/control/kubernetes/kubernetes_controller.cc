#include "control/kubernetes/kubernetes_controller.h"

namespace basalt::kubernetes {

std::vector<KubernetesController> all_controllers() {
  return {namespace_controller(),  owner_controller(), account_controller(),  node_controller(),
          eviction_controller(),   event_controller(), quota_controller(),    budget_controller(),
          definition_controller(), pod_controller(),   workload_controller(), component_controller()};
}

}  // namespace basalt::kubernetes

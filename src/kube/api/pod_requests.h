// What a pod asks for, all in all.
//
// Request = containers_total (resource_list.h); then the pod's own requests replace the resources they name; then
// overhead is added.
// While a container is being resized in place, it counts with the most of its spec, what the kubelet allocated and
// what runs; if the resize is infeasible, the spec does not count. Containers do not bring "pods": the caller counts
// the pod itself.
#pragma once

#include <cstdint>

#include "kube/api/pod_types.h"

namespace basalt::api {

// Cost: O(containers · resources · log resources).
[[nodiscard]] ResourceList pod_requests(const Pod& pod);

// The request as kube-scheduler's scores see it: a container that asks for no cpu counts as 100m, for no memory as
// 200Mi (an explicit 0 stays 0). If the pod as a whole has requests, this holds only for a resource that neither the
// pod nor any container names.
struct NonZeroRequests {
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
};
[[nodiscard]] NonZeroRequests pod_nonzero_requests(const Pod& pod);

inline constexpr int64_t kDefaultCpuMilli = 100;
inline constexpr int64_t kDefaultMemoryBytes = int64_t{200} * 1024 * 1024;

}  // namespace basalt::api

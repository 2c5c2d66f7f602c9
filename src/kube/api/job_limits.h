// How large a Volcano job may be. Admission refuses more; the controllers make no pods of a job that came in past it.
//
// Far above what a cluster runs in one job (Kubernetes is built for 150,000 pods in all), and low enough that a slip of
// the keyboard does not fill the store: the pods of one job of this size take about a gigabyte.
#pragma once

#include <cstdint>

namespace basalt::api {

inline constexpr int64_t kMaxPodsPerJob = 100'000;  // the replicas of all its tasks together; minMember of a PodGroup

}  // namespace basalt::api

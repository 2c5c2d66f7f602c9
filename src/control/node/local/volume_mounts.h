// Where a container sees the volumes of its pod.
#pragma once

#include <vector>

#include "control/node/local/process.h"
#include "control/node/local/variable_expansion.h"
#include "control/node/local/volume_manager.h"
#include "kube/text/json.h"

namespace basalt::node {

inline constexpr size_t kMaxMounts = 1'000;  // of a container

// The container's volumeMounts, in order. `variables` are those of subPathExpr. A subPath that is not there is made as
// a directory, but in volumes that are made from objects. Neither "..", nor a symbolic link that somebody put into the
// volume, leads out of it, whenever they put it there (process.h: Mount). Errors are for reason
// CreateContainerConfigError.
[[nodiscard]] Result<std::vector<Mount>> volume_mounts_of(const text::Object& container, const PodVolumes& volumes,
                                                          const Variables& variables);

}  // namespace basalt::node

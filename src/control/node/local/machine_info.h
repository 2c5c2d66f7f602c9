// This machine as a Node describes it: processors, memory, disk, GPUs, kernel, names.
#pragma once

#include <filesystem>
#include <string>

#include "control/node/node_object.h"
#include "kube/api/typed_decode.h"

namespace basalt::node {

inline constexpr int64_t kPodsPerNode = 110;

// cpu (those that this process may use), memory, ephemeral-storage (of the file system of `directory`), pods, and
// nvidia.com/gpu where there are some. What is in `given` wins; a resource that is given as 0 stays away.
[[nodiscard]] api::ResourceList machine_capacity(const std::filesystem::path& directory, size_t gpus,
                                                 const api::ResourceList& given);
[[nodiscard]] MachineInfo machine_info();
// The host name, as a Node may be called: lower case, at most 63 characters. "localhost" when it has none.
[[nodiscard]] std::string machine_name();

}  // namespace basalt::node

// What a running cluster says of itself, asked as any client does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"

namespace basalt::up {

struct NodeCount {
  int64_t all = 0, ready = 0;
};

// By the kubeconfig; an error: the server does not answer. Cost: O(nodes).
[[nodiscard]] Result<NodeCount> count_nodes(const std::filesystem::path& kubeconfig);

// Jobs of all namespaces by phase ("" for one without). Cost: O(jobs).
[[nodiscard]] Result<std::map<std::string, int64_t>> count_jobs(const std::filesystem::path& kubeconfig);

}  // namespace basalt::up

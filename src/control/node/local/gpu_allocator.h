// The GPUs of this machine and who holds them.
//
// Pure bookkeeping, single-threaded. A device belongs to at most one container of one pod; a pod gets the free devices
// with the lowest numbers, containers in their order, so that the same history gives the same devices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace basalt::node {

inline constexpr int64_t kMaxDevices = 1024;
inline constexpr std::string_view kGpuResource = "nvidia.com/gpu";

// The numbers N of <directory>/nvidiaN, ascending; at most kMaxDevices.
[[nodiscard]] std::vector<int> detect_gpus(const std::filesystem::path& directory = "/dev");

struct DeviceRequest {
  std::string container;
  int64_t count = 0;
};

class GpuAllocator {
 public:
  explicit GpuAllocator(std::vector<int> numbers);
  // GpuAllocator 0 … count-1, as configured; at most kMaxDevices.
  static GpuAllocator counted(int64_t count);

  // All devices of a pod at once, or an error (Unsupported) and nothing more is held. A container that holds devices
  // already keeps those: assigning again changes nothing. Container names are distinct.
  Result<void> assign(const std::string& pod_uid, std::span<const DeviceRequest> requests);
  // What the container had before a restart of the node, as far as it is free.
  void restore(const std::string& pod_uid, const std::string& container, std::span<const int> numbers);
  void release(const std::string& pod_uid);

  // Of one container; empty: none.
  [[nodiscard]] std::vector<int> held(const std::string& pod_uid, const std::string& container) const;
  [[nodiscard]] size_t total() const { return holders_.size(); }
  [[nodiscard]] size_t free() const;

 private:
  using Holder = std::pair<std::string, std::string>;  // pod uid, container; both empty: free
  std::map<int, Holder> holders_;
};

// "CUDA_VISIBLE_DEVICES=0,3" and "NVIDIA_VISIBLE_DEVICES=0,3". Where the machine has GPUs and the container holds none:
// "" and "void", so that it does not take another's. `total` 0: no variables.
[[nodiscard]] std::vector<std::string> device_environment(std::span<const int> held, size_t total);

}  // namespace basalt::node

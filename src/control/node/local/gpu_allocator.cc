#include "control/node/local/gpu_allocator.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace basalt::node {

std::vector<int> detect_gpus(const std::filesystem::path& directory) {
  constexpr std::string_view kName = "nvidia";
  std::vector<int> numbers;
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  while (!error && entries != std::filesystem::directory_iterator()) {
    const std::string name = entries->path().filename().string();
    int number = 0;
    const char* const end = name.data() + name.size();
    if (name.starts_with(kName) && name.size() > kName.size()) {
      const auto [stop, wrong] = std::from_chars(name.data() + kName.size(), end, number);
      if (wrong == std::errc() && stop == end && number >= 0) numbers.push_back(number);
    }
    entries.increment(error);
  }
  std::ranges::sort(numbers);
  if (numbers.size() > static_cast<size_t>(kMaxDevices)) numbers.resize(static_cast<size_t>(kMaxDevices));
  return numbers;
}

GpuAllocator::GpuAllocator(std::vector<int> numbers) {
  for (const int number : numbers) holders_.emplace(number, Holder());
}

GpuAllocator GpuAllocator::counted(int64_t count) {
  std::vector<int> numbers;
  for (int64_t i = 0; i < std::min(count, kMaxDevices); ++i) numbers.push_back(static_cast<int>(i));
  return GpuAllocator(std::move(numbers));
}

Result<void> GpuAllocator::assign(const std::string& pod_uid, std::span<const DeviceRequest> requests) {
  const size_t available = free();
  size_t wanted = 0;
  for (const DeviceRequest& request : requests) {
    if (request.count < 0 || request.count > kMaxDevices) {
      return invalid("container " + request.container + " asks for " + std::to_string(request.count) + " GPUs");
    }
    if (held(pod_uid, request.container).empty()) wanted += static_cast<size_t>(request.count);
  }
  if (wanted > available) {
    return failure(ErrorCode::Unsupported, "the pod asks for " + std::to_string(wanted) + " GPUs, but only " +
                                               std::to_string(available) + " of " + std::to_string(total()) +
                                               " are free on this node");
  }
  auto device = holders_.begin();
  for (const DeviceRequest& request : requests) {
    if (!held(pod_uid, request.container).empty()) continue;
    for (int64_t left = request.count; left > 0; ++device) {
      if (!device->second.first.empty()) continue;
      device->second = Holder(pod_uid, request.container);
      --left;
    }
  }
  return {};
}

void GpuAllocator::restore(const std::string& pod_uid, const std::string& container, std::span<const int> numbers) {
  for (const int number : numbers) {
    const auto at = holders_.find(number);
    if (at != holders_.end() && at->second.first.empty()) at->second = Holder(pod_uid, container);
  }
}

void GpuAllocator::release(const std::string& pod_uid) {
  for (auto& [number, holder] : holders_) {
    if (holder.first == pod_uid) holder = Holder();
  }
}

std::vector<int> GpuAllocator::held(const std::string& pod_uid, const std::string& container) const {
  std::vector<int> numbers;
  for (const auto& [number, holder] : holders_) {
    if (holder.first == pod_uid && holder.second == container) numbers.push_back(number);
  }
  return numbers;
}

size_t GpuAllocator::free() const {
  return static_cast<size_t>(std::ranges::count_if(holders_, [](const auto& row) { return row.second.first.empty(); }));
}

std::vector<std::string> device_environment(std::span<const int> held, size_t total) {
  if (total == 0) return {};
  std::string list;
  for (const int number : held) list += (list.empty() ? "" : ",") + std::to_string(number);
  return {"CUDA_VISIBLE_DEVICES=" + list, "NVIDIA_VISIBLE_DEVICES=" + (list.empty() ? "void" : list)};
}

}  // namespace basalt::node

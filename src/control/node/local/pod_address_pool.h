// An address for each pod, out of a network of loopback addresses: several pods may listen on the same port.
//
// The next free one after the last that was given: addresses are reused as late as possible. Which one a pod gets
// depends only on the order of the calls.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace basalt::node {

inline constexpr unsigned kPodNetworkBits = 16;  // of the prefix: some 65,000 addresses

class PodAddressPool {
 public:
  // `network`: "127.64.0.0". An error: no IPv4 address, or not within 127.0.0.0/8.
  static Result<PodAddressPool> make(std::string_view network, unsigned prefix_bits = kPodNetworkBits);

  // The address of `owner` (a pod's uid), the same until released. An error: all are taken.
  Result<std::string> take(const std::string& owner);
  // Likewise, but `wanted` when it is of this network and free: what a pod had before a restart of the node.
  Result<std::string> take(const std::string& owner, std::string_view wanted);
  void release(const std::string& owner);
  [[nodiscard]] size_t taken() const { return by_owner_.size(); }

 private:
  PodAddressPool(uint32_t first, uint32_t last) : first_(first), last_(last), next_(first) {}

  uint32_t first_, last_, next_;  // without the network's own and its last address
  std::map<std::string, uint32_t, std::less<>> by_owner_;
  std::set<uint32_t> used_;
};

}  // namespace basalt::node

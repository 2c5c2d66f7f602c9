#include "control/node/local/pod_address_pool.h"

#include <fmt/format.h>

#include "base/check.h"
#include "kube/net/ipv4.h"

namespace basalt::node {

Result<PodAddressPool> PodAddressPool::make(std::string_view network, unsigned prefix_bits) {
  check(prefix_bits >= 8 && prefix_bits <= 30, "a network of pods has a prefix of 8 to 30 bits");
  const auto base = net::parse_ipv4(network);
  if (!base || !net::is_loopback(network)) {
    return invalid(fmt::format("pod network \"{}\": give an address within 127.0.0.0/8, such as 127.64.0.0", network));
  }
  const uint32_t size = uint32_t{1} << (32U - prefix_bits);
  const uint32_t first = *base & ~(size - 1);
  return PodAddressPool(first + 1, first + size - 2);
}

Result<std::string> PodAddressPool::take(const std::string& owner) {
  if (const auto known = by_owner_.find(owner); known != by_owner_.end()) return net::ipv4_text(known->second);
  if (used_.size() > last_ - first_) return failure(ErrorCode::Unsupported, "every address for pods is taken");
  // At most as many steps as there are pods: each step meets a taken one.
  while (used_.contains(next_)) next_ = next_ == last_ ? first_ : next_ + 1;
  const uint32_t given = next_;
  next_ = next_ == last_ ? first_ : next_ + 1;
  used_.insert(given);
  by_owner_.emplace(owner, given);
  return net::ipv4_text(given);
}

Result<std::string> PodAddressPool::take(const std::string& owner, std::string_view wanted) {
  const auto address = net::parse_ipv4(wanted);
  if (!by_owner_.contains(owner) && address && *address >= first_ && *address <= last_ &&
      used_.insert(*address).second) {
    by_owner_.emplace(owner, *address);
  }
  return take(owner);
}

void PodAddressPool::release(const std::string& owner) {
  const auto known = by_owner_.find(owner);
  if (known == by_owner_.end()) return;
  used_.erase(known->second);
  by_owner_.erase(known);
}

}  // namespace basalt::node

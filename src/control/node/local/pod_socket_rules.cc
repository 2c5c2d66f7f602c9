#include "control/node/local/pod_socket_rules.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace basalt::node {
namespace {

constexpr uint32_t kLocalhost = 0x7F00'0001;
constexpr uint32_t kMappedPrefix = 0x0000'FFFF;  // the third word of ::ffff:a.b.c.d

uint32_t word_of(const in6_addr& address, size_t index) {
  uint32_t word = 0;
  std::memcpy(&word, address.s6_addr + index * sizeof word, sizeof word);
  return ntohl(word);
}

NamedHost host_of(uint32_t address, const PodAddresses& addresses) {
  if (address == INADDR_ANY) return NamedHost::Any;
  if (address == kLocalhost) return NamedHost::Loopback;
  return address == addresses.pod ? NamedHost::Pod : NamedHost::Other;
}

NamedHost host_of(const in6_addr& address, const PodAddresses& addresses) {
  if (word_of(address, 0) != 0 || word_of(address, 1) != 0) return NamedHost::Other;
  const uint32_t third = word_of(address, 2), last = word_of(address, 3);
  if (third == kMappedPrefix) return host_of(last, addresses);
  if (third != 0 || last > 1) return NamedHost::Other;
  return last == 0 ? NamedHost::Any6 : NamedHost::Loopback6;
}

}  // namespace

std::optional<PodAddresses> pod_addresses(uint32_t pod) {
  constexpr uint32_t kPods = 0x7F40'0000, kPodsMask = 0xFFE0'0000;
  constexpr uint32_t kToLoopback = 64U << 16U, kToLoopback6 = 96U << 16U;
  if ((pod & kPodsMask) != kPods) return std::nullopt;
  return PodAddresses{.pod = pod, .loopback = pod + kToLoopback, .loopback6 = pod + kToLoopback6};
}

NamedSocket named_socket(const sockaddr_storage& name, socklen_t size, const PodAddresses& addresses) {
  // Linux also takes names of AF_INET6 without the scope, as they were long ago.
  constexpr socklen_t kShortName6 = offsetof(sockaddr_in6, sin6_scope_id);
  if (name.ss_family == AF_INET && size >= sizeof(sockaddr_in)) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(name);
    return {.host = host_of(ntohl(four.sin_addr.s_addr), addresses), .port = ntohs(four.sin_port)};
  }
  if (name.ss_family == AF_INET6 && size >= kShortName6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(name);
    return {.host = host_of(six.sin6_addr, addresses), .port = ntohs(six.sin6_port)};
  }
  return {};
}

bool is_own(const PodPorts& ports, uint16_t number, int protocol) {
  if (ports.all) return true;
  return std::ranges::binary_search(ports.declared,
                                    DeclaredPort{.number = number, .protocol = static_cast<uint16_t>(protocol)});
}

uint32_t bind_address(NamedSocket named, bool ipv6_only, const PodAddresses& addresses) {
  if (named.port == 0) return 0;
  switch (named.host) {
    case NamedHost::Any:
    case NamedHost::Pod:
      return ipv6_only ? 0 : addresses.pod;
    case NamedHost::Loopback:
      return ipv6_only ? 0 : addresses.loopback;
    case NamedHost::Any6:
      return ipv6_only ? addresses.loopback6 : addresses.pod;
    case NamedHost::Loopback6:
      return addresses.loopback6;
    case NamedHost::Other:
      break;
  }
  return 0;
}

std::array<uint32_t, 2> peer_addresses(NamedSocket named, const PodAddresses& addresses) {
  if (named.port == 0) return {};
  switch (named.host) {
    case NamedHost::Any:
    case NamedHost::Loopback:
      return {addresses.loopback, addresses.pod};
    case NamedHost::Any6:
    case NamedHost::Loopback6:
      return {addresses.loopback6, addresses.pod};
    case NamedHost::Pod:
    case NamedHost::Other:
      break;
  }
  return {};
}

void set_address(sockaddr_storage& name, uint32_t address) {
  const uint32_t number = htonl(address);
  if (name.ss_family == AF_INET) {
    reinterpret_cast<sockaddr_in&>(name).sin_addr.s_addr = number;
  } else if (name.ss_family == AF_INET6) {
    in6_addr& six = reinterpret_cast<sockaddr_in6&>(name).sin6_addr;
    const uint32_t words[4] = {0, 0, htonl(kMappedPrefix), number};
    std::memcpy(six.s6_addr, words, sizeof words);
  }
}

}  // namespace basalt::node

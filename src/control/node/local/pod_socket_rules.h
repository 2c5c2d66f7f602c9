// What a pod's programs mean by "all addresses" and "this machine" when they name them to the kernel. Pure; makes no
// allocation, so that a supervisor may call it (container_supervisor.h).
//
// Pods are on the machine's network, each with loopback addresses of its own. A pod has three:
//
//   address     127.(64 + n).x.y    what 0.0.0.0 and :: mean: status.podIP, where others reach it
//   loopback    127.(128 + n).x.y   what 127.0.0.1 means
//   loopback6   127.(160 + n).x.y   what ::1 means, and :: of a socket that is for IPv6 only
//
// Three, because programs listen on 127.0.0.1 and on their own address, or on 0.0.0.0 and :: (for IPv6 only), or on
// 127.0.0.1 and ::1, with one port. IPv6 is IPv4 in disguise (::ffff:a.b.c.d): Linux has but one IPv6 loopback address.
//
// Rules:
// 1. bind() to a port of the pod's own (own_ports.h) and one of these names binds to the pod's address for it.
//    Port 0 is left to the kernel: the port that it chooses is free on all addresses, and a client that sends from
//    there may send anywhere.
// 2. connect() and sendto() to 127.0.0.1, ::1, 0.0.0.0 or :: lead to the pod's own socket where it has one, first on
//    the loopback, then on its address; else they lead where they say: to programs of the machine.
// 3. Everything else is none of our business.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "control/node/local/own_ports.h"

namespace basalt::node {

// The first byte is the highest, as in kube/net/ipv4.h.
struct PodAddresses {
  uint32_t pod = 0, loopback = 0, loopback6 = 0;
};

// Those of a pod with this address. nullopt: it is not within 127.64.0.0 to 127.95.255.255.
[[nodiscard]] std::optional<PodAddresses> pod_addresses(uint32_t pod);

enum class NamedHost : uint8_t { Other, Any, Loopback, Pod, Any6, Loopback6 };
struct NamedSocket {
  NamedHost host = NamedHost::Other;
  uint16_t port = 0;
};

// `size` bytes of `name` are there. What is too short or of another family is Other.
[[nodiscard]] NamedSocket named_socket(const sockaddr_storage& name, socklen_t size, const PodAddresses& addresses);

// Which ports are the pod's own.
struct PodPorts {
  bool all = true;
  std::span<const DeclaredPort> declared = {};  // unless all; sorted
};
// `protocol`: IPPROTO_TCP or IPPROTO_UDP. Cost: O(log n).
[[nodiscard]] bool is_own(const PodPorts& ports, uint16_t number, int protocol);

// Where to bind a port of the pod's own instead; 0: as it says. `ipv6_only`: IPV6_V6ONLY of the socket, which must be
// off for Loopback6 and for Any6 of such a socket.
[[nodiscard]] uint32_t bind_address(NamedSocket named, bool ipv6_only, const PodAddresses& addresses);
// Where a peer is looked for, in this order; 0: nowhere.
[[nodiscard]] std::array<uint32_t, 2> peer_addresses(NamedSocket named, const PodAddresses& addresses);

// Puts an IPv4 address into a name of AF_INET or AF_INET6; the rest of it stays.
void set_address(sockaddr_storage& name, uint32_t address);

}  // namespace basalt::node

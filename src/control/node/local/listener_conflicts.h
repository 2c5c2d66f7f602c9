// On which addresses of services the load balancer waits before it listens. Pure but for read_listening().
//
// Pods share the machine's network, and the kernel lets nobody listen on a port of all addresses (0.0.0.0) while
// somebody else listens on that port of one of them: a listener for a service would keep a pod of it, whose program
// listens on all addresses on the same port, from starting. So the balancer does not listen before a pod of the service
// has bound its port. If the pod bound its own address, the balancer listens. If it bound all addresses, the service's
// is among them: the kernel connects clients to it, and there is nothing to do.
//
// Where all ports of pods are their own (own_ports.h), that is so only for pods with hostNetwork, and for what already
// listens on all addresses: pods that were started without such ports. Where only declared ports are, a pod of the
// service may not have declared its port.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "control/node/local/service_table.h"
#include "kube/net/tcp_load_balancer.h"

namespace basalt::node {

// Sockets that listen, by IPv4 address and port; those of all addresses, also of IPv6, are of "0.0.0.0".
using ListeningSockets = std::set<net::Endpoint>;

// From the text of /proc/net/tcp or /proc/net/tcp6. What cannot be read is left out.
[[nodiscard]] ListeningSockets listening_in(std::string_view proc_net_tcp);
// Those of this machine's network now. Cost: O(sockets).
[[nodiscard]] ListeningSockets read_listening();

struct ListenerConflicts {
  std::set<net::Endpoint> rows;  // of the table, that are not listened on
  bool waits = false;            // for pods of one of them to listen
};
// `own_ports`: all ports of pods are their own, but for those of pods at `host_address`.
[[nodiscard]] ListenerConflicts find_listener_conflicts(const ServiceTable& table, const ListeningSockets& listening,
                                                        bool own_ports, std::string_view host_address);

}  // namespace basalt::node

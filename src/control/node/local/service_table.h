// Which addresses the node's load balancer listens on for services, and where to it connects. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "control/node/local/hosts_file.h"
#include "kube/net/tcp_load_balancer.h"
#include "kube/text/json.h"

namespace basalt::node {

struct ServiceOptions {
  std::string node_port_address = "127.0.0.1";  // node ports and host ports are listened on here
  bool host_ports = false;                      // of pods; not where these share the machine's ports
  std::optional<net::Endpoint> api_server;      // behind the service default/kubernetes
};

struct ServiceTable {
  net::TcpLoadBalancer::Table rows;
  // Rows of services that have the same port as pods that they select, ready or not: the addresses of these.
  std::map<net::Endpoint, std::vector<std::string>> same_port;
  // What cannot be served and why, for people: cluster IPs outside 127.0.0.0/8, UDP. Steady, so that a caller can say
  // each once.
  std::vector<std::string> notes;
};

// TCP ports of services of type ClusterIP, NodePort and LoadBalancer. Backends are the pods that the service selects
// and that serve, with targetPort as a number or as the name of one of the pod's ports. A service that selects no pod
// is listened for as well: its connections are closed. Services without a selector are left out. Host ports of pods
// lead to these, ready or not; a service's node port goes first.
[[nodiscard]] ServiceTable service_table(std::span<const text::Object* const> services,
                                         std::span<const PodEndpoint> pods, const ServiceOptions& options);

}  // namespace basalt::node

#include "kube/client/in_cluster_config.h"

#include <algorithm>

#include "base/ascii.h"
#include "kube/net/http_proxy.h"
#include "kube/text/scalar.h"

namespace basalt::client {
namespace {}  // namespace

Result<std::optional<RestConfig>> in_cluster_config(const HostEnvironment& host_environment) {
  const std::string host = host_environment.environment("KUBERNETES_SERVICE_HOST");
  const std::string port = host_environment.environment("KUBERNETES_SERVICE_PORT");
  const std::string directory(kServiceAccountDirectory);
  if (host.empty() || port.empty() || !host_environment.read_file(directory + "/token")) return std::nullopt;
  const auto number = text::parse_int(port);
  auto server = parse_server("https://" + (host.contains(':') ? "[" + host + "]" : host) + ":" + port);
  if (!server || !number) return invalid("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name no server");
  RestConfig connection{.server = std::move(*server), .origin = "in-cluster"};
  auto authority = host_environment.read_file(directory + "/ca.crt");
  if (!authority) {
    return failure(authority.error().code, "the service account's certificate authority: " + authority.error().message);
  }
  connection.ca_pem = std::move(*authority);
  connection.ca_file = directory + "/ca.crt";
  connection.identity.token_file = directory + "/token";
  connection.namespace_name = host_environment.environment("POD_NAMESPACE");
  if (connection.namespace_name.empty()) {
    connection.namespace_name = trimmed(host_environment.read_file(directory + "/namespace").value_or(""));
  }
  if (connection.namespace_name.empty()) connection.namespace_name = "default";
  return connection;
}

}  // namespace basalt::client

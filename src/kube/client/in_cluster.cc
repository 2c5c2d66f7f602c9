#include "kube/client/in_cluster.h"

#include <algorithm>

#include "base/ascii.h"
#include "kube/net/http_proxy.h"
#include "kube/text/scalar.h"

namespace basalt::client {
namespace {}  // namespace

Result<std::optional<Connection>> in_cluster_connection(const Surroundings& surroundings) {
  const std::string host = surroundings.environment("KUBERNETES_SERVICE_HOST");
  const std::string port = surroundings.environment("KUBERNETES_SERVICE_PORT");
  const std::string directory(kServiceAccountDirectory);
  if (host.empty() || port.empty() || !surroundings.read_file(directory + "/token")) return std::nullopt;
  const auto number = text::parse_int(port);
  auto server = parse_server("https://" + (host.contains(':') ? "[" + host + "]" : host) + ":" + port);
  if (!server || !number) return invalid("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name no server");
  Connection connection{.server = std::move(*server), .origin = "in-cluster"};
  auto authority = surroundings.read_file(directory + "/ca.crt");
  if (!authority) {
    return failure(authority.error().code, "the service account's certificate authority: " + authority.error().message);
  }
  connection.ca_pem = std::move(*authority);
  connection.ca_file = directory + "/ca.crt";
  connection.identity.token_file = directory + "/token";
  connection.namespace_name = surroundings.environment("POD_NAMESPACE");
  if (connection.namespace_name.empty()) {
    connection.namespace_name = trimmed(surroundings.read_file(directory + "/namespace").value_or(""));
  }
  if (connection.namespace_name.empty()) connection.namespace_name = "default";
  return connection;
}

}  // namespace basalt::client

#include "programs/cli/server_flags.h"

#include "kube/client/kubeconfig_loader.h"
#include "programs/cli/flag_parser.h"

namespace basalt::cli {

void add_server_flags(FlagParser& app, ServerFlags& flags) {
  app.add_option("--kubeconfig,-k", flags.kubeconfig, "the kubeconfig (default: $KUBECONFIG, then ~/.kube/config)");
  app.add_option("--context", flags.context, "another context of the kubeconfig than the current one");
  app.add_option("--master,-s", flags.master, "another address than the kubeconfig has");
}

Result<std::unique_ptr<client::ObjectClient>> connect(const ServerFlags& flags, const std::string& agent) {
  return connect(flags, client::HttpsObjectClientOptions{.max_connections = 2, .user_agent = agent});
}

Result<std::unique_ptr<client::ObjectClient>> connect(const ServerFlags& flags,
                                                      client::HttpsObjectClientOptions options) {
  auto connection = client::load_rest_config({.file = flags.kubeconfig,
                                              .context = flags.context,
                                              .cluster = flags.cluster,
                                              .user = flags.user,
                                              .namespace_name = "",
                                              .server = flags.master});
  if (!connection) return std::unexpected(connection.error());
  auto made = client::HttpsObjectClient::make(std::move(*connection), std::move(options));
  if (!made) return std::unexpected(made.error());
  return std::move(*made);
}

}  // namespace basalt::cli

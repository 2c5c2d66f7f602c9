#include "cli/vcctl/connect.h"

#include "client/https_client.h"
#include "client/kubeconfig.h"

namespace basalt::cli::vcctl {

Result<std::unique_ptr<client::ObjectClient>> connect_by_flags(const Flags& flags) {
  auto connection = client::load_connection({.file = flags.text("kubeconfig"),
                                             .context = flags.text("context"),
                                             .cluster = flags.text("cluster"),
                                             .user = flags.text("user"),
                                             .namespace_name = "",
                                             .server = flags.text("master")});
  if (!connection) return std::unexpected(connection.error());
  auto made = client::HttpsObjectClient::make(std::move(*connection), {.max_connections = 2, .user_agent = "vcctl"});
  if (!made) return std::unexpected(made.error());
  return std::move(*made);
}

}  // namespace basalt::cli::vcctl

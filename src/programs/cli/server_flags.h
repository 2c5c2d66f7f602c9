// Which server a verb talks to: the flags that all of them share, by kubectl's rules (see
// kube/client/kubeconfig_loader.h).
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "kube/client/https_object_client.h"
#include "kube/client/object_client.h"

namespace basalt::cli {

class FlagParser;

struct ServerFlags {
  std::string kubeconfig, context, cluster, user;
  std::string master;  // another address than the kubeconfig has
};

// Adds --kubeconfig, --context and --master to the words that `app` understands. Requires: `flags` outlives the parse.
void add_server_flags(FlagParser& app, ServerFlags& flags);

// Reads the kubeconfig; opens no connection yet. `agent` names the program in managedFields.
[[nodiscard]] Result<std::unique_ptr<client::ObjectClient>> connect(const ServerFlags& flags, const std::string& agent);
// The same for programs that have more to say about their calls.
[[nodiscard]] Result<std::unique_ptr<client::ObjectClient>> connect(const ServerFlags& flags,
                                                                    client::HttpsObjectClientOptions options);

}  // namespace basalt::cli

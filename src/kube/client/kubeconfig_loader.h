// From kubeconfig files, flags and the environment to a RestConfig, by kubectl's rules.
//
// Where the configuration comes from, the first that applies:
//   1. `file`, which must exist;
//   2. the files of $KUBECONFIG (separated by ':'), those that are missing left out;
//   3. ~/.kube/config;
//   4. the service account of the pod that we run in ($KUBERNETES_SERVICE_HOST and its mounted files).
// Several files merge: of every cluster, user and context the first file that has it wins, as a whole; likewise
// current-context. Relative paths are relative to the file that they stand in.
//
// Errors name the file, the field and what to do. A configuration that cannot be used is never ignored in favour of a
// later rule. Secrets never stand in a message.
#pragma once

#include <string>

#include "base/result.h"
#include "kube/client/host_environment.h"
#include "kube/client/rest_config.h"

namespace basalt::client {

struct KubeconfigOptions {
  std::string file;            // --kubeconfig
  std::string context;         // --context; "": current-context
  std::string cluster, user;   // --cluster, --user: other entries than the context names
  std::string namespace_name;  // --namespace
  std::string server;          // --master, --server: another address than the cluster entry has
  HostEnvironment host_environment = real_host_environment();
};

// Reads files, but runs nothing and opens no connection.
[[nodiscard]] Result<RestConfig> load_rest_config(const KubeconfigOptions& options);

}  // namespace basalt::client

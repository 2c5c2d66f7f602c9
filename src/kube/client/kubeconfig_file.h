// What stands in kubeconfig files, read and merged, before anything of it is chosen.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/client/rest_config.h"

namespace basalt::client {

inline constexpr size_t kMaxKubeconfigFiles = 100;
inline constexpr size_t kMaxKubeconfigEntries = 10'000;  // clusters, users and contexts of one file, each

// Paths are resolved: relative ones are relative to the directory of `origin`. Data are decoded.
struct ClusterEntry {
  std::string origin;  // the file
  std::string server, tls_server_name, proxy_url;
  bool insecure = false;
  std::string ca_file, ca_pem;
  text::Value exec_config;  // the extension that exec plugins may ask for
};

struct UserEntry {
  std::string origin;
  AuthInfo identity;
  std::string problem;  // why this entry cannot be used, though it can be read; "": it can
};

struct ContextEntry {
  std::string origin;
  std::string cluster, user, namespace_name;
};

struct Kubeconfig {
  std::map<std::string, ClusterEntry> clusters;
  std::map<std::string, UserEntry> users;
  std::map<std::string, ContextEntry> contexts;
  std::string current_context;
  std::vector<std::string> files;  // those that were there, in order

  [[nodiscard]] bool empty() const {
    return clusters.empty() && users.empty() && contexts.empty() && current_context.empty();
  }
};

// One file. `path` is for messages and relative paths. Unknown fields are left alone, as kubectl does.
[[nodiscard]] Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::string& path);

// Adds of `later` what `config` does not have yet.
void merge_kubeconfig(Kubeconfig& config, Kubeconfig later);

}  // namespace basalt::client

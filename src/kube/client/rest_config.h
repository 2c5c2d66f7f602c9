// Everything needed to reach an API server and to say who we are, as data: the result of kubeconfig, flags and
// environment (see kubeconfig_loader.h). Paths are absolute or relative to the working directory, never to a
// kubeconfig any more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kube/text/json.h"

namespace basalt::client {

struct ServerAddress {
  bool tls = true;
  std::string host;  // without brackets
  uint16_t port = 443;
  std::string path_prefix;  // "" or "/some/path": servers behind a gateway

  [[nodiscard]] std::string url() const;  // "https://host:port/some/path"
};

// "https://host[:port][/path]", "http://…", or "host[:port]" (http, as client-go has it).
[[nodiscard]] Result<ServerAddress> parse_server(std::string_view url);

struct ProxyAddress {
  std::string host;
  uint16_t port = 0;
  std::string user_info;  // "user:password", decoded; "": none
};

// "http://[user:password@]host[:port]". Proxies that are reached by TLS or SOCKS are refused.
[[nodiscard]] Result<ProxyAddress> parse_proxy(std::string_view url);

// A program that hands out credentials (client.authentication.k8s.io).
struct ExecPlugin {
  std::string command;  // with a slash: a path; else looked up in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  std::string api_version;
  std::string install_hint;
  enum class Interactive : uint8_t { Never, IfAvailable, Always } interactive = Interactive::IfAvailable;
  bool provide_cluster_info = false;
  text::Value cluster;  // spec.cluster of the ExecCredential, when the plugin wants it
};

// Who we are. Over plain http nothing of it is sent.
struct AuthInfo {
  std::string certificate_pem, key_pem;
  std::string certificate_file, key_file;  // read anew when they change; only where there is no PEM
  std::string token;
  std::string token_file;  // wins over `token` while it can be read
  std::string username, password;
  std::optional<ExecPlugin> exec;
  std::vector<std::pair<std::string, std::string>> impersonation;  // headers
};

struct RestConfig {
  ServerAddress server;
  std::string ca_pem;           // "": the system's authorities
  std::string ca_file;          // where ca_pem was read; it is read anew, because authorities are replaced. "": nowhere
  bool insecure = false;        // the server's certificate is not looked at
  std::string tls_server_name;  // "": server.host
  std::optional<ProxyAddress> proxy;
  AuthInfo identity;

  std::string namespace_name = "default";  // where commands act that name none
  bool namespace_given = false;            // by an option, not by the configuration or the default
  std::string context, cluster, user;      // names in the kubeconfig; "": there is none
  std::string origin;                      // for messages: the files, or "in-cluster"
};

}  // namespace basalt::client

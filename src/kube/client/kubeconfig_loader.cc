#include "kube/client/kubeconfig_loader.h"

#include "kube/client/exec_credential.h"
#include "kube/client/in_cluster_config.h"
#include "kube/client/kubeconfig_file.h"
#include "kube/client/proxy_from_environment.h"
#include "kube/text/document_path.h"

namespace basalt::client {
namespace {

std::string joined(const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& file : files) text += (text.empty() ? "" : ":") + file;
  return text;
}

std::vector<std::string> listed_files(std::string_view list) {
  std::vector<std::string> files;
  while (!list.empty()) {
    const std::string_view file = list.substr(0, list.find(':'));
    list.remove_prefix(std::min(list.size(), file.size() + 1));
    if (!file.empty()) files.emplace_back(file);
  }
  return files;
}

Result<Kubeconfig> load_files(const KubeconfigOptions& options) {
  const HostEnvironment& host_environment = options.host_environment;
  std::vector<std::string> files;
  if (!options.file.empty()) {
    files.push_back(options.file);
  } else if (files = listed_files(host_environment.environment("KUBECONFIG")); files.empty()) {
    if (const std::string home = host_environment.environment("HOME"); !home.empty()) files = {home + "/.kube/config"};
  }
  if (files.size() > kMaxKubeconfigFiles) return invalid("KUBECONFIG: too many files");
  Kubeconfig config;
  for (const std::string& file : files) {
    const auto text = host_environment.read_file(file);
    if (!text && text.error().code == ErrorCode::NotFound && options.file.empty()) continue;
    if (!text) return std::unexpected(text.error().within("kubeconfig"));
    auto one = parse_kubeconfig(*text, file);
    if (!one) return std::unexpected(one.error().within("kubeconfig"));
    merge_kubeconfig(config, std::move(*one));
  }
  return config;
}

// The entry of that name. Missing ones are errors that list what there is.
template <class Entry>
Result<const Entry*> find_entry(const std::map<std::string, Entry>& entries, const std::string& name,
                                std::string_view what, const Kubeconfig& config) {
  if (const auto found = entries.find(name); found != entries.end()) return &found->second;
  constexpr size_t kMaxListed = 10;
  std::string known;
  size_t count = 0;
  for (const auto& [key, entry] : entries) {
    if (count++ == kMaxListed) break;
    known += (known.empty() ? "" : ", ") + text::in_quotes(key);
  }
  return failure(ErrorCode::NotFound, std::string(what) + " " + text::in_quotes(name) + " does not exist in " +
                                          joined(config.files) + (known.empty() ? "" : "; there are: " + known));
}

Result<void> use_cluster(const ClusterEntry& cluster, const std::string& server_override,
                         const HostEnvironment& host_environment, RestConfig& connection) {
  const std::string& url = server_override.empty() ? cluster.server : server_override;
  const std::string place =
      server_override.empty() ? cluster.origin + ": cluster " + text::in_quotes(connection.cluster) : "--server";
  if (url.empty()) return invalid(place + ": server: is required, for example https://host:6443");
  auto server = parse_server(url);
  if (!server) return std::unexpected(server.error().within(place));
  connection.server = std::move(*server);
  if (server_override.empty()) connection.tls_server_name = cluster.tls_server_name;
  connection.insecure = cluster.insecure;
  if (!cluster.ca_file.empty() && !cluster.ca_pem.empty()) {
    return invalid(place + ": certificate-authority and certificate-authority-data are both given; remove one of them");
  }
  connection.ca_pem = cluster.ca_pem;
  if (!cluster.ca_file.empty()) {
    auto pem = host_environment.read_file(cluster.ca_file);
    if (!pem) return std::unexpected(pem.error().within(place + ": certificate-authority"));
    connection.ca_pem = std::move(*pem);
    connection.ca_file = cluster.ca_file;
  }
  if (connection.insecure && !connection.ca_pem.empty()) {
    return invalid(place + ": insecure-skip-tls-verify and a certificate authority are both given; remove one of them");
  }
  if (cluster.proxy_url.empty()) return {};
  auto proxy = parse_proxy(cluster.proxy_url);
  if (!proxy) return std::unexpected(proxy.error().within(place + ": proxy-url"));
  connection.proxy = std::move(*proxy);
  return {};
}

Result<void> use_user(const UserEntry& user, const text::Value& exec_config, RestConfig& connection) {
  if (!user.problem.empty()) return invalid(user.origin + ": " + user.problem);
  // Nothing secret is said without TLS; impersonation is no secret, but means nothing without a user.
  if (!connection.server.tls) return {};
  connection.identity = user.identity;
  if (connection.identity.exec && connection.identity.exec->provide_cluster_info) {
    connection.identity.exec->cluster = exec_cluster_info(connection, exec_config);
  }
  return {};
}

Result<RestConfig> choose(const Kubeconfig& config, const KubeconfigOptions& options) {
  RestConfig connection{.origin = joined(config.files)};
  connection.context = options.context.empty() ? config.current_context : options.context;
  ContextEntry context;
  if (!connection.context.empty()) {
    auto found = find_entry(config.contexts, connection.context, "context", config);
    if (!found) return std::unexpected(found.error());
    context = **found;
  }
  connection.cluster = options.cluster.empty() ? context.cluster : options.cluster;
  connection.user = options.user.empty() ? context.user : options.user;
  ClusterEntry cluster;
  if (!connection.cluster.empty()) {
    auto found = find_entry(config.clusters, connection.cluster, "cluster", config);
    if (!found && options.server.empty()) return std::unexpected(found.error());
    if (found) cluster = **found;
  } else if (options.server.empty()) {
    return invalid(joined(config.files) +
                   ": there is no current-context; choose one with --context, or kubectl config use-context");
  }
  if (auto used = use_cluster(cluster, options.server, options.host_environment, connection); !used) {
    return std::unexpected(used.error());
  }
  if (!connection.user.empty()) {
    auto found = find_entry(config.users, connection.user, "user", config);
    if (!found) return std::unexpected(found.error());
    if (auto used = use_user(**found, cluster.exec_config, connection); !used) return std::unexpected(used.error());
  }
  if (!context.namespace_name.empty()) connection.namespace_name = context.namespace_name;
  return connection;
}

Result<RestConfig> without_files(const KubeconfigOptions& options) {
  if (!options.file.empty()) return invalid(options.file + ": has no clusters and contexts; is this a kubeconfig?");
  auto pod = in_cluster_config(options.host_environment);
  if (!pod) return std::unexpected(pod.error());
  if (*pod) return std::move(**pod);
  return failure(ErrorCode::NotFound,
                 "no Kubernetes configuration: give --kubeconfig FILE, set KUBECONFIG, or write ~/.kube/config "
                 "(basalt up tells where it keeps one)");
}

}  // namespace

Result<RestConfig> load_rest_config(const KubeconfigOptions& options) {
  auto config = load_files(options);
  if (!config) return std::unexpected(config.error());
  const bool named = !options.context.empty() || !options.cluster.empty() || !options.user.empty();
  const bool nothing = config->empty() && !named && options.server.empty();
  auto connection = nothing ? without_files(options) : choose(*config, options);
  if (!connection) return connection;
  if (!options.namespace_name.empty()) {
    connection->namespace_name = options.namespace_name;
    connection->namespace_given = true;
  }
  if (!connection->proxy) {
    auto proxy = proxy_from_environment(connection->server, options.host_environment);
    if (!proxy) return std::unexpected(proxy.error());
    connection->proxy = std::move(*proxy);
  }
  return connection;
}

}  // namespace basalt::client

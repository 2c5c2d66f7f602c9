#include "kube/client/kubeconfig_file.h"

#include <filesystem>

#include "kube/client/kubeconfig_user.h"
#include "kube/text/base64.h"
#include "kube/text/document_path.h"
#include "kube/text/yaml.h"

namespace basalt::client {
namespace {

using text::Field;

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

Result<ClusterEntry> read_cluster(const Field& field, const std::string& origin) {
  ClusterEntry cluster{.origin = origin};
  KubeconfigEntryReader read(field, origin);
  read.text("server", cluster.server);
  read.text("tls-server-name", cluster.tls_server_name);
  read.text("proxy-url", cluster.proxy_url);
  read.truth("insecure-skip-tls-verify", cluster.insecure);
  read.path("certificate-authority", cluster.ca_file);
  read.data("certificate-authority-data", cluster.ca_pem);
  if (!read.verdict()) return std::unexpected(read.verdict().error());
  auto seen = field.field("extensions").each([&](const Field& extension) -> Result<void> {
    auto name = extension.field("name").string_or("");
    if (!name) return std::unexpected(name.error());
    const text::Value* value = extension.field("extension").value();
    if (*name == kExecExtension && value != nullptr) cluster.exec_config = *value;
    return {};
  });
  if (!seen) return std::unexpected(seen.error());
  return cluster;
}

Result<ContextEntry> read_context(const Field& field, const std::string& origin) {
  ContextEntry context{.origin = origin};
  KubeconfigEntryReader read(field, origin);
  read.text("cluster", context.cluster);
  read.text("user", context.user);
  read.text("namespace", context.namespace_name);
  if (!read.verdict()) return std::unexpected(read.verdict().error());
  return context;
}

// A list of {name, <what>: {…}} as a map.
template <class Entry, class Read>
Result<void> read_entries(const Field& list, std::string_view what, const std::string& origin, Read read,
                          std::map<std::string, Entry>& into) {
  return list.each([&](const Field& item) -> Result<void> {
    auto name = item.field("name").string_or("");
    if (!name) return std::unexpected(name.error());
    if (into.size() == kMaxKubeconfigEntries) return std::unexpected(item.error("too many entries"));
    const Field body = item.field(what);
    if (body.given()) {
      if (auto object = body.as_object(); !object) return std::unexpected(object.error());
    }
    auto entry = read(body, origin);
    if (!entry) return std::unexpected(entry.error());
    if (!into.emplace(*name, std::move(*entry)).second) {
      return std::unexpected(item.error("the name " + text::in_quotes(*name) + " is there twice; remove one of them"));
    }
    return {};
  });
}

Result<Kubeconfig> read_config(const Field& root, const std::string& path) {
  Kubeconfig config;
  config.files.push_back(path);
  if (!root.given()) return config;  // an empty file is an empty configuration
  if (auto object = root.as_object(); !object) return std::unexpected(object.error());
  const auto kind = root.field("kind").string_or("Config");
  if (!kind) return std::unexpected(kind.error());
  const auto version = root.field("apiVersion").string_or("v1");
  if (!version) return std::unexpected(version.error());
  if ((!kind->empty() && *kind != "Config") || (!version->empty() && *version != "v1")) {
    return invalid("expected apiVersion v1 and kind Config, got " + text::in_quotes(*version) + " and " +
                   text::in_quotes(*kind) + "; is this a kubeconfig?");
  }
  if (auto ok = read_entries(root.field("clusters"), "cluster", path, read_cluster, config.clusters); !ok) {
    return std::unexpected(ok.error());
  }
  if (auto ok = read_entries(root.field("users"), "user", path, read_user, config.users); !ok) {
    return std::unexpected(ok.error());
  }
  if (auto ok = read_entries(root.field("contexts"), "context", path, read_context, config.contexts); !ok) {
    return std::unexpected(ok.error());
  }
  auto current = root.field("current-context").string_or("");
  if (!current) return std::unexpected(current.error());
  config.current_context = std::move(*current);
  return config;
}

}  // namespace

Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::string& path) {
  const auto document = text::parse_yaml(text);
  if (!document) return std::unexpected(document.error().within(path));
  auto config = read_config(document->root(), path);
  if (!config) return std::unexpected(config.error().within(path));
  return config;
}

void merge_kubeconfig(Kubeconfig& config, Kubeconfig later) {
  config.clusters.merge(later.clusters);  // merge() keeps what is there
  config.users.merge(later.users);
  config.contexts.merge(later.contexts);
  if (config.current_context.empty()) config.current_context = std::move(later.current_context);
  for (std::string& file : later.files) config.files.push_back(std::move(file));
}

}  // namespace basalt::client

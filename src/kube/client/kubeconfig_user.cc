#include "kube/client/kubeconfig_user.h"

#include <filesystem>

#include "kube/client/percent_encoding.h"
#include "kube/text/base64.h"
#include "kube/text/document_path.h"

namespace basalt::client {
namespace {

using text::Field;

constexpr size_t kMaxImpersonationHeaders = 1000;

// What is wrong with a plugin, beyond its types; "": nothing. Sets the mode.
std::string judge_exec(const Field& field, const std::string& mode, ExecPlugin& plugin) {
  if (plugin.command.empty()) return field.field("command").error("is required").message;
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    return field.field("apiVersion")
        .error("expected client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1, got " +
               text::in_quotes(plugin.api_version) + "; update the plugin and this entry")
        .message;
  }
  if (mode == "Never") {
    plugin.interactive = ExecPlugin::Interactive::Never;
  } else if (mode == "Always") {
    plugin.interactive = ExecPlugin::Interactive::Always;
  } else if (mode.empty() && plugin.api_version.ends_with("/v1")) {  // v1beta1 has a default
    return field.field("interactiveMode").error("is required: Never, IfAvailable or Always").message;
  } else if (!mode.empty() && mode != "IfAvailable") {
    return field.field("interactiveMode")
        .error("expected Never, IfAvailable or Always, got " + text::in_quotes(mode))
        .message;
  }
  return "";
}

Result<ExecPlugin> read_exec(const Field& field, const std::string& origin, std::string& problem) {
  if (auto object = field.as_object(); !object) return std::unexpected(object.error());
  ExecPlugin plugin;
  KubeconfigEntryReader read(field, origin);
  read.text("command", plugin.command);
  read.text("apiVersion", plugin.api_version);
  read.text("installHint", plugin.install_hint);
  std::string mode;
  read.text("interactiveMode", mode);
  read.truth("provideClusterInfo", plugin.provide_cluster_info);
  if (!read.verdict()) return std::unexpected(read.verdict().error());
  if (plugin.command.contains('/')) plugin.command = resolved_path(plugin.command, origin);
  problem = judge_exec(field, mode, plugin);
  auto arguments = field.field("args").each([&](const Field& argument) -> Result<void> {
    auto text = argument.as_string();
    if (!text) return std::unexpected(text.error());
    plugin.arguments.push_back(std::move(*text));
    return {};
  });
  if (!arguments) return std::unexpected(arguments.error());
  auto environment = field.field("env").each([&](const Field& variable) -> Result<void> {
    std::pair<std::string, std::string> one;
    KubeconfigEntryReader entry(variable, origin);
    entry.text("name", one.first);
    entry.secret("value", one.second);
    if (!entry.verdict()) return entry.verdict();
    if (one.first.empty() || one.first.contains('=')) {
      return std::unexpected(variable.field("name").error("is not the name of an environment variable"));
    }
    plugin.environment.push_back(std::move(one));
    return {};
  });
  if (!environment) return std::unexpected(environment.error());
  return plugin;
}

std::string judge_user(const Field& field, const AuthInfo& identity) {
  const auto both = [&](std::string_view data, std::string_view file) {
    return field.error(std::string(data) + " and " + std::string(file) + " are both given; remove one of them").message;
  };
  if (!identity.certificate_pem.empty() && !identity.certificate_file.empty()) {
    return both("client-certificate-data", "client-certificate");
  }
  if (!identity.key_pem.empty() && !identity.key_file.empty()) return both("client-key-data", "client-key");
  const bool certificate = !identity.certificate_pem.empty() || !identity.certificate_file.empty();
  const bool key = !identity.key_pem.empty() || !identity.key_file.empty();
  if (certificate && !key) return field.error("a client certificate without its key: add client-key").message;
  if (key && !certificate) return field.error("a client key without its certificate: add client-certificate").message;
  const bool token = !identity.token.empty() || !identity.token_file.empty();
  if (token && !identity.username.empty()) return both("a token", "a username");
  if (field.field("auth-provider").given()) {
    return field.field("auth-provider").error("Kubernetes has removed auth providers; use an exec plugin").message;
  }
  return "";
}

Result<void> read_impersonation(const Field& field, AuthInfo& identity) {
  auto& headers = identity.impersonation;
  const auto add = [&](std::string name, const Field& value) -> Result<void> {
    auto text = value.string_or("");
    if (!text) return std::unexpected(text.error());
    if (text->empty()) return {};
    if (headers.size() == kMaxImpersonationHeaders) return std::unexpected(value.error("too many values"));
    headers.emplace_back(std::move(name), std::move(*text));
    return {};
  };
  if (auto user = add("Impersonate-User", field.field("as")); !user || headers.empty()) return user;
  if (auto uid = add("Impersonate-Uid", field.field("as-uid")); !uid) return uid;
  auto groups = field.field("as-groups").each([&](const Field& group) { return add("Impersonate-Group", group); });
  if (!groups) return groups;
  return field.field("as-user-extra").each_member([&](std::string_view key, const Field& values) {
    std::string name = "Impersonate-Extra-";
    append_percent_encoded(name, key);
    return values.each([&](const Field& value) { return add(name, value); });
  });
}

}  // namespace

void KubeconfigEntryReader::text(std::string_view key, std::string& into) {
  if (!verdict_) return;
  auto value = entry_.field(key).string_or("");
  if (value) {
    into = std::move(*value);
  } else {
    verdict_ = std::unexpected(value.error());
  }
}

void KubeconfigEntryReader::secret(std::string_view key, std::string& into) {
  if (!verdict_) return;
  const Field field = entry_.field(key);
  if (!field.given()) return;
  auto value = field.as_string();
  if (value) {
    into = std::move(*value);
  } else {
    verdict_ = std::unexpected(field.error("expected a string; put it in quotes"));
  }
}

void KubeconfigEntryReader::truth(std::string_view key, bool& into) {
  if (!verdict_) return;
  if (auto value = entry_.field(key).bool_or(false); value) {
    into = *value;
  } else {
    verdict_ = std::unexpected(value.error());
  }
}

void KubeconfigEntryReader::path(std::string_view key, std::string& into) {
  text(key, into);
  into = resolved_path(into, origin_);
}

void KubeconfigEntryReader::data(std::string_view key, std::string& into) {
  std::string encoded;
  secret(key, encoded);
  if (!verdict_ || encoded.empty()) return;
  if (auto decoded = text::decode_base64(encoded); decoded) {
    into = std::move(*decoded);
  } else {
    verdict_ = std::unexpected(entry_.field(key).error("is not base64: " + decoded.error().message));
  }
}

std::string resolved_path(const std::string& path, const std::string& origin) {
  if (path.empty() || path.starts_with('/')) return path;
  return (std::filesystem::path(origin).parent_path() / path).string();
}

Result<UserEntry> read_user(const Field& field, const std::string& origin) {
  UserEntry user{.origin = origin};
  AuthInfo& identity = user.identity;
  KubeconfigEntryReader read(field, origin);
  read.path("client-certificate", identity.certificate_file);
  read.data("client-certificate-data", identity.certificate_pem);
  read.path("client-key", identity.key_file);
  read.data("client-key-data", identity.key_pem);
  read.secret("token", identity.token);
  read.path("tokenFile", identity.token_file);
  read.text("username", identity.username);
  read.secret("password", identity.password);
  if (!read.verdict()) return std::unexpected(read.verdict().error());
  if (auto ok = read_impersonation(field, identity); !ok) return std::unexpected(ok.error());
  if (const Field exec = field.field("exec"); exec.given()) {
    auto plugin = read_exec(exec, origin, user.problem);
    if (!plugin) return std::unexpected(plugin.error());
    identity.exec = std::move(*plugin);
  }
  if (user.problem.empty()) user.problem = judge_user(field, identity);
  return user;
}

}  // namespace basalt::client

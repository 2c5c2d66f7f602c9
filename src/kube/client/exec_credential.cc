#include "kube/client/exec_credential.h"

#include <unistd.h>

#include "kube/client/child_process.h"
#include "kube/text/base64.h"
#include "kube/text/document_path.h"
#include "kube/text/field.h"
#include "kube/text/rfc3339.h"

namespace basalt::client {
namespace {

// A hint comes from a file that somebody else may have written: no control sequences reach the terminal.
std::string harmless(std::string_view hint) {
  std::string out;
  for (const char c : hint) {
    const bool control = (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    out += control ? '?' : c;
  }
  return out;
}

Result<bool> wants_terminal(const ExecPlugin& plugin) {
  if (plugin.interactive == ExecPlugin::Interactive::Never) return false;
  const bool terminal = ::isatty(STDIN_FILENO) == 1;
  if (plugin.interactive == ExecPlugin::Interactive::Always && !terminal) {
    return failure(ErrorCode::Unsupported,
                   "wants to ask questions (interactiveMode Always), but standard input is no "
                   "terminal");
  }
  return terminal;
}

}  // namespace

text::Value exec_cluster_info(const RestConfig& connection, const text::Value& exec_config) {
  text::Object cluster;
  cluster["server"] = connection.server.url();
  if (!connection.tls_server_name.empty()) cluster["tls-server-name"] = connection.tls_server_name;
  if (connection.insecure) cluster["insecure-skip-tls-verify"] = true;
  if (!connection.ca_pem.empty()) cluster["certificate-authority-data"] = text::encode_base64(connection.ca_pem);
  if (connection.proxy) {
    cluster["proxy-url"] = "http://" + connection.proxy->host + ":" + std::to_string(connection.proxy->port);
  }
  cluster["config"] = exec_config;
  return cluster;
}

std::string exec_info(const ExecPlugin& plugin, bool interactive) {
  text::Object spec;
  if (plugin.provide_cluster_info) spec["cluster"] = plugin.cluster;
  spec["interactive"] = interactive;
  text::Object info;
  info["kind"] = "ExecCredential";
  info["apiVersion"] = plugin.api_version;
  info["spec"] = std::move(spec);
  return text::to_json(info);
}

Result<ExecCredential> parse_exec_credential(std::string_view text, std::string_view api_version) {
  const auto value = text::parse_json(text);
  if (!value) return invalid("printed no ExecCredential: " + value.error().message);
  const text::Field root(*value);
  const auto kind = root.field("kind").as_string();
  if (!kind) return std::unexpected(kind.error());
  const auto version = root.field("apiVersion").as_string();
  if (!version) return std::unexpected(version.error());
  if (*kind != "ExecCredential" || *version != api_version) {
    return invalid("printed " + text::in_quotes(*version) + " " + text::in_quotes(*kind) + ", expected " +
                   text::in_quotes(api_version) + " \"ExecCredential\"; make the kubeconfig and the plugin agree");
  }
  const text::Field status = root.field("status");
  if (auto object = status.as_object(); !object) return std::unexpected(object.error());
  ExecCredential credential;
  const auto read = [&](std::string_view key, std::string& into) -> Result<void> {
    const text::Field field = status.field(key);
    if (!field.given()) return {};
    auto secret = field.as_string();
    if (!secret) return std::unexpected(field.error("expected a string"));  // without its value
    into = std::move(*secret);
    return {};
  };
  std::string expires;
  if (auto ok = read("token", credential.token); !ok) return std::unexpected(ok.error());
  if (auto ok = read("clientCertificateData", credential.certificate_pem); !ok) return std::unexpected(ok.error());
  if (auto ok = read("clientKeyData", credential.key_pem); !ok) return std::unexpected(ok.error());
  if (auto ok = read("expirationTimestamp", expires); !ok) return std::unexpected(ok.error());
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return invalid("printed a client certificate or a key without the other");
  }
  if (credential.token.empty() && credential.certificate_pem.empty()) {
    return invalid("printed neither a token nor a client certificate");
  }
  if (expires.empty()) return credential;
  const auto at = text::parse_time(expires);
  if (!at) return std::unexpected(at.error().within("status.expirationTimestamp"));
  credential.expires = *at;
  return credential;
}

Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin, const net::Interrupt* interrupt) {
  const std::string place = "credential plugin " + text::in_quotes(plugin.command);
  const auto interactive = wants_terminal(plugin);
  if (!interactive) return std::unexpected(interactive.error().within(place));
  Program program{.command = plugin.command,
                  .arguments = plugin.arguments,
                  .environment = plugin.environment,
                  .terminal = *interactive,
                  .timeout = *interactive ? kMaxInteractiveExecTime : kMaxExecTime,
                  .max_output = kMaxExecOutput};
  program.environment.emplace_back("KUBERNETES_EXEC_INFO", exec_info(plugin, *interactive));
  const auto ended = run_program(program, interrupt);
  if (!ended) {
    Error error = ended.error().within(place);
    if (error.code == ErrorCode::NotFound) {
      error.message += plugin.install_hint.empty() ? "; install it, or correct users[].user.exec.command"
                                                   : "\n" + harmless(plugin.install_hint);
    }
    return std::unexpected(std::move(error));
  }
  if (ended->exit_code != 0) {
    return failure(ErrorCode::Io, place + ": failed with exit code " + std::to_string(ended->exit_code) +
                                      "; run it by hand to see why");
  }
  auto credential = parse_exec_credential(ended->output, plugin.api_version);
  if (!credential) return std::unexpected(credential.error().within(place));
  return credential;
}

}  // namespace basalt::client

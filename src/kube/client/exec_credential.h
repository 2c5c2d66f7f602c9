// Credentials from a program (client.authentication.k8s.io): what it is told, and what it answers.
//
// The program finds an ExecCredential in $KUBERNETES_EXEC_INFO and prints one with a status: a token, a client
// certificate, or both, and perhaps when they expire. It writes to our standard error as it likes, and reads our
// standard input when that is a terminal and its mode allows.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "kube/client/rest_config.h"
#include "kube/net/interrupt.h"

namespace basalt::client {

inline constexpr std::chrono::seconds kMaxExecTime{60};
inline constexpr std::chrono::seconds kMaxInteractiveExecTime{600};  // somebody may have to log in
inline constexpr size_t kMaxExecOutput = size_t{1024} * 1024;

struct ExecCredential {
  std::string token;
  std::string certificate_pem, key_pem;
  Instant expires = kNever;
};

// Runs the program; blocks until it has ended, its time is up, or `interrupt` (or null) is raised. An error names the
// program and, when it is not installed, the plugin's hint.
[[nodiscard]] Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin, const net::Interrupt* interrupt);

// The parts, pure.
[[nodiscard]] text::Value exec_cluster_info(const RestConfig& connection, const text::Value& exec_config);
[[nodiscard]] std::string exec_info(const ExecPlugin& plugin, bool interactive);
[[nodiscard]] Result<ExecCredential> parse_exec_credential(std::string_view text, std::string_view api_version);

}  // namespace basalt::client

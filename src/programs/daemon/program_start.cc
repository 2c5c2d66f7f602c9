#include "programs/daemon/program_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "kube/api/verbs.h"
#include "kube/client/https_object_client.h"
#include "programs/cli/flag_help.h"
#include "programs/cli/server_flags.h"
#include "programs/daemon/feature_gates.h"

#ifndef BASALT_VERSION
#define BASALT_VERSION "unknown"
#endif

namespace basalt::daemon {

int report_error(const ProgramInfo& program, const Error& error, int code) {
  fmt::print(stderr, "{}: {}\n", program.name, error.message);
  return code;
}

std::expected<cli::FlagValues, int> parse_program_flags(const ProgramInfo& program, std::span<const cli::Flag> rows,
                                                        cli::Words words) {
  const std::vector<std::string> given(words.begin(), words.end());
  if (std::ranges::find(given, "-h") != given.end() || std::ranges::find(given, "--help") != given.end()) {
    fmt::print("{}\n{}", program.usage, cli::grouped_flag_lines(rows, 0));
    return std::unexpected(cli::kOk);
  }
  auto flags = cli::FlagValues::read(rows, given, cli::FlagSpelling::Daemon);
  if (!flags) return std::unexpected(report_error(program, flags.error(), cli::kUsage));
  if (flags->given("version")) {
    fmt::print("{} (basalt) {}\n", program.name, BASALT_VERSION);
    return std::unexpected(cli::kOk);
  }
  if (flags->has("feature-gates")) {
    const auto gates = FeatureGates::read(flags->list("feature-gates"));
    if (!gates) return std::unexpected(report_error(program, gates.error(), cli::kUsage));
  }
  return std::move(*flags);
}

namespace {

Result<std::unique_ptr<client::ObjectClient>> connect(const cli::FlagValues& flags,
                                                      client::HttpsObjectClientOptions options) {
  const cli::ServerFlags server{.kubeconfig = flags.text("kubeconfig"), .master = flags.text("master")};
  return cli::connect(server, std::move(options));
}

}  // namespace

Result<std::unique_ptr<client::ObjectClient>> connect_client(const cli::FlagValues& flags, const ProgramInfo& program,
                                                             std::function<bool()> may_write) {
  client::HttpsObjectClientOptions options;
  options.user_agent = program.name;
  if (may_write) {
    options.may_send = [may_write = std::move(may_write)](const api::Call& call) {
      return !api::is_write(call.verb) || may_write();
    };
  }
  options.qps = flags.real("kube-api-qps");
  options.burst = static_cast<double>(flags.number("kube-api-burst"));
  options.lean = true;
  return connect(flags, std::move(options));
}

Result<std::unique_ptr<client::ObjectClient>> connect_lease_client(const cli::FlagValues& flags,
                                                                   const ProgramInfo& program) {
  client::HttpsObjectClientOptions options;
  options.user_agent = std::string(program.name) + " leader-election";
  options.max_connections = 2;
  const std::chrono::nanoseconds patience(flags.length("leader-elect-renew-deadline").nanos / 2);
  options.request_timeout = options.connect_timeout =
      std::max(std::chrono::ceil<std::chrono::milliseconds>(patience), std::chrono::milliseconds(1));
  return connect(flags, std::move(options));
}

}  // namespace basalt::daemon

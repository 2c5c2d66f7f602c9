// How a program begins: its command line, and where its API server is.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/client/object_client.h"
#include "programs/cli/flag_table.h"
#include "programs/cli/verb.h"

namespace basalt::daemon {

struct ProgramInfo {
  std::string_view name;   // "vc-scheduler"; in messages and as the client's name
  std::string_view usage;  // one or two lines about what it does
};

// The flags, or the exit code when there is nothing to run: help or the version was asked for, or a word is wrong; what
// there is to say was printed.
[[nodiscard]] std::expected<cli::FlagValues, int> parse_program_flags(const ProgramInfo& program,
                                                                      std::span<const cli::Flag> rows,
                                                                      cli::Words words);

// Prints "vc-scheduler: …" to standard error; answers `code`.
int report_error(const ProgramInfo& program, const Error& error, int code = cli::kFailed);

// By --kubeconfig and --master, within the limits of --kube-api-qps and --kube-api-burst; lean
// (kube/client/https_object_client.h). Opens no connection yet. `may_write`: asked right before each write goes out
// (HttpsObjectClientOptions::may_send); empty: always.
[[nodiscard]] Result<std::unique_ptr<client::ObjectClient>> connect_client(const cli::FlagValues& flags,
                                                                           const ProgramInfo& program,
                                                                           std::function<bool()> may_write = {});
// Another one for the lease, whose calls wait for nobody, and for the server no longer than half of the renew deadline.
[[nodiscard]] Result<std::unique_ptr<client::ObjectClient>> connect_lease_client(const cli::FlagValues& flags,
                                                                                 const ProgramInfo& program);

}  // namespace basalt::daemon

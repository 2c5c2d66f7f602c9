// vcctl and its stand-alone tools, as Volcano's users know them: same words, flags and columns.
//
// Exit codes: 0; 1 for words that are wrong and for a command that failed, with the reason on standard error; with
// --wait the exit code of the job.
//
// --volcano-output, anywhere on the line, or $BASALT_VOLCANO_OUTPUT=1: exactly Volcano's texts, streams and exit codes.
// Then a command that failed ends with 255 and says so on standard output ("Failed to <verb> <noun>: <why>"; with
// --output or --watch, which Volcano does not have, on standard error), wrong words bring the usage, and actions are
// silent where Volcano's are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/client/object_client.h"
#include "programs/cli/flag_table.h"
#include "programs/cli/vcctl/terminal.h"
#include "programs/cli/verb.h"

namespace basalt::cli::vcctl {

inline constexpr int kUsageError = 1;
inline constexpr int kCommandFailed = 1;
inline constexpr int kVolcanoFailureCode = 255;

// Makes the client that a command talks through, by its flags (--master, --kubeconfig …).
using Connect = std::function<Result<std::unique_ptr<client::ObjectClient>>(const FlagValues& flags)>;

// `vcctl WORDS…` / one of the stand-alone tools (vsub vjobs vqueues vcancel vsuspend vresume) with its words.
[[nodiscard]] int run_words(std::vector<std::string> words, const Connect& connect, Terminal& terminal);
[[nodiscard]] int run_tool_words(std::string_view tool, std::vector<std::string> words, const Connect& connect,
                                 Terminal& terminal);

// The same for this process: its terminal, and the server that its kubeconfig names.
[[nodiscard]] int run_vcctl(Words words);
[[nodiscard]] int run_alias(std::string_view tool, Words words);
[[nodiscard]] bool is_alias(std::string_view program);

}  // namespace basalt::cli::vcctl

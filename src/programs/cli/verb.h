// The verbs of the program: `basalt <verb> …`. A new verb is a row in the table of programs/main.cc
// (docs/guides/add-a-verb.md).
#pragma once

#include <span>
#include <string_view>

namespace basalt::cli {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;  // the verb ran and the answer is no
inline constexpr int kUsage = 2;   // it was called wrongly

// What stands behind the verb on the command line.
using Words = std::span<char* const>;

struct CliVerb {
  std::string_view name, summary;
  int (*run)(Words words) = nullptr;
};

// Runs the verb named by the first word behind the program's name. `--help` and no word at all list the verbs,
// `--version` is the verb version; an unknown verb is a usage error that names the nearest.
int dispatch(std::span<const CliVerb> verbs, Words command_line);

}  // namespace basalt::cli

// vcctl version: the lines that scripts of Volcano's users read.
#include <sys/utsname.h>

#include <ostream>

#include "programs/cli/vcctl/commands.h"

#ifndef BASALT_VERSION
#define BASALT_VERSION "Not provided."
#endif

namespace basalt::cli::vcctl {
namespace {

// The machine in Go's words.
std::string architecture() {
  utsname name{};
  const std::string machine = uname(&name) == 0 ? name.machine : "unknown";
  if (machine == "x86_64") return "amd64";
  return machine == "aarch64" ? "arm64" : machine;
}

}  // namespace

std::string_view program_version() { return "vcctl (Basalt) " BASALT_VERSION; }

Result<void> print_version(const FlagValues& /*flags*/, Terminal& terminal) {
  terminal.out << "API Version: v1alpha1\n"
                  "Version: " BASALT_VERSION
                  "\n"
                  "Git SHA: Not provided.\n"
                  "Built At: Not provided.\n"
                  "Go Version: Not provided.\n"
                  "Go OS/Arch: linux/"
               << architecture() << '\n';
  return {};
}

}  // namespace basalt::cli::vcctl

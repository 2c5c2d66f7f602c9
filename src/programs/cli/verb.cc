#include "programs/cli/verb.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/nearest_name.h"

namespace basalt::cli {

namespace {

std::string list_of(std::span<const CliVerb> verbs) {
  size_t width = 0;
  for (const CliVerb& verb : verbs) width = std::max(width, verb.name.size());
  std::string out;
  for (const CliVerb& verb : verbs) out += fmt::format("  {:<{}}  {}\n", verb.name, width, verb.summary);
  return out;
}

}  // namespace

int dispatch(std::span<const CliVerb> verbs, Words command_line) {
  constexpr std::string_view kHow = "usage: basalt <verb> [options]     (basalt <verb> --help explains one)\n\n";
  if (command_line.size() < 2) {
    fmt::print(stderr, "{}{}", kHow, list_of(verbs));
    return kUsage;
  }
  const std::string_view name = command_line[1];
  if (name == "--help" || name == "-h" || name == "help") {
    fmt::print("{}{}\nexit codes: 0 done; 1 it failed, or the answer is no; 2 wrong words\n", kHow, list_of(verbs));
    return kOk;
  }
  const std::string_view wanted = name == "--version" ? "version" : name;
  for (const CliVerb& verb : verbs) {
    if (verb.name == wanted) return verb.run(command_line.subspan(2));
  }
  std::vector<std::string_view> names;
  for (const CliVerb& verb : verbs) names.push_back(verb.name);
  const std::string_view meant = nearest(name, names);
  fmt::print(stderr, "basalt: unknown verb \"{}\"{}; basalt --help lists the verbs\n", name,
             meant.empty() ? "" : fmt::format(", did you mean \"{}\"?", meant));
  return kUsage;
}

}  // namespace basalt::cli

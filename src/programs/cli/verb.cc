#include "programs/cli/verb.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
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

// The long names of the flags that the help shows, without dashes.
std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

// What is wrong about the words that are left over: the first flag among them, since what follows it may be its value.
// "": nothing is left over.
std::string describe_unexpected(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  const auto flag = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("-"); });
  if (flag == words.end()) {
    return words.empty() ? "" : fmt::format("unexpected argument \"{}\"", words.front());
  }
  const std::string name = flag->substr(0, flag->find('='));
  const std::vector<std::string> known = flag_names(app);
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string_view meant =
      nearest(std::string_view(name).substr(std::min(name.find_first_not_of('-'), name.size())), views);
  return fmt::format("unknown flag {}{}", name, meant.empty() ? "" : fmt::format("; did you mean --{}?", meant));
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

std::optional<int> parse_words(CLI::App& app, Words words) {
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // the order that CLI11 wants
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    // An unknown flag is the cause of whatever else is wrong: its value was taken for a word of its own.
    const std::string unexpected = describe_unexpected(app);
    if (error.get_exit_code() == 0 || unexpected.empty()) return app.exit(error) == 0 ? kOk : kUsage;
    fmt::print(stderr, "{0}: {1}\nRun '{0} --help' for its flags.\n", app.get_name(), unexpected);
    return kUsage;
  }
  return std::nullopt;
}

}  // namespace basalt::cli

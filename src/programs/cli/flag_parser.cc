#include "programs/cli/flag_parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>

#include "base/nearest_name.h"

namespace basalt::cli {

namespace {

CLI::Option& as_option(void* option) { return *static_cast<CLI::Option*>(option); }

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

struct FlagParser::Parts {
  Parts(const std::string& description, const std::string& program) : app(description, program) {}

  CLI::App app;
  std::deque<FlagOption> options;  // their addresses stay
};

FlagOption* FlagOption::required() {
  as_option(option_).required();
  return this;
}

FlagOption* FlagOption::capture_default_str() {
  as_option(option_).capture_default_str();
  return this;
}

FlagOption* FlagOption::type_name(const std::string& name) {
  as_option(option_).type_name(name);
  return this;
}

FlagOption* FlagOption::hidden() {
  as_option(option_).group("");
  return this;
}

FlagOption* FlagOption::excludes(const FlagOption* other) {
  as_option(option_).excludes(&as_option(other->option_));
  return this;
}

FlagOption* FlagOption::one_of(const std::vector<std::string>& words) {
  as_option(option_).check(CLI::IsMember(words));
  return this;
}

FlagOption* FlagOption::one_of_any_case(const std::vector<std::string>& words) {
  as_option(option_).transform(CLI::IsMember(words, CLI::ignore_case));
  return this;
}

FlagOption* FlagOption::value_optional() {
  as_option(option_).expected(0, 1);
  return this;
}

FlagOption* FlagOption::range(int64_t least, int64_t most) {
  as_option(option_).check(CLI::Range(least, most));
  return this;
}

FlagOption* FlagOption::range(unsigned least, unsigned most) {
  as_option(option_).check(CLI::Range(least, most));
  return this;
}

FlagParser::FlagParser(const std::string& description, const std::string& program)
    : parts_(std::make_unique<Parts>(description, program)) {}

FlagParser::~FlagParser() = default;

FlagOption* FlagParser::add(const std::string& names, FlagTarget target, const std::string& help) {
  CLI::Option* added = std::visit([&](auto* place) { return parts_->app.add_option(names, *place, help); }, target);
  return &parts_->options.emplace_back(added);
}

FlagOption* FlagParser::add_flag(const std::string& names, bool& target, const std::string& help) {
  return &parts_->options.emplace_back(parts_->app.add_flag(names, target, help));
}

size_t FlagParser::count(const std::string& name) const { return parts_->app.count(name); }

std::optional<int> parse_words(FlagParser& parser, Words words) {
  CLI::App& app = parser.parts_->app;
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

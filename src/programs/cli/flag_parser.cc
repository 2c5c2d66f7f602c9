#include "programs/cli/flag_parser.h"

#include <CLI/CLI.hpp>
#include <deque>

namespace basalt::cli {

namespace {

CLI::Option& as_option(void* option) { return *static_cast<CLI::Option*>(option); }

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
    return app.exit(error) == 0 ? kOk : kUsage;
  }
  return std::nullopt;
}

Result<std::vector<std::string>> parse_text_flags(std::span<TextFlag> flags, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> options;
  for (TextFlag& flag : flags) {
    options.push_back(flag.is_switch ? app.add_flag(flag.spelling, flag.on) : app.add_option(flag.spelling, flag.text));
    options.back()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    return invalid("flag needs an argument: " + what.substr(0, what.find(':')));
  } catch (const CLI::ParseError& error) {
    return invalid(error.what());
  }
  for (size_t i = 0; i < flags.size(); ++i) flags[i].given = options[i]->count() > 0;
  return app.remaining();
}

}  // namespace basalt::cli

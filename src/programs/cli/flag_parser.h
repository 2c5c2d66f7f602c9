// The words of a command line into variables, with --help: what the verbs know of CLI11.
//
// CLI11 is headers only, and costs half a minute of compiling wherever they are included. flag_parser.cc is the one
// file that does; the interface here is the small part that the verbs use, under CLI11's names.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "programs/cli/verb.h"

namespace basalt::cli {

// Where a value goes.
using FlagTarget = std::variant<std::string*, std::vector<std::string>*, std::optional<std::string>*, int*, int64_t*,
                                std::optional<int64_t>*, uint16_t*, unsigned*, size_t*>;

// One word or flag of a FlagParser, which owns it. Each call returns the option itself, to say more about it.
class FlagOption {
 public:
  explicit FlagOption(void* option) : option_(option) {}

  FlagOption* required();
  FlagOption* capture_default_str();  // --help shows the value that the variable has now
  FlagOption* type_name(const std::string& name);
  FlagOption* hidden();  // not in --help
  FlagOption* excludes(const FlagOption* other);
  FlagOption* one_of(const std::vector<std::string>& words);
  FlagOption* one_of_any_case(const std::vector<std::string>& words);  // the variable gets it as written here
  FlagOption* value_optional();  // the flag alone sets the variable to "", whatever one_of() says
  FlagOption* range(int64_t least, int64_t most);
  FlagOption* range(unsigned least, unsigned most);

 private:
  void* option_;  // a CLI::Option
};

// Requires: the variables outlive the parse.
class FlagParser {
 public:
  FlagParser(const std::string& description, const std::string& program);
  ~FlagParser();
  FlagParser(const FlagParser&) = delete;
  FlagParser& operator=(const FlagParser&) = delete;

  // `names`: "--namespace,-n", or "NAME" for a word that stands by itself.
  template <typename T>
    requires std::constructible_from<FlagTarget, T*>
  FlagOption* add_option(const std::string& names, T& target, const std::string& help = {}) {
    return add(names, FlagTarget(&target), help);
  }
  FlagOption* add_flag(const std::string& names, bool& target, const std::string& help);

  [[nodiscard]] size_t count(const std::string& name) const;  // how often it was given

 private:
  struct Parts;

  FlagOption* add(const std::string& names, FlagTarget target, const std::string& help);

  std::unique_ptr<Parts> parts_;

  friend std::optional<int> parse_words(FlagParser& parser, Words words);
};

// Parses the words of a verb. An exit code: the verb is over. kOk: help was asked and is printed. kUsage: a word was
// wrong, and the reason is on standard error: for a flag that nobody knows its name, and the nearest that is.
[[nodiscard]] std::optional<int> parse_words(FlagParser& parser, Words words);

}  // namespace basalt::cli

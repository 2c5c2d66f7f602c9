// The flags of a command: rows that say what there is, and what was given on the command line.
//
// Spelling follows pflag, which Volcano's tools use: --name x, --name=x, -N x, -Nx, -N=x, --all_namespaces for
// --all-namespaces, the last of several wins, flags and other words in any order, -- ends the flags. Refusals are
// worded as there.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace basalt::cli::vcctl {

enum class VcctlFlagKind : uint8_t { Text, Number, Switch };

struct VcctlFlag {
  std::string_view name;  // "all-namespaces"
  char letter = '\0';     // 'n' for -n; '\0': none
  VcctlFlagKind kind = VcctlFlagKind::Text;
  std::string_view value = {};  // when it is not given; Number: a whole number within int32
  std::string_view help = {};
  std::string_view choices = {};  // "json yaml": what completion offers
  std::string_view names = {};    // "queue": completion offers the objects of that kind; see kNamedKinds
  bool hidden = false;            // accepted for the sake of old scripts, not in the help
};

class VcctlFlags {
 public:
  // Requires, for all readers: `name` is a flag of the rows that were parsed, of that kind.
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] int32_t number(std::string_view name) const;
  [[nodiscard]] bool on(std::string_view name) const;
  [[nodiscard]] bool given(std::string_view name) const;  // on the command line
  [[nodiscard]] bool known(std::string_view name) const { return values_.contains(name); }
  [[nodiscard]] char letter(std::string_view name) const;  // of its row

  // Words that are no flags.
  [[nodiscard]] const std::vector<std::string>& arguments() const { return arguments_; }
  // As if `--name text` had been given.
  void set(std::string_view name, std::string text);

 private:
  friend Result<VcctlFlags> parse_flags(std::span<const VcctlFlag> rows, std::vector<std::string> words);

  struct Given {
    std::string text;
    int32_t number = 0;
    bool on = false, given = false;
    char letter = '\0';
  };
  [[nodiscard]] const Given& at(std::string_view name) const;

  std::map<std::string, Given, std::less<>> values_;
  std::vector<std::string> arguments_;
};

// Cost: O(rows + words).
[[nodiscard]] Result<VcctlFlags> parse_flags(std::span<const VcctlFlag> rows, std::vector<std::string> words);

}  // namespace basalt::cli::vcctl

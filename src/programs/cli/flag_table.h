// Flags as a table: rows that say what there is, and what a command line gave. Parsing, --help and completion read the
// same rows. Volcano's programs and tools read their command lines here.
//
// Two spellings, because Volcano has two:
//   Daemon  its programs and their manifests: --name=x, --name x, -name=x, --name alone for a switch. Other words are
//           put aside: Volcano's own chart passes a shell's "2>&1" as an argument.
//   Tool    vcctl, by pflag: also -N x, -Nx, -N=x, -wN x; -- ends the flags, other words are arguments. Refusals are
//           worded as there.
//
// In both '_' stands for '-' in names (klog's flags), lists may be repeated and separated by commas, and of other flags
// the last one wins. A refusal of a Daemon names the flag and what is expected; for an unknown flag the nearest.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace basalt::cli {

inline constexpr size_t kMaxFlagWords = 10'000;  // on one command line

enum class FlagKind : uint8_t {
  Text,
  Number,   // a whole number, not negative
  Integer,  // a whole number, perhaps negative
  Int32,    // the same within 32 bits
  Real,     // not negative
  Switch,   // alone, or =true, =false
  Length,   // of time, as Go writes it: 15s, 1m30s
  List,     // of texts, by commas
  Texts,    // texts with commas in them: only repeated
};

enum class FlagGroup : uint8_t { Work, Kubernetes, Election, Health, Log, Other };  // in the order of --help

struct Flag {
  std::string_view name;  // "leader-elect"
  char letter = '\0';     // 'n' for -n; '\0': none
  FlagKind kind = FlagKind::Text;
  std::string_view value = {};  // when it is not given; valid for the kind
  std::string_view help = {};
  FlagGroup group = FlagGroup::Other;
  std::string_view choices = {};  // "json yaml": what completion offers
  std::string_view names = {};    // "queue": completion offers the objects of that kind
  // Why it changes nothing here; "": it does. Such a flag is taken and told in the log when it is given.
  std::string_view idle = {};
  bool hidden = false;  // accepted for the sake of old scripts, not in the help
};

enum class FlagSpelling : uint8_t { Daemon, Tool };

class FlagValues {
 public:
  // An error is about one of `words`. `rows` have different names; their texts outlive the values. Cost: O((rows +
  // words) · log rows).
  static Result<FlagValues> read(std::span<const Flag> rows, std::span<const std::string> words, FlagSpelling spelling);

  // Requires, for all readers: `name` is a flag of the rows, of that kind. (number: of any kind of whole numbers)
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] int64_t number(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] bool on(std::string_view name) const;
  [[nodiscard]] Duration length(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& list(std::string_view name) const;  // of a List or Texts
  [[nodiscard]] char letter(std::string_view name) const;                           // of a row of any kind

  [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name); }  // a row
  [[nodiscard]] bool given(std::string_view name) const;                                  // on the command line
  [[nodiscard]] const std::vector<std::string>& arguments() const { return arguments_; }  // words that are no flags
  // "--csi-storage changes nothing: …" for each idle flag that was given, in the order of names.
  [[nodiscard]] std::vector<std::string> idle() const;

  // As if `--name text` had been given. Requires: a flag of the rows, of kind Text.
  void set_text(std::string_view name, std::string text);

 private:
  struct Given {
    Flag row;
    std::string text;
    std::vector<std::string> list;
    int64_t number = 0;
    double real = 0;
    bool on = false, given = false;
    Duration length;
  };
  class Reader;

  [[nodiscard]] const Given& at(std::string_view name, std::initializer_list<FlagKind> kinds) const;

  std::map<std::string_view, Given> values_;
  std::vector<std::string> arguments_;
};

}  // namespace basalt::cli

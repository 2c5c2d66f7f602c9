// The flags of the programs: rows that say what there is, and what a command line gave.
//
// Spelling as Volcano's programs and their manifests have it: --name=x, --name x, --name alone for a switch, one dash
// or two, '_' for '-' (klog's names). Lists may be repeated and separated by commas; of other flags the last one wins.
// Words that are no flags are skipped: Volcano's own chart passes a shell's "2>&1" as an argument.
//
// A refusal names the flag and what is expected; an unknown flag the one that is nearest.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "programs/cli/verb.h"

namespace basalt::daemon {

inline constexpr size_t kMaxFlagWords = 10'000;  // on one command line

enum class DaemonFlagKind : uint8_t {
  Text,
  Number,   // a whole number, not negative
  Integer,  // a whole number, perhaps negative
  Real,     // not negative
  Switch,   // alone, or =true, =false
  Length,   // of time, as Go writes it: 15s, 1m30s
  List,     // of texts, by commas
  Texts,    // texts with commas in them: only repeated
};

enum class DaemonFlagGroup : uint8_t { Kubernetes, Work, Election, Health, Log, Other };

struct DaemonFlag {
  std::string_view name;  // "leader-elect"
  DaemonFlagKind kind = DaemonFlagKind::Text;
  std::string_view value = {};  // when it is not given; valid for the kind
  std::string_view help = {};
  DaemonFlagGroup group = DaemonFlagGroup::Other;
  // Why it changes nothing here; "": it does. Such a flag is taken and told in the log when it is given.
  std::string_view idle = {};
};

class DaemonFlags {
 public:
  // An error is about one of `words`. `rows` have different names. Cost: O(rows + words).
  static Result<DaemonFlags> read(std::span<const DaemonFlag> rows, std::span<const std::string> words);

  // Requires, for all readers: `name` is a flag of the rows, of that kind. (number: of either kind of whole numbers)
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] int64_t number(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] bool on(std::string_view name) const;
  [[nodiscard]] Duration length(std::string_view name) const;
  // Of a List or Texts.
  [[nodiscard]] const std::vector<std::string>& list(std::string_view name) const;
  [[nodiscard]] bool given(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name); }

  [[nodiscard]] const std::vector<std::string>& skipped() const { return skipped_; }  // words that are no flags
  // "--csi-storage has no effect: …" for each idle flag that was given, in the order of names.
  [[nodiscard]] std::vector<std::string> idle() const;

 private:
  struct Given {
    const DaemonFlag* row = nullptr;
    std::string text;
    std::vector<std::string> list;
    int64_t number = 0;
    double real = 0;
    bool on = false, given = false;
    Duration length;
  };
  static Result<void> set(Given& into, const std::string& text);
  [[nodiscard]] const Given& at(std::string_view name, DaemonFlagKind kind, DaemonFlagKind or_kind) const;
  [[nodiscard]] const Given& at(std::string_view name, DaemonFlagKind kind) const { return at(name, kind, kind); }

  std::map<std::string, Given, std::less<>> values_;
  std::vector<std::string> skipped_;
};

// The rows by group, with defaults and explanations, for --help.
[[nodiscard]] std::string flags_help(std::span<const DaemonFlag> rows);

}  // namespace basalt::daemon

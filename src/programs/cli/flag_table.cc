#include "programs/cli/flag_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/nearest_name.h"
#include "kube/text/document_path.h"
#include "kube/text/go_duration.h"
#include "kube/text/scalar.h"

namespace basalt::cli {
namespace {

std::string_view expected_value(FlagKind kind) {
  switch (kind) {
    case FlagKind::Number:
      return "a whole number that is not negative, such as 100";
    case FlagKind::Integer:
    case FlagKind::Int32:
      return "a whole number, such as 15 or -1";
    case FlagKind::Real:
      return "a number that is not negative, such as 50 or 0.5";
    case FlagKind::Switch:
      return "true or false";
    case FlagKind::Length:
      return "a length of time that is not negative, such as 15s or 1m30s";
    case FlagKind::Text:
    case FlagKind::List:
    case FlagKind::Texts:
      break;
  }
  return "a text";
}

void append_list(std::vector<std::string>& out, std::string_view text) {
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) out.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

bool is_int32(std::string_view text) { return text::parse_int32(text).has_value(); }

// As pflag words it: the number of a Tool is one of 32 bits.
std::string pflag_refusal(const Flag& row, const std::string& text) {
  const std::string flag =
      row.letter == '\0' ? fmt::format("--{}", row.name) : fmt::format("-{}, --{}", row.letter, row.name);
  const bool is_switch = row.kind == FlagKind::Switch;
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = end == text.data() + text.size() && !text.empty() && problem != std::errc::invalid_argument;
  return fmt::format("invalid argument {0} for \"{1}\" flag: strconv.{2}: parsing {0}: {3}", text::in_quotes(text),
                     flag, is_switch ? "ParseBool" : "ParseInt",
                     whole && !is_switch ? "value out of range" : "invalid syntax");
}

// A word that names a flag: "--name=value".
struct FlagWord {
  std::string name;
  std::optional<std::string> value;
};

FlagWord split_word(std::string_view word) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  const size_t equals = word.find('=');
  FlagWord out{.name = std::string(word.substr(0, equals))};
  std::ranges::replace(out.name, '_', '-');
  if (equals != std::string_view::npos) out.value = word.substr(equals + 1);
  return out;
}

}  // namespace

// One pass over the words.
class FlagValues::Reader {
 public:
  Reader(FlagValues& values, std::span<const std::string> words, FlagSpelling spelling)
      : values_(values.values_), arguments_(values.arguments_), words_(words), spelling_(spelling) {}

  void add_row(const Flag& row) {
    Given first{.row = row};
    check(row.value.empty() || set(first, std::string(row.value)), "defaults of flags are valid");
    check(values_.emplace(row.name, std::move(first)).second, "names of flags differ");
  }

  Result<void> read() {
    const bool is_tool = spelling_ == FlagSpelling::Tool;
    bool flags_ended = false;
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (is_tool && !flags_ended && word == "--") {
        flags_ended = true;
      } else if (flags_ended || word.size() < 2 || word[0] != '-' || word == "--") {
        arguments_.push_back(word);
      } else if (auto taken = is_tool && word[1] != '-' ? read_letters(word) : read_name(word); !taken) {
        return taken;
      }
    }
    return {};
  }

 private:
  Result<void> read_name(const std::string& word) {
    FlagWord given = split_word(word);
    const auto found = values_.find(given.name);
    if (found == values_.end()) return std::unexpected(unknown(word, given.name));
    return give(found->second, std::move(given.value));
  }

  // "-wN=x": switches, then perhaps a flag with its value.
  Result<void> read_letters(std::string_view word) {
    for (std::string_view letters = word.substr(1); !letters.empty(); letters.remove_prefix(1)) {
      const auto found =
          std::ranges::find_if(values_, [&](const auto& entry) { return entry.second.row.letter == letters[0]; });
      if (found == values_.end()) {
        return invalid(fmt::format("unknown shorthand flag: '{}' in -{}", letters.substr(0, 1), letters));
      }
      Given& flag = found->second;
      const bool has_value = letters.size() > 1 && (letters[1] == '=' || flag.row.kind != FlagKind::Switch);
      if (has_value) return give(flag, std::string(letters.substr(letters[1] == '=' ? 2 : 1)));
      if (auto done = give(flag, std::nullopt); !done) return done;
    }
    return {};
  }

  // Without a value of its own a flag takes the next word, and a switch none.
  Result<void> give(Given& flag, std::optional<std::string> value) {
    if (!value && flag.row.kind == FlagKind::Switch) value = "true";
    if (!value) {
      if (at_ + 1 == words_.size()) return invalid(lacks_value(flag.row));
      value = words_[++at_];
    }
    if (!std::exchange(flag.given, true)) flag.list.clear();  // what is given stands instead of the default
    if (set(flag, *value)) return {};
    if (spelling_ == FlagSpelling::Tool) return invalid(pflag_refusal(flag.row, *value));
    return invalid(
        fmt::format("--{}: {} is not {}", flag.row.name, text::in_quotes(*value), expected_value(flag.row.kind)));
  }

  [[nodiscard]] std::string lacks_value(const Flag& row) const {
    if (spelling_ == FlagSpelling::Tool) return fmt::format("flag needs an argument: --{}", row.name);
    return fmt::format("--{} needs {}", row.name, expected_value(row.kind));
  }

  [[nodiscard]] Error unknown(const std::string& word, const std::string& name) const {
    if (spelling_ == FlagSpelling::Tool) {
      return {.message = fmt::format("unknown flag: {}", word.substr(0, word.find('=')))};
    }
    std::vector<std::string_view> names;
    for (const auto& [known, flag] : values_) names.push_back(known);
    const std::string_view meant = nearest(name, names);
    return {.message = fmt::format("unknown flag --{}{} (--help lists the flags)", name,
                                   meant.empty() ? "" : fmt::format(", did you mean --{}?", meant))};
  }

  // Whether `text` is a value of the flag's kind.
  static bool set(Given& into, const std::string& text) {
    const auto store = [](auto& place, const auto& value, bool allowed) {
      if (allowed) place = *value;
      return allowed;
    };
    switch (into.row.kind) {
      case FlagKind::Text:
        into.text = text;
        return true;
      case FlagKind::List:
        append_list(into.list, text);
        return true;
      case FlagKind::Texts:
        if (!text.empty()) into.list.push_back(text);
        return true;
      case FlagKind::Number:
      case FlagKind::Integer:
      case FlagKind::Int32: {
        const auto number = text::parse_int(text);
        const bool fits = into.row.kind == FlagKind::Int32
                              ? is_int32(text)
                              : into.row.kind == FlagKind::Integer || (number && *number >= 0);
        return store(into.number, number, number && fits);
      }
      case FlagKind::Real: {
        const auto number = text::parse_double(text);
        return store(into.real, number, number && *number >= 0);
      }
      case FlagKind::Switch: {
        const auto on = text::parse_bool(text);
        return store(into.on, on, on.has_value());
      }
      case FlagKind::Length: {
        const auto length = text::parse_duration(text);
        return store(into.length, length, length && length->nanos >= 0);
      }
    }
    return false;
  }

  std::map<std::string_view, Given>& values_;
  std::vector<std::string>& arguments_;
  std::span<const std::string> words_;
  FlagSpelling spelling_;
  size_t at_ = 0;
};

Result<FlagValues> FlagValues::read(std::span<const Flag> rows, std::span<const std::string> words,
                                    FlagSpelling spelling) {
  if (words.size() > kMaxFlagWords) return invalid("too many words on the command line");
  FlagValues flags;
  Reader reader(flags, words, spelling);
  for (const Flag& row : rows) reader.add_row(row);
  if (auto done = reader.read(); !done) return std::unexpected(done.error());
  return flags;
}

const FlagValues::Given& FlagValues::at(std::string_view name, std::initializer_list<FlagKind> kinds) const {
  const auto found = values_.find(name);
  check(found != values_.end(), "a program reads only flags that it has");
  check(std::ranges::find(kinds, found->second.row.kind) != kinds.end(), "a flag is read as what it is");
  return found->second;
}

const std::string& FlagValues::text(std::string_view name) const { return at(name, {FlagKind::Text}).text; }
int64_t FlagValues::number(std::string_view name) const {
  return at(name, {FlagKind::Number, FlagKind::Integer, FlagKind::Int32}).number;
}
double FlagValues::real(std::string_view name) const { return at(name, {FlagKind::Real}).real; }
bool FlagValues::on(std::string_view name) const { return at(name, {FlagKind::Switch}).on; }
Duration FlagValues::length(std::string_view name) const { return at(name, {FlagKind::Length}).length; }
const std::vector<std::string>& FlagValues::list(std::string_view name) const {
  return at(name, {FlagKind::List, FlagKind::Texts}).list;
}

char FlagValues::letter(std::string_view name) const {
  const auto found = values_.find(name);
  check(found != values_.end(), "a program reads only flags that it has");
  return found->second.row.letter;
}

bool FlagValues::given(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second.given;
}

std::vector<std::string> FlagValues::idle() const {
  std::vector<std::string> out;
  for (const auto& [name, flag] : values_) {
    if (flag.given && !flag.row.idle.empty())
      out.push_back(fmt::format("--{} changes nothing: {}", name, flag.row.idle));
  }
  return out;
}

void FlagValues::set_text(std::string_view name, std::string text) {
  const auto found = values_.find(name);
  check(found != values_.end() && found->second.row.kind == FlagKind::Text, "a text is given to a flag of texts");
  found->second.text = std::move(text);
  found->second.given = true;
}

}  // namespace basalt::cli

#include "programs/cli/vcctl/vcctl_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "kube/text/document_path.h"
#include "programs/cli/flag_parser.h"

namespace basalt::cli::vcctl {
namespace {

const VcctlFlag* with_letter(std::span<const VcctlFlag> rows, char letter) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [letter](const VcctlFlag& row) { return row.letter == letter; });
  return found == rows.end() ? nullptr : &*found;
}

// What pflag accepts and CLI11 does not: underscores in long names, "=" after a letter, nothing after "=".
std::vector<std::string> respelt(std::span<const VcctlFlag> rows, std::vector<std::string> words) {
  std::vector<std::string> out;
  bool flags = true;
  for (std::string& word : words) {
    flags = flags && word != "--";
    const size_t equals = word.find('=');
    if (flags && word.starts_with("--")) {
      std::replace(word.begin(), word.begin() + static_cast<ptrdiff_t>(std::min(equals, word.size())), '_', '-');
      if (equals != std::string::npos && equals > 2 && equals + 1 == word.size()) {
        out.push_back(word.substr(0, equals));
        out.emplace_back();
        continue;
      }
    } else if (flags && word.size() > 2 && word[0] == '-' && equals == 2) {
      if (const VcctlFlag* row = with_letter(rows, word[1]); row != nullptr) {
        out.push_back(fmt::format("--{}", row->name));
        if (row->kind == VcctlFlagKind::Switch) {
          out.back() += word.substr(2);
        } else {
          out.push_back(word.substr(3));
        }
        continue;
      }
    }
    out.push_back(std::move(word));
  }
  return out;
}

std::string spelling(const VcctlFlag& row) {
  return row.letter == '\0' ? fmt::format("--{}", row.name) : fmt::format("-{},--{}", row.letter, row.name);
}

Error unknown(const std::string& word) {
  if (word.starts_with("--")) {
    return Error{.message = fmt::format("unknown flag: {}", word.substr(0, word.find('=')))};
  }
  return Error{.message = fmt::format("unknown shorthand flag: '{}' in {}", word.substr(1, 1), word)};
}

Result<int32_t> read_number(const VcctlFlag& row, const std::string& text) {
  int32_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && end == text.data() + text.size()) return number;
  const std::string_view why = problem == std::errc::result_out_of_range ? "value out of range" : "invalid syntax";
  const std::string flag =
      row.letter == '\0' ? fmt::format("--{}", row.name) : fmt::format("-{}, --{}", row.letter, row.name);
  return invalid(fmt::format("invalid argument {0} for \"{1}\" flag: strconv.ParseInt: parsing {0}: {2}",
                             text::in_quotes(text), flag, why));
}

// The words that CLI11 left over are arguments, or flags that nobody knows.
Result<std::vector<std::string>> arguments_of(std::span<const std::string> remaining,
                                              std::span<const std::string> words) {
  const auto end_of_flags = std::find(words.begin(), words.end(), "--");
  std::vector<std::string> arguments;
  for (const std::string& word : remaining) {
    if (word == "--") continue;
    if (word.size() > 1 && word[0] == '-' && std::find(words.begin(), end_of_flags, word) != end_of_flags) {
      return std::unexpected(unknown(word));
    }
    arguments.push_back(word);
  }
  return arguments;
}

}  // namespace

Result<VcctlFlags> parse_flags(std::span<const VcctlFlag> rows, std::vector<std::string> words) {
  std::vector<TextFlag> storage;
  for (const VcctlFlag& row : rows) {
    storage.push_back(
        {.spelling = spelling(row), .is_switch = row.kind == VcctlFlagKind::Switch, .text = std::string(row.value)});
  }
  words = respelt(rows, std::move(words));
  const auto remaining = parse_text_flags(storage, words);
  if (!remaining) return std::unexpected(remaining.error());
  auto arguments = arguments_of(*remaining, words);
  if (!arguments) return std::unexpected(arguments.error());

  VcctlFlags flags;
  flags.arguments_ = std::move(*arguments);
  for (size_t i = 0; i < rows.size(); ++i) {
    VcctlFlags::Given given{
        .text = storage[i].text, .on = storage[i].on, .given = storage[i].given, .letter = rows[i].letter};
    if (rows[i].kind == VcctlFlagKind::Number) {
      const auto number = read_number(rows[i], given.text);
      if (!number) return std::unexpected(number.error());
      given.number = *number;
    }
    flags.values_.emplace(rows[i].name, std::move(given));
  }
  return flags;
}

const VcctlFlags::Given& VcctlFlags::at(std::string_view name) const {
  const auto found = values_.find(name);
  check(found != values_.end(), "a command reads only flags that it has");
  return found->second;
}

const std::string& VcctlFlags::text(std::string_view name) const { return at(name).text; }
int32_t VcctlFlags::number(std::string_view name) const { return at(name).number; }
bool VcctlFlags::on(std::string_view name) const { return at(name).on; }
bool VcctlFlags::given(std::string_view name) const { return at(name).given; }
char VcctlFlags::letter(std::string_view name) const { return at(name).letter; }

void VcctlFlags::set(std::string_view name, std::string text) {
  Given& given = values_[std::string(name)];
  given.text = std::move(text);
  given.given = true;
}

}  // namespace basalt::cli::vcctl

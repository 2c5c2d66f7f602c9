#include "kube/text/go_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace basalt::text {
namespace {

std::optional<bool> read_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

// Go's whole numbers: a sign, then decimal, 0x, 0o, 0b or a leading 0 for octal. Underscores are not taken.
std::optional<int64_t> read_int(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  if (text.empty() || text[0] == '-') return std::nullopt;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return negative ? -number : number;
}

std::string set_bool(const GoFlag& flag, bool& target, std::optional<std::string_view> value) {
  const std::optional<bool> read = value ? read_bool(*value) : true;
  if (!read) return fmt::format("invalid boolean value \"{}\" for -{}: parse error", *value, flag.name);
  target = *read;
  return {};
}

std::string set_value(const GoFlag& flag, std::string_view value) {
  if (auto* const* text = std::get_if<std::string*>(&flag.target)) {
    (*text)->assign(value);
    return {};
  }
  const std::optional<int64_t> number = read_int(value);
  if (!number) return fmt::format("invalid value \"{}\" for flag -{}: parse error", value, flag.name);
  *std::get<int64_t*>(flag.target) = *number;
  return {};
}

}  // namespace

std::string read_go_flags(std::span<const std::string_view> arguments, std::span<const GoFlag> flags) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument.size() < 2 || argument[0] != '-' || argument == "--") return {};
    std::string_view name = argument.substr(argument[1] == '-' ? 2 : 1);
    if (name.empty() || name[0] == '-' || name[0] == '=') return fmt::format("bad flag syntax: {}", argument);
    std::optional<std::string_view> value;
    if (const size_t equals = name.find('='); equals != std::string_view::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    const auto flag = std::ranges::find(flags, name, &GoFlag::name);
    if (flag == flags.end()) return fmt::format("flag provided but not defined: -{}", name);
    std::string problem;
    if (auto* const* target = std::get_if<bool*>(&flag->target)) {
      problem = set_bool(*flag, **target, value);
    } else {
      if (!value && i + 1 < arguments.size()) value = arguments[++i];
      if (!value) return fmt::format("flag needs an argument: -{}", name);
      problem = set_value(*flag, *value);
    }
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace basalt::text

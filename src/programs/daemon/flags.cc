#include "programs/daemon/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/nearest.h"
#include "kube/text/duration.h"
#include "kube/text/path.h"
#include "kube/text/scalar.h"

namespace basalt::daemon {
namespace {

std::string_view expected(FlagKind kind) {
  switch (kind) {
    case FlagKind::Number:
      return "a whole number that is not negative, such as 100";
    case FlagKind::Integer:
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

std::string refusal(const Flag& row, const std::string& text) {
  return fmt::format("--{}: {} is not {}", row.name, text::in_quotes(text), expected(row.kind));
}

void append_list(std::vector<std::string>& out, std::string_view text) {
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) out.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

struct Word {
  std::string name, value;
  bool has_value = false;
};

Word split(std::string_view word) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  Word out;
  const size_t equals = word.find('=');
  out.name = word.substr(0, equals);
  std::ranges::replace(out.name, '_', '-');
  if (equals != std::string_view::npos) {
    out.value = word.substr(equals + 1);
    out.has_value = true;
  }
  return out;
}

Error unknown(std::span<const Flag> rows, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Flag& row : rows) names.push_back(row.name);
  const std::string_view meant = nearest(name, names);
  return {.message = fmt::format("unknown flag --{}{} (--help lists the flags)", name,
                                 meant.empty() ? "" : fmt::format(", did you mean --{}?", meant))};
}

}  // namespace

Result<void> Flags::set(Given& into, const std::string& text) {
  const Flag& row = *into.row;
  switch (row.kind) {
    case FlagKind::Text:
      into.text = text;
      return {};
    case FlagKind::List:
      append_list(into.list, text);
      return {};
    case FlagKind::Texts:
      if (!text.empty()) into.list.push_back(text);
      return {};
    case FlagKind::Number:
    case FlagKind::Integer:
      if (const auto number = text::parse_int(text); number && (*number >= 0 || row.kind == FlagKind::Integer)) {
        return into.number = *number, Result<void>();
      }
      break;
    case FlagKind::Real:
      if (const auto number = text::parse_double(text); number && *number >= 0) {
        return into.real = *number, Result<void>();
      }
      break;
    case FlagKind::Switch:
      if (const auto on = text::parse_bool(text); on) return into.on = *on, Result<void>();
      break;
    case FlagKind::Length:
      if (const auto length = text::parse_duration(text); length && length->nanos >= 0) {
        return into.length = *length, Result<void>();
      }
      break;
  }
  return invalid(refusal(row, text));
}

Result<Flags> Flags::read(std::span<const Flag> rows, std::span<const std::string> words) {
  if (words.size() > kMaxFlagWords) return invalid("too many words on the command line");
  Flags flags;
  for (const Flag& row : rows) {
    Given first{.row = &row};
    const bool has_default = !row.value.empty();
    check(!has_default || set(first, std::string(row.value)).has_value(), "defaults of flags are valid");
    const bool is_new = flags.values_.emplace(row.name, std::move(first)).second;
    check(is_new, "names of flags differ");
  }
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() < 2 || words[i][0] != '-' || words[i] == "--") {
      flags.skipped_.push_back(words[i]);
      continue;
    }
    Word word = split(words[i]);
    const auto found = flags.values_.find(word.name);
    if (found == flags.values_.end()) return std::unexpected(unknown(rows, word.name));
    Given& given = found->second;
    if (!word.has_value && given.row->kind == FlagKind::Switch) {
      word.value = "true";
    } else if (!word.has_value) {
      if (i + 1 == words.size()) return invalid(fmt::format("--{} needs {}", word.name, expected(given.row->kind)));
      word.value = words[++i];
    }
    if (!std::exchange(given.given, true)) given.list.clear();  // what is given stands instead of the default
    if (auto done = set(given, word.value); !done) return std::unexpected(done.error());
  }
  return flags;
}

const Flags::Given& Flags::at(std::string_view name, FlagKind kind, FlagKind or_kind) const {
  const auto found = values_.find(name);
  check(found != values_.end(), "a program reads only flags that it has");
  const FlagKind is = found->second.row->kind;
  check(is == kind || is == or_kind, "a flag is read as what it is");
  return found->second;
}

const std::string& Flags::text(std::string_view name) const { return at(name, FlagKind::Text).text; }
int64_t Flags::number(std::string_view name) const { return at(name, FlagKind::Number, FlagKind::Integer).number; }
double Flags::real(std::string_view name) const { return at(name, FlagKind::Real).real; }
bool Flags::on(std::string_view name) const { return at(name, FlagKind::Switch).on; }
Duration Flags::length(std::string_view name) const { return at(name, FlagKind::Length).length; }
const std::vector<std::string>& Flags::list(std::string_view name) const {
  return at(name, FlagKind::List, FlagKind::Texts).list;
}

bool Flags::given(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second.given;
}

std::vector<std::string> Flags::idle() const {
  std::vector<std::string> out;
  for (const auto& [name, given] : values_) {
    if (given.given && !given.row->idle.empty()) {
      out.push_back(fmt::format("--{} changes nothing: {}", name, given.row->idle));
    }
  }
  return out;
}

std::string flags_help(std::span<const Flag> rows) {
  static constexpr std::array<std::pair<FlagGroup, std::string_view>, 6> kGroups = {{
      {FlagGroup::Work, "What it does"},
      {FlagGroup::Kubernetes, "The API server"},
      {FlagGroup::Election, "Leader election"},
      {FlagGroup::Health, "Health and metrics"},
      {FlagGroup::Log, "The log"},
      {FlagGroup::Other, "Other"},
  }};
  std::string out, without_effect;
  for (const auto& [group, title] : kGroups) {
    std::string lines;
    for (const Flag& row : rows) {
      if (!row.idle.empty() || row.group != group) continue;
      const std::string value = row.value.empty() || (row.kind == FlagKind::Switch && row.value == "false")
                                    ? ""
                                    : fmt::format(" (default {})", row.value);
      lines += fmt::format("  --{}\n        {}{}\n", row.name, row.help, value);
    }
    if (!lines.empty()) out += fmt::format("\n{}:\n{}", title, lines);
  }
  for (const Flag& row : rows) {
    if (!row.idle.empty()) without_effect += fmt::format("  --{}: {}\n", row.name, row.idle);
  }
  if (!without_effect.empty()) out += "\nTaken for the sake of Volcano's manifests, without effect:\n" + without_effect;
  return out;
}

}  // namespace basalt::daemon

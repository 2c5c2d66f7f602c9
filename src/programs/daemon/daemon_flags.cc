#include "programs/daemon/daemon_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/nearest_name.h"
#include "kube/text/document_path.h"
#include "kube/text/go_duration.h"
#include "kube/text/scalar.h"

namespace basalt::daemon {
namespace {

std::string_view expected(DaemonFlagKind kind) {
  switch (kind) {
    case DaemonFlagKind::Number:
      return "a whole number that is not negative, such as 100";
    case DaemonFlagKind::Integer:
      return "a whole number, such as 15 or -1";
    case DaemonFlagKind::Real:
      return "a number that is not negative, such as 50 or 0.5";
    case DaemonFlagKind::Switch:
      return "true or false";
    case DaemonFlagKind::Length:
      return "a length of time that is not negative, such as 15s or 1m30s";
    case DaemonFlagKind::Text:
    case DaemonFlagKind::List:
    case DaemonFlagKind::Texts:
      break;
  }
  return "a text";
}

std::string refusal(const DaemonFlag& row, const std::string& text) {
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

Error unknown(std::span<const DaemonFlag> rows, const std::string& name) {
  std::vector<std::string_view> names;
  for (const DaemonFlag& row : rows) names.push_back(row.name);
  const std::string_view meant = nearest(name, names);
  return {.message = fmt::format("unknown flag --{}{} (--help lists the flags)", name,
                                 meant.empty() ? "" : fmt::format(", did you mean --{}?", meant))};
}

}  // namespace

Result<void> DaemonFlags::set(Given& into, const std::string& text) {
  const DaemonFlag& row = *into.row;
  switch (row.kind) {
    case DaemonFlagKind::Text:
      into.text = text;
      return {};
    case DaemonFlagKind::List:
      append_list(into.list, text);
      return {};
    case DaemonFlagKind::Texts:
      if (!text.empty()) into.list.push_back(text);
      return {};
    case DaemonFlagKind::Number:
    case DaemonFlagKind::Integer:
      if (const auto number = text::parse_int(text); number && (*number >= 0 || row.kind == DaemonFlagKind::Integer)) {
        return into.number = *number, Result<void>();
      }
      break;
    case DaemonFlagKind::Real:
      if (const auto number = text::parse_double(text); number && *number >= 0) {
        return into.real = *number, Result<void>();
      }
      break;
    case DaemonFlagKind::Switch:
      if (const auto on = text::parse_bool(text); on) return into.on = *on, Result<void>();
      break;
    case DaemonFlagKind::Length:
      if (const auto length = text::parse_duration(text); length && length->nanos >= 0) {
        return into.length = *length, Result<void>();
      }
      break;
  }
  return invalid(refusal(row, text));
}

Result<DaemonFlags> DaemonFlags::read(std::span<const DaemonFlag> rows, std::span<const std::string> words) {
  if (words.size() > kMaxFlagWords) return invalid("too many words on the command line");
  DaemonFlags flags;
  for (const DaemonFlag& row : rows) {
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
    if (!word.has_value && given.row->kind == DaemonFlagKind::Switch) {
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

const DaemonFlags::Given& DaemonFlags::at(std::string_view name, DaemonFlagKind kind, DaemonFlagKind or_kind) const {
  const auto found = values_.find(name);
  check(found != values_.end(), "a program reads only flags that it has");
  const DaemonFlagKind is = found->second.row->kind;
  check(is == kind || is == or_kind, "a flag is read as what it is");
  return found->second;
}

const std::string& DaemonFlags::text(std::string_view name) const { return at(name, DaemonFlagKind::Text).text; }
int64_t DaemonFlags::number(std::string_view name) const {
  return at(name, DaemonFlagKind::Number, DaemonFlagKind::Integer).number;
}
double DaemonFlags::real(std::string_view name) const { return at(name, DaemonFlagKind::Real).real; }
bool DaemonFlags::on(std::string_view name) const { return at(name, DaemonFlagKind::Switch).on; }
Duration DaemonFlags::length(std::string_view name) const { return at(name, DaemonFlagKind::Length).length; }
const std::vector<std::string>& DaemonFlags::list(std::string_view name) const {
  return at(name, DaemonFlagKind::List, DaemonFlagKind::Texts).list;
}

bool DaemonFlags::given(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second.given;
}

std::vector<std::string> DaemonFlags::idle() const {
  std::vector<std::string> out;
  for (const auto& [name, given] : values_) {
    if (given.given && !given.row->idle.empty()) {
      out.push_back(fmt::format("--{} changes nothing: {}", name, given.row->idle));
    }
  }
  return out;
}

std::string flags_help(std::span<const DaemonFlag> rows) {
  static constexpr std::array<std::pair<DaemonFlagGroup, std::string_view>, 6> kGroups = {{
      {DaemonFlagGroup::Work, "What it does"},
      {DaemonFlagGroup::Kubernetes, "The API server"},
      {DaemonFlagGroup::Election, "Leader election"},
      {DaemonFlagGroup::Health, "Health and metrics"},
      {DaemonFlagGroup::Log, "The log"},
      {DaemonFlagGroup::Other, "Other"},
  }};
  std::string out, without_effect;
  for (const auto& [group, title] : kGroups) {
    std::string lines;
    for (const DaemonFlag& row : rows) {
      if (!row.idle.empty() || row.group != group) continue;
      const std::string value = row.value.empty() || (row.kind == DaemonFlagKind::Switch && row.value == "false")
                                    ? ""
                                    : fmt::format(" (default {})", row.value);
      lines += fmt::format("  --{}\n        {}{}\n", row.name, row.help, value);
    }
    if (!lines.empty()) out += fmt::format("\n{}:\n{}", title, lines);
  }
  for (const DaemonFlag& row : rows) {
    if (!row.idle.empty()) without_effect += fmt::format("  --{}: {}\n", row.name, row.idle);
  }
  if (!without_effect.empty()) out += "\nTaken for the sake of Volcano's manifests, without effect:\n" + without_effect;
  return out;
}

}  // namespace basalt::daemon

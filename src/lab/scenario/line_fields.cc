#include "lab/scenario/line_fields.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/duration.h"
#include "control/scheduler/state/amount_conversion.h"
#include "kube/text/document_path.h"
#include "kube/text/scalar.h"

namespace basalt::lab::scenario {

Result<Duration> parse_length(std::string_view text) {
  const auto length = parse_duration(text);
  if (length && length->nanos >= 0 && *length <= kMaxLength) return *length;
  return invalid(text::in_quotes(text) + " is no length of time; write for example 90s, 10m or 1h30m");
}

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  if (trimmed(text, kLineBlanks).empty()) return pieces;
  size_t begin = 0;
  int depth = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '(') ++depth;
    if (at < text.size() && text[at] == ')') --depth;
    if (at < text.size() && (text[at] != separator || depth > 0)) continue;
    pieces.emplace_back(trimmed(text.substr(begin, at - begin), kLineBlanks));
    begin = at + 1;
  }
  return pieces;
}

Result<api::StringMap> parse_labels(std::string_view text) {
  api::StringMap labels;
  for (const std::string& piece : split_list(text, ',')) {
    const size_t equals = piece.find('=');
    if (equals == std::string::npos || equals == 0) {
      return invalid(text::in_quotes(piece) + " is no label; write key=value,key=value");
    }
    labels[piece.substr(0, equals)] = piece.substr(equals + 1);
  }
  return labels;
}

namespace {

Result<text::Quantity> parse_amount(std::string_view name, std::string_view text) {
  if (!state::counts_as_resource(name)) {
    return invalid(text::in_quotes(name) + " is no resource; write cpu, memory, pods or a name like nvidia.com/gpu");
  }
  auto amount = text::Quantity::parse(text);
  if (!amount) return amount;
  if (amount->is_negative()) return invalid(std::string(name) + " is negative; write 0 or more");
  return amount;
}

}  // namespace

Result<api::ResourceList> parse_resources(std::string_view text) {
  api::ResourceList resources;
  for (const std::string& piece : split_list(text, ',')) {
    const size_t equals = piece.find('=');
    if (equals == std::string::npos) {
      return invalid(text::in_quotes(piece) + " is no amount; write cpu=4,memory=8Gi");
    }
    auto amount = parse_amount(piece.substr(0, equals), piece.substr(equals + 1));
    if (!amount) return std::unexpected(amount.error());
    resources[piece.substr(0, equals)] = *amount;
  }
  return resources;
}

LineFields::LineFields(const ScriptLine& line, size_t first) {
  for (size_t i = first; i < line.words.size(); ++i) entries_.push_back({.word = &line.words[i]});
}

void LineFields::refuse(std::string_view key, const Error& error) {
  if (!error_) error_ = error.within(key);
}

const std::string* LineFields::take(std::string_view key) {
  understood_.emplace_back(std::string(key) + "=");
  const std::string* value = nullptr;
  for (Entry& entry : entries_) {
    if (!entry.word->has_value || entry.word->key != key) continue;
    if (value != nullptr) refuse(key, Error{.message = "given twice; keep one"});
    entry.taken = true;
    value = &entry.word->value;
  }
  return value;
}

bool LineFields::flag(std::string_view name) {
  understood_.emplace_back(name);
  bool found = false;
  for (Entry& entry : entries_) {
    if (entry.word->has_value || entry.word->text != name) continue;
    entry.taken = true;
    found = true;
  }
  return found;
}

bool LineFields::has(std::string_view key) {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.word->has_value && entry.word->key == key; });
}

std::string LineFields::text(std::string_view key, std::string_view fallback) {
  const std::string* value = take(key);
  return value == nullptr ? std::string(fallback) : *value;
}

int64_t LineFields::number(std::string_view key, int64_t fallback, int64_t min, int64_t max) {
  const std::string* value = take(key);
  if (value == nullptr) return fallback;
  const auto number = text::parse_int(*value);
  if (number && *number >= min && *number <= max) return *number;
  refuse(key, Error{.message = text::in_quotes(*value) + " is no whole number from " + std::to_string(min) + " to " +
                               std::to_string(max)});
  return fallback;
}

int32_t LineFields::number32(std::string_view key, int32_t fallback, int32_t min, int32_t max) {
  return static_cast<int32_t>(number(key, fallback, min, max));
}

std::optional<bool> LineFields::optional_boolean(std::string_view key) {
  const std::string* value = take(key);
  if (value == nullptr) return std::nullopt;
  if (*value == "true") return true;
  if (*value == "false") return false;
  refuse(key, Error{.message = text::in_quotes(*value) + " is neither true nor false"});
  return std::nullopt;
}

bool LineFields::boolean(std::string_view key, bool fallback) { return optional_boolean(key).value_or(fallback); }

Duration LineFields::duration(std::string_view key, Duration fallback) {
  const std::string* value = take(key);
  if (value == nullptr) return fallback;
  const auto length = parse_length(*value);
  if (length) return *length;
  refuse(key, length.error());
  return fallback;
}

std::vector<std::string> LineFields::list(std::string_view key) {
  const std::string* value = take(key);
  return value == nullptr ? std::vector<std::string>() : split_list(*value, ',');
}

api::StringMap LineFields::labels(std::string_view key) { return parsed(key, parse_labels); }
api::ResourceList LineFields::resources(std::string_view key) { return parsed(key, parse_resources); }

api::ResourceList LineFields::own_resources() {
  understood_.emplace_back("RESOURCE=");
  api::ResourceList resources;
  for (Entry& entry : entries_) {
    const ScriptWord& word = *entry.word;
    if (!word.has_value || entry.taken || !state::counts_as_resource(word.key)) continue;
    entry.taken = true;
    if (resources.contains(word.key)) refuse(word.key, Error{.message = "given twice; keep one"});
    auto amount = parse_amount(word.key, word.value);
    if (amount) {
      resources[word.key] = *amount;
    } else {
      refuse(word.key, amount.error());
    }
  }
  return resources;
}

Result<void> LineFields::finish() {
  if (error_) return std::unexpected(*error_);
  for (const Entry& entry : entries_) {
    if (entry.taken) continue;
    std::sort(understood_.begin(), understood_.end());
    std::string known;
    for (const std::string& name : understood_) known += (known.empty() ? "" : " ") + name;
    return invalid(text::in_quotes(entry.word->text) + " is not understood here" +
                   (known.empty() ? "; remove it" : "; this line takes: " + known));
  }
  return {};
}

}  // namespace basalt::lab::scenario

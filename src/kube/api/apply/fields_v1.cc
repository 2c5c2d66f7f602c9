#include "kube/api/apply/fields_v1.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/text/document_path.h"

namespace basalt::api {
namespace {

using text::Object;
using text::Value;

// A string that needs no escapes, from `at` (the opening quote) to behind the closing one; npos: something else.
size_t plain_string_end(std::string_view text, size_t at) {
  if (at >= text.size() || text[at] != '"') return std::string_view::npos;
  for (++at; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') return at + 1;
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x80 || c == '\\' || c == '<' ||
        c == '>' || c == '&') {
      break;
    }
  }
  return std::string_view::npos;
}

size_t plain_scalar_end(std::string_view text, size_t at) {
  if (at < text.size() && text[at] == '"') return plain_string_end(text, at);
  const size_t start = at;
  constexpr size_t kMaxDigits = 15;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  const bool leading_zero = at > start + 1 && text[start] == '0';
  return at == start || at - start > kMaxDigits || leading_zero ? std::string_view::npos : at;
}

// Whether `text` is a key just as we write it: then it needs no parsing.
bool is_plain_key(std::string_view text) {
  std::string_view last_name;
  size_t at = 1;
  if (text.empty() || text.front() != '{') return false;
  for (;;) {
    const size_t name_end = plain_string_end(text, at);
    if (name_end == std::string_view::npos || name_end >= text.size() || text[name_end] != ':') return false;
    const std::string_view name = text.substr(at, name_end - at);
    if (!last_name.empty() && name <= last_name) return false;
    last_name = name;
    at = plain_scalar_end(text, name_end + 1);
    if (at == std::string_view::npos || at >= text.size()) return false;
    if (text[at] == '}') return at + 1 == text.size();
    if (text[at++] != ',') return false;
  }
}

Result<std::string_view> canonical_key(FieldArena& arena, std::string_view text) {
  if (is_plain_key(text)) return text;
  const auto parsed = text::parse_json(text);
  if (!parsed || !parsed->is_object()) return invalid("not a key: " + text::in_quotes(text));
  std::vector<std::pair<std::string_view, const Value*>> fields;
  for (const auto& member : parsed->get_object()) fields.emplace_back(member.key(), &member.value());
  std::ranges::sort(fields);
  std::string out;
  for (const auto& [name, value] : fields) {
    out.push_back(out.empty() ? '{' : ',');
    append_canonical_string(out, name);
    out.push_back(':');
    append_canonical(out, *value);
  }
  out += out.empty() ? "{}" : "}";
  return arena.keep(out);
}

Result<std::string_view> canonical_value(FieldArena& arena, std::string_view text) {
  if (plain_scalar_end(text, 0) == text.size()) return text;
  const auto parsed = text::parse_json(text);
  if (!parsed) return invalid("not a value: " + text::in_quotes(text));
  std::string out;
  append_canonical(out, *parsed);
  return arena.keep(out);
}

Result<std::string_view> canonical_index(FieldArena& arena, std::string_view text) {
  int64_t index = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (code != std::errc() || end != text.data() + text.size()) return invalid("not an index: " + text::in_quotes(text));
  return arena.keep(std::to_string(index));
}

// No element: of a kind that a later version may know.
Result<std::optional<PathElement>> read_element(FieldArena& arena, std::string_view key) {
  if (key.size() < 2 || key[1] != ':') return invalid("not a path element: " + text::in_quotes(key));
  const std::string_view text = key.substr(2);
  const auto made = [](PathElementKind kind,
                       const Result<std::string_view>& canonical) -> Result<std::optional<PathElement>> {
    if (!canonical) return std::unexpected(canonical.error());
    return PathElement{.kind = kind, .text = *canonical};
  };
  switch (key.front()) {
    case 'f':
      return PathElement{.kind = PathElementKind::Field, .text = text};
    case 'k':
      return made(PathElementKind::Key, canonical_key(arena, text));
    case 'v':
      return made(PathElementKind::Value, canonical_value(arena, text));
    case 'i':
      return made(PathElementKind::Index, canonical_index(arena, text));
    default:
      return std::optional<PathElement>();
  }
}

struct Level {
  FieldSet children = nullptr;
  bool member = false;
};

Result<Level> read_level(FieldArena& arena, const Value& fields) {
  if (fields.is_null()) return Level{.member = true};
  if (!fields.is_object()) return invalid("fieldsV1: expected an object, got " + text::describe(fields));
  Level level;
  FieldList list;
  for (const auto& member : fields.get_object()) {
    if (member.key() == ".") {
      level.member = true;
      continue;
    }
    const auto element = read_element(arena, member.key());
    if (!element) return std::unexpected(element.error());
    if (!element->has_value()) continue;
    const auto below = read_level(arena, member.value());
    if (!below) return std::unexpected(below.error());
    list.add(arena, **element, below->member, below->children);
  }
  level.children = list.finish(arena);
  level.member = level.member || level.children == nullptr;
  return level;
}

constexpr std::string_view prefix_of(PathElementKind kind) {
  switch (kind) {
    case PathElementKind::Field:
      return "f:";
    case PathElementKind::Key:
      return "k:";
    case PathElementKind::Value:
      return "v:";
    case PathElementKind::Index:
      return "i:";
  }
  return "f:";
}

const std::string& written(std::string& buffer, const PathElement& element) {
  buffer = prefix_of(element.kind);
  buffer += element.text;
  return buffer;
}

void write_level(Object& out, FieldSet set, bool member, std::string& buffer) {
  size_t count = member ? 1 : 0;
  for (const FieldNode* node = set; node != nullptr; node = node->next) ++count;
  out.reserve(count);
  if (member) out.emplace(".", Object(out.storage()));
  for (; set != nullptr; set = set->next) {
    const auto at = out.emplace(written(buffer, set->element), Object(out.storage())).first;
    if (set->child != nullptr) write_level(at->value().get_object(), set->child, set->member, buffer);
  }
}

// A written node is a member if it is empty or says so with ".".
bool is_member(const Value& node) {
  const Object* object = node.if_object();
  return object == nullptr || object->empty() || object->contains(".");
}

bool touches_level(const Value& fields, FieldSet set, std::string& buffer) {
  const Object* object = fields.if_object();
  if (object == nullptr || object->empty()) return false;
  for (; set != nullptr; set = set->next) {
    const Value* below = object->if_contains(written(buffer, set->element));
    if (below == nullptr) continue;
    if (set->member && is_member(*below)) return true;
    if (set->child != nullptr && touches_level(*below, set->child, buffer)) return true;
  }
  return false;
}

bool includes_level(const Value& fields, FieldSet set, std::string& buffer) {
  const Object* object = fields.if_object();
  for (; set != nullptr; set = set->next) {
    const Value* below = object == nullptr ? nullptr : object->if_contains(written(buffer, set->element));
    if (below == nullptr || (set->member && !is_member(*below))) return false;
    if (!includes_level(*below, set->child, buffer)) return false;
  }
  return true;
}

}  // namespace

Result<FieldSet> read_fields(FieldArena& arena, const Value& fields) {
  const auto level = read_level(arena, fields);
  if (!level) return std::unexpected(level.error());
  return level->children;
}

Value write_fields(FieldSet set) {
  Value out(boost::json::object_kind);
  std::string buffer;
  write_level(out.get_object(), set, false, buffer);
  return out;
}

bool touches(const Value& fields, FieldSet set) {
  std::string buffer;
  return touches_level(fields, set, buffer);
}

bool includes(const Value& fields, FieldSet set) {
  std::string buffer;
  return includes_level(fields, set, buffer);
}

}  // namespace basalt::api

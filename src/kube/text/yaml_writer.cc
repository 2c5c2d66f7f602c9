#include "kube/text/yaml_writer.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace basalt::text {
namespace {

// Plain words only: everything that any YAML reader could take for a number, a date, a boolean or a sign is quoted.
bool is_plain(std::string_view text) {
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  const bool simple = std::ranges::all_of(
      text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '/'; });
  if (!simple) return false;
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 9> kWords = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  return std::ranges::find(kWords, std::string_view(lower)) == kWords.end();
}

void append_text(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out += text;
  } else {
    append_json_string(out, text);  // a JSON string is a YAML string in double quotes
  }
}

bool is_block(const Value& value) {
  return (value.is_object() && !value.get_object().empty()) || (value.is_array() && !value.get_array().empty());
}

void append_value(std::string& out, const Value& value, size_t indent);

// Readers take a text for a key only when its colon comes soon (YAML: within 1024 characters); a longer one says that
// it is a key, and its colon stands on the next line.
void append_key(std::string& out, std::string_view key, size_t indent) {
  constexpr size_t kMaxImplicitKey = 1000;
  const size_t begin = out.size();
  append_text(out, key);
  if (out.size() - begin <= kMaxImplicitKey) return;
  out.insert(begin, "? ");
  out += '\n';
  out.append(indent, ' ');
}

void append_members(std::string& out, const Object& object, size_t indent, bool first_is_placed) {
  for (const auto& member : object) {
    if (!first_is_placed) out.append(indent, ' ');
    first_is_placed = false;
    append_key(out, member.key(), indent);
    out += ':';
    if (is_block(member.value())) {
      out += '\n';
      // Lists stand at the level of their key, as kubectl prints them.
      append_value(out, member.value(), member.value().is_array() ? indent : indent + 2);
    } else {
      out += ' ';
      append_value(out, member.value(), indent);
    }
  }
}

void append_elements(std::string& out, const Array& array, size_t indent) {
  for (const Value& element : array) {
    out.append(indent, ' ');
    out += "- ";
    if (element.is_object() && !element.get_object().empty()) {
      append_members(out, element.get_object(), indent + 2, true);
    } else if (is_block(element)) {
      out += '\n';
      append_value(out, element, indent + 2);
    } else {
      append_value(out, element, indent);
    }
  }
}

void append_value(std::string& out, const Value& value, size_t indent) {
  if (is_block(value)) {
    if (value.is_object()) return append_members(out, value.get_object(), indent, false);
    return append_elements(out, value.get_array(), indent);
  }
  if (value.is_string()) {
    append_text(out, value.get_string());
  } else {
    append_json(out, value);  // numbers, booleans, null, {} and []
  }
  out += '\n';
}

}  // namespace

std::string to_yaml(const Value& value) {
  std::string out;
  append_value(out, value, 0);
  return out;
}

}  // namespace basalt::text

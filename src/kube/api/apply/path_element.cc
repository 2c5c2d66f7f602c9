#include "kube/api/apply/path_element.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace basalt::api {
namespace {

// The end of the JSON value that starts at `at`: the next ',' or '}' outside of strings and brackets.
size_t value_end(std::string_view text, size_t at) {
  size_t open = 0;
  bool in_string = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') {
        ++at;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++open;
    } else if (open == 0 && (c == ',' || c == '}')) {
      break;
    } else if (open > 0 && (c == '}' || c == ']')) {
      --open;
    }
  }
  return std::min(at, text.size());
}

// Walks the fields of a canonical key: {"name":value,…}.
class KeyFields {
 public:
  explicit KeyFields(std::string_view key) : rest_(key.substr(key.empty() ? 0 : 1)) {}

  bool next(std::string_view& name, std::string_view& value) {
    if (rest_.size() < 2) return false;
    if (rest_.front() == ',') rest_.remove_prefix(1);
    size_t colon = 1;
    while (colon < rest_.size() && rest_[colon] != '"') colon += rest_[colon] == '\\' ? 2 : 1;
    if (++colon >= rest_.size()) return false;
    name = rest_.substr(1, colon - 2);
    const size_t end = value_end(rest_, colon + 1);
    value = rest_.substr(colon + 1, end - colon - 1);
    rest_.remove_prefix(end);
    return true;
  }

 private:
  std::string_view rest_;
};

int rank_of(std::string_view value) {
  if (value.empty()) return 6;
  switch (value.front()) {
    case '"':
      return 1;
    case 't':
    case 'f':
      return 2;
    case '[':
      return 3;
    case '{':
      return 4;
    case 'n':
      return 5;
    default:
      return 0;
  }
}

std::strong_ordering order_of_numbers(std::string_view left, std::string_view right) {
  int64_t a = 0;
  int64_t b = 0;
  const auto read_a = std::from_chars(left.data(), left.data() + left.size(), a);
  const auto read_b = std::from_chars(right.data(), right.data() + right.size(), b);
  if (read_a.ec == std::errc() && read_b.ec == std::errc() && read_a.ptr == left.data() + left.size() &&
      read_b.ptr == right.data() + right.size()) {
    return a <=> b;
  }
  double x = 0;
  double y = 0;
  (void)std::from_chars(left.data(), left.data() + left.size(), x);
  (void)std::from_chars(right.data(), right.data() + right.size(), y);
  if (x < y) return std::strong_ordering::less;
  if (y < x) return std::strong_ordering::greater;
  return left <=> right;
}

std::strong_ordering order_of_values(std::string_view left, std::string_view right) {
  if (left == right) return std::strong_ordering::equal;
  const int rank = rank_of(left);
  if (rank != rank_of(right)) return rank <=> rank_of(right);
  if (rank == 0) return order_of_numbers(left, right);
  if (rank == 1) return left.substr(0, left.size() - 1) <=> right.substr(0, right.size() - 1);
  return left <=> right;
}

std::strong_ordering order_of_keys(std::string_view left, std::string_view right) {
  KeyFields a(left);
  KeyFields b(right);
  std::string_view name_a, value_a, name_b, value_b;
  for (;;) {
    const bool more_a = a.next(name_a, value_a);
    const bool more_b = b.next(name_b, value_b);
    if (!more_a || !more_b) return more_a != more_b ? more_a <=> more_b : left <=> right;
    if (name_a != name_b) return name_a <=> name_b;
    if (const auto order = order_of_values(value_a, value_b); order != 0) return order;
  }
}

std::string readable(std::string_view json) {
  const auto value = text::parse_json(json);
  if (!value || !value->is_string()) return std::string(json);
  return text::to_json(*value);
}

}  // namespace

std::strong_ordering order_of(const PathElement& left, const PathElement& right) {
  if (left.kind != right.kind) return left.kind <=> right.kind;
  if (left.text == right.text) return std::strong_ordering::equal;
  switch (left.kind) {
    case PathElementKind::Field:
      return left.text <=> right.text;
    case PathElementKind::Key:
      return order_of_keys(left.text, right.text);
    case PathElementKind::Value:
      return order_of_values(left.text, right.text);
    case PathElementKind::Index:
      return order_of_numbers(left.text, right.text);
  }
  return std::strong_ordering::equal;
}

void append_canonical_string(std::string& out, std::string_view text) {
  out.push_back('"');
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '"':
        out += "\\\"";
        continue;
      case '\\':
        out += "\\\\";
        continue;
      case '\n':
        out += "\\n";
        continue;
      case '\r':
        out += "\\r";
        continue;
      case '\t':
        out += "\\t";
        continue;
      default:
        break;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (c == '\xe2' && text.substr(i, 2) == "\xe2\x80" && i + 2 < text.size() &&
               (text[i + 2] == '\xa8' || text[i + 2] == '\xa9')) {
      out += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";  // line ends in JavaScript
      i += 2;
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

void append_canonical(std::string& out, const text::Value& value) {
  constexpr double kMaxWhole = 1e15;
  if (value.is_string()) {
    append_canonical_string(out, value.get_string());
  } else if (value.is_int64()) {
    out += fmt::format_int(value.get_int64()).c_str();
  } else if (value.is_double() && std::abs(value.get_double()) < kMaxWhole &&
             value.get_double() == std::trunc(value.get_double())) {
    out += fmt::format_int(static_cast<int64_t>(value.get_double())).c_str();
  } else {
    out += text::to_json(value);
  }
}

void append_readable(std::string& out, const PathElement& element) {
  switch (element.kind) {
    case PathElementKind::Field:
      out.push_back('.');
      out += element.text;
      return;
    case PathElementKind::Key: {
      KeyFields fields(element.text);
      std::string_view name, value;
      char separator = '[';
      while (fields.next(name, value)) {
        out += fmt::format("{}{}={}", separator, name, readable(value));
        separator = ',';
      }
      out.push_back(']');
      return;
    }
    case PathElementKind::Value:
      out += fmt::format("[={}]", readable(element.text));
      return;
    case PathElementKind::Index:
      out += fmt::format("[{}]", element.text);
      return;
  }
}

}  // namespace basalt::api

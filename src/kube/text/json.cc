#include "kube/text/json.h"

#include <algorithm>
#include <array>
#include <boost/json/parser.hpp>
#include <charconv>
#include <cmath>
#include <system_error>

#include "kube/text/document_path.h"

namespace basalt::text {
namespace {

std::string place_of(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t line_start = before.rfind('\n');
  const size_t column = before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

void print_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  size_t plain = 0;  // where the run of characters that stand for themselves began
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += "\\u00";
        out += kHex[byte >> 4U];
        out += kHex[byte & 0xFU];
    }
  }
  out.append(text, plain);
  out += '"';
}

// One printer for both layouts: `pretty` only decides what stands between the tokens.
class Printer {
 public:
  Printer(bool pretty, std::string& out) : pretty_(pretty), out_(out) {}

  void print(const Value& value) {
    switch (value.kind()) {
      case boost::json::kind::null:
        out_ += "null";
        break;
      case boost::json::kind::bool_:
        out_ += value.get_bool() ? "true" : "false";
        break;
      case boost::json::kind::int64:
        out_ += std::to_string(value.get_int64());
        break;
      case boost::json::kind::uint64:
        out_ += std::to_string(value.get_uint64());
        break;
      case boost::json::kind::double_:
        out_ += std::isfinite(value.get_double()) ? double_text(value.get_double()) : "null";
        break;
      case boost::json::kind::string:
        print_string(out_, value.get_string());
        break;
      case boost::json::kind::array:
        print_array(value.get_array());
        break;
      case boost::json::kind::object:
        print_object(value.get_object());
        break;
    }
  }

 private:
  void new_line() {
    if (!pretty_) return;
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }
  void print_array(const Array& array) {
    out_ += '[';
    ++depth_;
    bool first = true;
    for (const Value& element : array) {
      if (!first) out_ += ',';
      first = false;
      new_line();
      print(element);
    }
    --depth_;
    if (!first) new_line();
    out_ += ']';
  }
  void print_object(const Object& object) {
    out_ += '{';
    ++depth_;
    bool first = true;
    for (const auto& member : object) {
      if (!first) out_ += ',';
      first = false;
      new_line();
      print_string(out_, member.key());
      out_ += pretty_ ? ": " : ":";
      print(member.value());
    }
    --depth_;
    if (!first) new_line();
    out_ += '}';
  }

  bool pretty_;
  size_t depth_ = 0;
  std::string& out_;
};

std::string print_with(bool pretty, const Value& value) {
  std::string out;
  Printer(pretty, out).print(value);
  return out;
}

}  // namespace

Result<Value> parse_json(std::string_view text) {
  if (text.size() > kMaxJsonBytes) {
    return invalid("JSON text of " + std::to_string(text.size()) + " bytes; at most " + std::to_string(kMaxJsonBytes) +
                   " are read: split it into several documents");
  }
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  boost::json::parser parser({}, options);
  boost::system::error_code error;
  const size_t consumed = parser.write_some(text.data(), text.size(), error);
  if (error == boost::json::error::too_deep) {
    return invalid(place_of(text, consumed) + ": JSON nested deeper than " + std::to_string(kMaxJsonDepth) +
                   " levels: flatten it");
  }
  if (error == boost::json::error::incomplete) return invalid(place_of(text, text.size()) + ": JSON ends too early");
  if (error) return invalid(place_of(text, consumed) + ": not JSON: " + error.message());
  const size_t rest = text.find_first_not_of(" \t\r\n", consumed);
  if (rest != std::string_view::npos) {
    return invalid(place_of(text, rest) + ": text after the JSON value: remove it");
  }
  return parser.release();
}

void append_json(std::string& out, const Value& value) { Printer(false, out).print(value); }
void append_json_string(std::string& out, std::string_view text) { print_string(out, text); }
std::string to_json(const Value& value) { return print_with(false, value); }
std::string to_pretty_json(const Value& value) { return print_with(true, value); }

std::string describe(const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return value.get_bool() ? "boolean true" : "boolean false";
    case boost::json::kind::int64:
      return "number " + std::to_string(value.get_int64());
    case boost::json::kind::uint64:
      return "number " + std::to_string(value.get_uint64());
    case boost::json::kind::double_:
      return "number " + double_text(value.get_double());
    case boost::json::kind::string:
      return "string " + in_quotes(std::string_view(value.get_string()));
    case boost::json::kind::array:
      return "a list";
    case boost::json::kind::object:
      return "an object";
  }
  return "nothing";
}

std::string double_text(double number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  std::array<char, 64> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  std::string text(buffer.data(), written.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

const Value* find_member(const Value& value, std::string_view key) {
  const Object* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

}  // namespace basalt::text

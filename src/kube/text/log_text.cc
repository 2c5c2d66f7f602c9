#include "kube/text/log_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "kube/text/utf8.h"

namespace basalt::text {
namespace {

constexpr std::string_view kCut = "…";
constexpr size_t kMaxCharacterBytes = 4;

bool is_control(char32_t letter) {
  return letter < 0x20 || (letter >= 0x7f && letter <= 0x9f) || (letter >= 0x2028 && letter <= 0x202e) ||
         (letter >= 0x2066 && letter <= 0x2069) || letter == 0x200e || letter == 0x200f;
}

struct Character {
  char32_t letter;
  size_t bytes;
};

// Requires: `text` is UTF-8 and not empty.
Character first_of(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<char32_t>(static_cast<unsigned char>(text[at])); };
  const char32_t head = byte(0);
  if (head < 0x80) return {.letter = head, .bytes = 1};
  const size_t bytes = head < 0xe0 ? 2 : head < 0xf0 ? 3 : 4;
  char32_t letter = head & (0xffU >> (bytes + 1));
  for (size_t at = 1; at < bytes; ++at) letter = letter << 6U | (byte(at) & 0x3fU);
  return {.letter = letter, .bytes = bytes};
}

void append_escaped(std::string& out, char32_t letter) {
  if (letter == '\n') {
    out += "\\n";
  } else if (letter == '\t') {
    out += "\\t";
  } else if (letter < 0x80) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<uint32_t>(letter));
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{{{:04x}}}", static_cast<uint32_t>(letter));
  }
}

// Bytes that are no UTF-8 as \xNN, so that what is left is text.
std::string made_text(std::string_view bytes) {
  std::string out;
  for (const char letter : bytes) {
    if (static_cast<unsigned char>(letter) < 0x80) {
      out += letter;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(letter));
    }
  }
  return out;
}

// Requires: `text` is UTF-8. `also`: further characters that get a backslash.
std::string escaped(std::string_view text, std::string_view also) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [letter, bytes] = first_of(text);
    if (is_control(letter)) {
      append_escaped(out, letter);
    } else {
      if (bytes == 1 && also.contains(text.front())) out += '\\';
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

bool is_plain(char letter) {
  const bool sign = std::string_view("-_./:@%?&,;+*~!$()[]{}|^<>#=").contains(letter);
  return sign || (letter >= '0' && letter <= '9') || ((letter | 0x20) >= 'a' && (letter | 0x20) <= 'z');
}

}  // namespace

std::string cut_text(std::string_view text, size_t most) {
  std::string_view head = text.substr(0, most);
  const bool cut = head.size() < text.size();
  for (size_t back = 1; cut && back < kMaxCharacterBytes && !is_utf8(head); ++back) {
    head.remove_suffix(std::min<size_t>(head.size(), 1));
  }
  // Wrong from the start: the cut is not to blame, and no byte of it is lost.
  if (!is_utf8(head)) head = text.substr(0, most);
  std::string out = is_utf8(head) ? std::string(head) : made_text(head);
  if (cut) out += kCut;
  return out;
}

std::string log_text(std::string_view text, size_t most) { return escaped(cut_text(text, most), ""); }

std::string log_value(std::string_view value, size_t most) {
  const bool plain = !value.empty() && value.size() <= most && std::ranges::all_of(value, is_plain);
  return plain ? std::string(value) : "\"" + escaped(cut_text(value, most), "\"\\") + "\"";
}

}  // namespace basalt::text

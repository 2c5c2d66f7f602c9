#include "kube/text/base64.h"

#include <array>
#include <cstdint>

namespace basalt::text {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr int8_t kNone = -1;

constexpr std::array<int8_t, 256> digit_table() {
  std::array<int8_t, 256> table{};
  table.fill(kNone);
  for (size_t i = 0; i < kAlphabet.size(); ++i) table[static_cast<uint8_t>(kAlphabet[i])] = static_cast<int8_t>(i);
  return table;
}

constexpr std::array<int8_t, 256> kDigits = digit_table();

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t have = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) group = group << 8U | (j < have ? static_cast<uint8_t>(bytes[i + j]) : 0U);
    for (size_t j = 0; j < 4; ++j) text += j <= have ? kAlphabet[group >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

Result<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t group = 0;
  size_t digits = 0, padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const int8_t digit = kDigits[static_cast<uint8_t>(c)];
    if (digit == kNone || padding > 0) return invalid("not base64: character '" + std::string(1, c) + "'");
    group = group << 6U | static_cast<uint32_t>(digit);
    if (++digits % 4 == 0) {
      for (const unsigned shift : {16U, 8U, 0U}) bytes += static_cast<char>(group >> shift & 0xFFU);
      group = 0;
    }
  }
  const size_t rest = digits % 4;
  if (rest == 1 || (digits + padding) % 4 != 0 || padding > 2) return invalid("not base64: its length is wrong");
  if (rest == 2) bytes += static_cast<char>(group >> 4U & 0xFFU);
  if (rest == 3) {
    bytes += static_cast<char>(group >> 10U & 0xFFU);
    bytes += static_cast<char>(group >> 2U & 0xFFU);
  }
  return bytes;
}

}  // namespace basalt::text

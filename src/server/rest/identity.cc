#include "server/rest/identity.h"

#include <array>
#include <cstdint>

namespace basalt::server {
namespace {

// No vowels and no characters that look alike: a random suffix spells no word.
constexpr std::string_view kSuffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr size_t kSuffixLength = 5;
constexpr size_t kMaxPrefixLength = 63 - kSuffixLength;

}  // namespace

std::string Identity::uid() {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::array<uint64_t, 2> bits{};
  {
    const std::lock_guard lock(mutex_);
    bits = {rng_.next(), rng_.next()};
  }
  bits[0] = (bits[0] & ~0xF000ULL) | 0x4000ULL;                         // version 4
  bits[1] = (bits[1] & 0x3FFFFFFFFFFFFFFFULL) | 0x8000000000000000ULL;  // variant 1
  std::string text;
  text.reserve(36);
  for (size_t digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) text += '-';
    text += kHex[(bits[digit / 16] >> (60 - 4 * (digit % 16))) & 0xFU];
  }
  return text;
}

std::string Identity::name_from(std::string_view prefix) {
  std::string name(prefix.substr(0, kMaxPrefixLength));
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < kSuffixLength; ++i) name += kSuffixAlphabet[rng_.below(kSuffixAlphabet.size())];
  return name;
}

}  // namespace basalt::server

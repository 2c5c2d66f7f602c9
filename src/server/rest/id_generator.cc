#include "server/rest/id_generator.h"

#include <array>
#include <cstdint>

#include "kube/api/name_validation.h"

namespace basalt::server {
std::string IdGenerator::uid() {
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

std::string IdGenerator::name_from(std::string_view prefix) {
  const std::lock_guard lock(mutex_);
  return api::generate_name(prefix, rng_);
}

}  // namespace basalt::server

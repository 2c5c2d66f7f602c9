// Mixing of values into a 64-bit fingerprint: for state hashes in tests and for bucket keys, never for identity.
#pragma once

#include <cstdint>
#include <string_view>

namespace basalt {

class Fingerprint {
 public:
  Fingerprint& add(uint64_t value) {
    uint64_t z = (value + 0x9E3779B97F4A7C15ULL) ^ (state_ * 0xBF58476D1CE4E5B9ULL);
    z = (z ^ (z >> 30U)) * 0x94D049BB133111EBULL;
    state_ = z ^ (z >> 31U);
    return *this;
  }
  Fingerprint& add(std::string_view text) {
    for (const char c : text) add(static_cast<uint64_t>(static_cast<unsigned char>(c)));
    return add(text.size());
  }
  [[nodiscard]] uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x243F6A8885A308D3ULL;
};

}  // namespace basalt

// A protobuf message, field by field, as it goes onto the wire: the inverse of kube/api/schema/protobuf_wire.h. What it
// writes is never wrong; whoever calls it knows the numbers.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "kube/api/schema/protobuf_wire.h"

namespace basalt::client {

class WireWriter {
 public:
  void number(uint32_t field, uint64_t value) {
    tag(field, api::WireType::Varint);
    varint(value);
  }
  // Negative numbers, also of 32 bits, are written with all their 64.
  void number(uint32_t field, int64_t value) { number(field, static_cast<uint64_t>(value)); }
  void number(uint32_t field, double value) {
    tag(field, api::WireType::Fixed64);
    const auto bits = std::bit_cast<uint64_t>(value);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(bits >> shift & 0xFFU);
  }
  // A string, bytes, or a message that is written already.
  void bytes(uint32_t field, std::string_view value) {
    tag(field, api::WireType::Bytes);
    varint(value.size());
    bytes_ += value;
  }

  [[nodiscard]] const std::string& text() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void tag(uint32_t field, api::WireType wire) {
    varint(static_cast<uint64_t>(field) << 3U | static_cast<uint64_t>(wire));
  }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(static_cast<uint8_t>(value) | 0x80U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace basalt::client

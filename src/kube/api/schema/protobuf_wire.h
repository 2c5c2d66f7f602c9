// A protobuf message, field by field, as it stands on the wire. Nothing is copied; views point into the bytes given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace basalt::api {

enum class WireType : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct WireField {
  uint64_t number = 0;  // never 0 once read
  WireType wire = WireType::Varint;
  uint64_t scalar = 0;     // Varint, Fixed64, Fixed32
  std::string_view bytes;  // Bytes
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  // False: the bytes are not a message. Groups, which nothing uses any more, count as broken. Cost: O(1).
  [[nodiscard]] bool next(WireField& field) {
    uint64_t tag = 0;
    if (!varint(tag)) return false;
    field = {.number = tag >> 3U, .wire = static_cast<WireType>(tag & 7U)};
    if (field.number == 0) return false;
    switch (field.wire) {
      case WireType::Varint:
        return varint(field.scalar);
      case WireType::Fixed64:
        return fixed(8, field.scalar);
      case WireType::Fixed32:
        return fixed(4, field.scalar);
      case WireType::Bytes: {
        uint64_t size = 0;
        if (!varint(size) || size > rest_.size()) return false;
        field.bytes = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool varint(uint64_t& value) {
    if (!rest_.empty() && static_cast<uint8_t>(rest_.front()) < 0x80) {  // as most are
      value = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      return true;
    }
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return false;
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) return true;
    }
    return false;
  }

 private:
  bool fixed(size_t size, uint64_t& value) {
    if (rest_.size() < size) return false;
    value = 0;
    for (size_t i = 0; i < size; ++i) value |= static_cast<uint64_t>(static_cast<uint8_t>(rest_[i])) << (8 * i);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
};

}  // namespace basalt::api

#include "server/store/row_checksum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/fingerprint.h"

namespace basalt::store {

namespace {

constexpr size_t kWord = 8, kLanes = 4;

uint64_t word_at(const char* place, size_t bytes) {
  std::array<unsigned char, kWord> raw{};
  std::memcpy(raw.data(), place, bytes);
  auto word = std::bit_cast<uint64_t>(raw);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

uint64_t stir(uint64_t lane, uint64_t word) {
  return std::rotl((lane ^ word) * 0x9E3779B97F4A7C15ULL, 29);  // one to one in `word`
}

}  // namespace

uint64_t text_checksum(std::string_view text) {
  std::array<uint64_t, kLanes> lanes = {0x243F6A8885A308D3ULL, 0x13198A2E03707344ULL, 0xA4093822299F31D0ULL,
                                        0x082EFA98EC4E6C89ULL};
  const char* place = text.data();
  size_t left = text.size();
  for (; left >= kWord * kLanes; left -= kWord * kLanes, place += kWord * kLanes) {
    for (size_t i = 0; i < kLanes; ++i) lanes[i] = stir(lanes[i], word_at(place + i * kWord, kWord));
  }
  for (size_t i = 0; left > 0; ++i) {
    const size_t bytes = std::min(left, kWord);
    lanes[i] = stir(lanes[i], word_at(place, bytes));
    place += bytes, left -= bytes;
  }
  Fingerprint all;
  for (const uint64_t lane : lanes) all.add(lane);
  return all.add(text.size()).value();
}

uint64_t row_checksum(std::string_view resource, const Record& record) {
  return Fingerprint()
      .add(record.revision())
      .add(text_checksum(resource))
      .add(text_checksum(record.key()))
      .add(record.deleted() ? 1 : 0)
      .add(record.version_at())
      .add(text_checksum(record.bytes()))
      .value();
}

}  // namespace basalt::store

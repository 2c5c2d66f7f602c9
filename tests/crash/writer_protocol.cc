#include "tests/crash/writer_protocol.h"

#include <charconv>

#include "base/rng.h"

namespace basalt::crash {

namespace {

constexpr std::string_view kStart = R"({"metadata":{"number":")";

}  // namespace

std::string bytes_of(uint32_t key, uint64_t number) {
  Rng rng(number * 1009 + key);
  std::string bytes = std::string(kStart) + std::to_string(number) + R"("},"filler":")";
  const size_t filler = rng.below(kMaxFiller);
  for (size_t i = 0; i < filler; ++i) bytes += static_cast<char>('a' + rng.below(26));
  return bytes + "\"}";
}

uint64_t number_in(uint32_t key, const std::string& bytes) {
  if (!bytes.starts_with(kStart)) return 0;
  uint64_t number = 0;
  std::from_chars(bytes.data() + kStart.size(), bytes.data() + bytes.size(), number);
  return bytes == bytes_of(key, number) ? number : 0;
}

}  // namespace basalt::crash

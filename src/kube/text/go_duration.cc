#include "kube/text/go_duration.h"

#include <cstdint>

#include "base/duration.h"
#include "kube/text/document_path.h"

namespace basalt::text {
namespace {

constexpr uint64_t kMicro = 1'000;
constexpr uint64_t kMilli = 1'000 * kMicro;
constexpr uint64_t kSecond = 1'000 * kMilli;
constexpr uint64_t kMinute = 60 * kSecond;
constexpr uint64_t kHour = 60 * kMinute;

std::string with_fraction(uint64_t nanos, uint64_t unit, std::string_view suffix) {
  std::string text = std::to_string(nanos / unit);
  if (uint64_t rest = nanos % unit; rest != 0) {
    std::string digits;
    for (uint64_t place = unit / 10; rest != 0; place /= 10) {
      digits += static_cast<char>('0' + rest / place);
      rest %= place;
    }
    text += '.' + digits;
  }
  return text.append(suffix);
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (auto length = basalt::parse_duration(text)) return length;
  return invalid("duration " + in_quotes(text) + R"( is not understood: write it like "1h30m", "10s" or "300ms")");
}

std::string format_duration(Duration length) {
  if (length.nanos == 0) return "0s";
  const bool negative = length.nanos < 0;
  const uint64_t nanos =
      negative ? uint64_t{0} - static_cast<uint64_t>(length.nanos) : static_cast<uint64_t>(length.nanos);
  std::string text = negative ? "-" : "";
  if (nanos < kMicro) return text + std::to_string(nanos) + "ns";
  if (nanos < kMilli) return text + with_fraction(nanos, kMicro, "\xC2\xB5s");
  if (nanos < kSecond) return text + with_fraction(nanos, kMilli, "ms");
  if (nanos >= kHour) text += std::to_string(nanos / kHour) + "h";
  if (nanos >= kMinute) text += std::to_string(nanos % kHour / kMinute) + "m";
  return text + with_fraction(nanos % kMinute, kSecond, "s");
}

}  // namespace basalt::text

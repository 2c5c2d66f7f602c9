#include "text/utf8.h"

#include <cstddef>

namespace basalt::text {

bool is_utf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t more = lead < 0x80                   ? 0
                        : lead >= 0xC2 && lead < 0xE0 ? 1
                        : lead >= 0xE0 && lead < 0xF0 ? 2
                        : lead >= 0xF0 && lead < 0xF5 ? 3
                                                      : 4;
    if (more > 3 || i + more >= text.size()) return false;
    for (size_t k = 1; k <= more; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return false;
    }
    const auto second = more == 0 ? 0U : static_cast<unsigned>(static_cast<unsigned char>(text[i + 1]));
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) || (lead == 0xF0 && second < 0x90) ||
        (lead == 0xF4 && second >= 0x90)) {
      return false;
    }
    i += more + 1;
  }
  return true;
}

std::string_view utf8_prefix(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  constexpr unsigned kKindMask = 0xC0;
  constexpr unsigned kContinuation = 0x80;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & kKindMask) == kContinuation) --most;
  return text.substr(0, most);
}

}  // namespace basalt::text

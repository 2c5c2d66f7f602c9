#include "kube/api/schema/scalar_forms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "kube/text/quantity.h"
#include "kube/text/rfc3339.h"

namespace basalt::api {
namespace {

constexpr std::string_view kZeroTime = "0001-01-01T00:00:00Z";
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> base64_values() {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kBase64.size(); ++i) values[static_cast<unsigned char>(kBase64[i])] = static_cast<int8_t>(i);
  return values;
}
constexpr std::array<int8_t, 256> kBase64Values = base64_values();

int base64_value(char c) { return kBase64Values[static_cast<unsigned char>(c)]; }

// Six digits after the second, then the zone: the only fraction that Go's layout of a MicroTime takes.
bool has_six_digits(std::string_view text) {
  constexpr size_t kPoint = 19;
  if (text.size() <= kPoint + 7 || text[kPoint] != '.') return false;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::all_of(text.substr(kPoint + 1, 6), digit) && !digit(text[kPoint + 7]);
}

const char* put_time(text::Value& value, bool micro) {
  constexpr const char* kWhy = "is not a time as in RFC 3339";
  if (!value.is_string()) return "must be a string with a time as in RFC 3339";
  const std::string_view text{value.get_string().data(), value.get_string().size()};
  if (text.starts_with(kZeroTime.substr(0, 19))) {
    if (text != kZeroTime && !text::parse_time(text)) return kWhy;
    value = nullptr;
    return nullptr;
  }
  if (micro && !has_six_digits(text)) return "must have six digits after the seconds";
  const Result<Instant> at = text::parse_time(text);
  if (!at) return kWhy;
  const std::string canonical = micro ? text::format_micro_time(*at) : text::format_time(*at);
  if (canonical != text) value.emplace_string().assign(canonical);
  return nullptr;
}

// Requires: a multiple of four characters, '=' only at the end.
bool is_canonical_base64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  const size_t padding = text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
  const std::string_view digits = text.substr(0, text.size() - padding);
  if (!std::ranges::all_of(digits, [](char c) { return base64_value(c) >= 0; })) return false;
  return true;
}

}  // namespace

const char* make_canonical_quantity(text::Value& value) {
  std::string number;
  std::string_view given;
  if (value.is_string()) {
    given = trimmed({value.get_string().data(), value.get_string().size()});
  } else if (value.is_int64() || value.is_uint64() || value.is_double()) {
    number = value.is_double() ? text::double_text(value.get_double()) : text::to_json(value);
    given = number;
  } else {
    return "quantities must be strings or numbers";
  }
  const Result<text::Quantity> quantity = text::Quantity::parse(given);
  if (!quantity) {
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  }
  const std::string canonical = quantity->to_string();
  if (!value.is_string() || canonical != std::string_view{value.get_string().data(), value.get_string().size()}) {
    value.emplace_string().assign(canonical);
  }
  return nullptr;
}

const char* make_canonical_time(text::Value& value) { return put_time(value, false); }
const char* make_canonical_micro_time(text::Value& value) { return put_time(value, true); }

void make_canonical_number(text::Value& value) {
  constexpr double kExact = 9007199254740992.0;
  if (!value.is_double()) return;
  const double number = value.get_double();
  if (std::trunc(number) == number && std::abs(number) <= kExact) value = static_cast<int64_t>(number);
}

const char* make_canonical_bytes(text::Value& value) {
  if (!value.is_string()) return "must be a string in base64";
  auto& text = value.get_string();
  const auto line_end = [](char c) { return c == '\n' || c == '\r'; };
  if (std::ranges::any_of(text, line_end)) {
    std::string kept(text.data(), text.size());
    std::erase_if(kept, line_end);
    text.assign(kept);
  }
  const std::string_view encoded{text.data(), text.size()};
  if (!is_canonical_base64(encoded)) return "illegal base64 data";
  if (encoded.ends_with('=')) {
    // The bits of the last digit that no byte holds: Go drops them in decoding, so they are zero when written again.
    const size_t padding = encoded.ends_with("==") ? 2 : 1;
    const size_t last = encoded.size() - padding - 1;
    const int unused = padding == 2 ? 15 : 3;
    text[last] = kBase64[static_cast<size_t>(base64_value(text[last]) & ~unused)];
  }
  return nullptr;
}

}  // namespace basalt::api

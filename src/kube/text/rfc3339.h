// Points in time as Kubernetes writes them (RFC 3339): "2024-05-01T12:00:00Z", "2024-05-01T14:00:00.5+02:00".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"

namespace basalt::text {

inline constexpr int64_t kDaySeconds = 86'400;

// Digits below a nanosecond are dropped. Year 1 (Go's zero time) reads as kNever; other years outside 1678–2261
// are an error, because an Instant cannot hold them. Cost: O(text).
[[nodiscard]] Result<Instant> parse_time(std::string_view text);

// In UTC with whole seconds (metav1.Time) / with six digits of fraction (metav1.MicroTime). kNever gives "".
[[nodiscard]] std::string format_time(Instant at);
[[nodiscard]] std::string format_micro_time(Instant at);

}  // namespace basalt::text

// How long ago, as kubectl words it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "kube/text/json.h"

namespace basalt::api {

// "5m3s", "2d", "3y10d": two or three digits that matter. "<invalid>" for more than a second below 0.
[[nodiscard]] std::string age_text(Duration length);
// The age of a time at `now`; "<unknown>" for kNever.
[[nodiscard]] std::string age_since(Instant then, Instant now);

// The time that is written so (RFC 3339); kNever when it is empty, or no time.
[[nodiscard]] Instant time_of(std::string_view written);
// The time at a path of members; kNever when there is none, or something that is no time.
[[nodiscard]] Instant time_at(const text::Object& object, std::initializer_list<std::string_view> path);
// By metadata.creationTimestamp.
[[nodiscard]] std::string age_of(const text::Object& object, Instant now);

}  // namespace basalt::api

// The checksum of a row in the file. It is part of the file format: it never changes, on no machine.
//
// Any change within one word of eight bytes changes it; it guards against accidents, not against forgery.
// Cost: about 0.2 ns per byte.
#pragma once

#include <cstdint>
#include <string_view>

#include "server/store/record.h"

namespace basalt::store {

[[nodiscard]] uint64_t row_checksum(std::string_view resource, const Record& record);
[[nodiscard]] uint64_t text_checksum(std::string_view text);

}  // namespace basalt::store

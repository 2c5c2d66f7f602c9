// IPv4 addresses as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace basalt::net {

// Four decimal parts without leading zeros; the first is the highest byte. nullopt: it is something else.
[[nodiscard]] std::optional<uint32_t> parse_ipv4(std::string_view text);
[[nodiscard]] std::string ipv4_text(uint32_t address);

// Whether it is of 127.0.0.0/8: any program may listen on it without a change to the machine.
[[nodiscard]] bool is_loopback(std::string_view address);

}  // namespace basalt::net

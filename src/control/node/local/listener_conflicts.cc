#include "control/node/local/listener_conflicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "kube/text/read_file.h"

namespace basalt::node {
namespace {

constexpr size_t kMaxSocketTable = size_t{16} * 1024 * 1024;
constexpr std::string_view kListen = "0A", kEverywhere = "0.0.0.0";

std::optional<uint32_t> hex_number(std::string_view text) {
  uint32_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "0100407F" is 127.64.0.1: the number as it lies in memory. Of IPv6 the last part counts, of addresses that stand for
// IPv4 and of all of them.
std::optional<std::string> address_of(std::string_view text) {
  constexpr size_t kFour = 8, kSix = 32;
  if (text.size() == kSix) {
    const bool mapped = text.starts_with("0000000000000000FFFF0000");
    if (!mapped && text != std::string(kSix, '0')) return std::nullopt;
    text.remove_prefix(kSix - kFour);
  }
  if (text.size() != kFour) return std::nullopt;
  const auto number = hex_number(text);
  if (!number) return std::nullopt;
  return fmt::format("{}.{}.{}.{}", *number & 0xFFU, *number >> 8U & 0xFFU, *number >> 16U & 0xFFU, *number >> 24U);
}

}  // namespace

ListeningSockets listening_in(std::string_view proc_net_tcp) {
  ListeningSockets found;
  std::istringstream lines{std::string(proc_net_tcp)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, local, remote, state;
    if (!(words >> number >> local >> remote >> state) || state != kListen) continue;
    const size_t colon = local.find(':');
    if (colon == std::string::npos) continue;
    const auto address = address_of(std::string_view(local).substr(0, colon));
    const auto port = hex_number(std::string_view(local).substr(colon + 1));
    if (address && port && *port <= UINT16_MAX)
      found.insert({.address = *address, .port = static_cast<uint16_t>(*port)});
  }
  return found;
}

ListeningSockets read_listening() {
  ListeningSockets all;
  for (const char* file : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    if (const auto text = text::read_file(file, kMaxSocketTable)) all.merge(listening_in(*text));
  }
  return all;
}

ListenerConflicts find_listener_conflicts(const ServiceTable& table, const ListeningSockets& listening, bool own_ports,
                                          std::string_view host_address) {
  ListenerConflicts conflicts;
  for (const auto& [row, pods] : table.same_port) {
    const bool everywhere = listening.contains({.address = std::string(kEverywhere), .port = row.port});
    const bool at_their_own = std::ranges::any_of(
        pods, [&](const std::string& address) { return listening.contains({.address = address, .port = row.port}); });
    if (at_their_own) continue;
    const bool shared = !own_ports || std::ranges::find(pods, host_address) != pods.end();
    if (!shared && !everywhere) continue;
    conflicts.rows.insert(row);
    conflicts.waits = conflicts.waits || !everywhere;
  }
  return conflicts;
}

}  // namespace basalt::node

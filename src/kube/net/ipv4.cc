#include "kube/net/ipv4.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>

namespace basalt::net {

std::optional<uint32_t> parse_ipv4(std::string_view text) {
  in_addr address{};
  const std::string terminated(text);
  // A NUL within the text would end it early for the C function.
  if (text.size() >= INET_ADDRSTRLEN || terminated.find('\0') != std::string::npos) return std::nullopt;
  if (inet_pton(AF_INET, terminated.c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

std::string ipv4_text(uint32_t address) {
  const in_addr in_network_order{htonl(address)};
  std::array<char, INET_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET, &in_network_order, text.data(), text.size());
}

bool is_loopback(std::string_view address) {
  const auto number = parse_ipv4(address);
  return number && (*number >> 24U) == 127;
}

}  // namespace basalt::net

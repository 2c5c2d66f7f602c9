#include "kube/client/proxy_from_environment.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "kube/text/scalar.h"

namespace basalt::client {
namespace {

// An IP address as 16 bytes, IPv4 mapped into IPv6.
using Address = std::array<unsigned char, 16>;
constexpr int kMappedBits = 96;

struct ParsedAddress {
  Address bytes{};
  bool v4 = false;
};

std::optional<ParsedAddress> parse_address(const std::string& text) {
  ParsedAddress address;
  if (::inet_pton(AF_INET, text.c_str(), &address.bytes[12]) == 1) {
    address.bytes[10] = address.bytes[11] = 0xFF;
    address.v4 = true;
    return address;
  }
  if (::inet_pton(AF_INET6, text.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

bool in_network(const Address& address, const Address& network, int bits) {
  for (int i = 0; i < bits; ++i) {
    const auto at = static_cast<size_t>(i / 8);
    const int shift = 7 - i % 8;
    if (((address[at] >> shift) & 1) != ((network[at] >> shift) & 1)) return false;
  }
  return true;
}

bool matches_network(const std::string& entry, const ParsedAddress& host) {
  const size_t slash = entry.find('/');
  const auto network = parse_address(entry.substr(0, slash));
  if (!network) return false;
  const int width = network->v4 ? 32 : 128;
  const auto bits = slash == std::string::npos ? Result<int32_t>(width) : text::parse_int32(entry.substr(slash + 1));
  if (!bits || *bits < 0 || *bits > width || network->v4 != host.v4) return false;
  return in_network(host.bytes, network->bytes, *bits + (network->v4 ? kMappedBits : 0));
}

bool matches_name(std::string_view entry, std::string_view host) {
  if (entry.starts_with("*.")) entry.remove_prefix(1);
  if (entry.starts_with('.')) return host.size() > entry.size() && host.ends_with(entry);
  return host == entry ||
         (host.ends_with(entry) && host.size() > entry.size() && host[host.size() - entry.size() - 1] == '.');
}

// Splits ":port" off; 0: there is none.
uint16_t take_port(std::string& entry) {
  const size_t colon = entry.rfind(':');
  if (colon == std::string::npos || (entry.find(':') != colon && !entry.contains(']'))) return 0;
  const auto port = text::parse_int(entry.substr(colon + 1));
  if (!port || *port <= 0 || *port > 65535) return 0;
  entry.erase(colon);
  std::erase_if(entry, [](char c) { return c == '[' || c == ']'; });
  return static_cast<uint16_t>(*port);
}

bool is_loopback(const std::string& host) {
  if (host == "localhost") return true;
  const auto address = parse_address(host);
  return address && (matches_network("127.0.0.0/8", *address) || matches_network("::1", *address));
}

}  // namespace

bool is_exempt(std::string_view no_proxy, std::string_view host_text, uint16_t port) {
  const std::string host = lower(host_text);
  if (is_loopback(host)) return true;
  const auto address = parse_address(host);
  while (!no_proxy.empty()) {
    const std::string_view part = no_proxy.substr(0, no_proxy.find(','));
    no_proxy.remove_prefix(std::min(no_proxy.size(), part.size() + 1));
    std::string entry = lower(part);
    std::erase_if(entry, [](char c) { return c == ' ' || c == '\t'; });
    if (entry == "*") return true;
    const uint16_t only = take_port(entry);
    if (entry.empty() || (only != 0 && only != port)) continue;
    if (address ? matches_network(entry, *address) : matches_name(entry, host)) return true;
  }
  return false;
}

Result<std::optional<ProxyAddress>> proxy_from_environment(const ServerAddress& server,
                                                           const HostEnvironment& host_environment) {
  const auto either = [&](const char* upper, const char* small) {
    std::string value = host_environment.environment(upper);
    return value.empty() ? host_environment.environment(small) : value;
  };
  const std::string url = server.tls ? either("HTTPS_PROXY", "https_proxy") : either("HTTP_PROXY", "http_proxy");
  if (url.empty() || is_exempt(either("NO_PROXY", "no_proxy"), server.host, server.port)) return std::nullopt;
  auto proxy = parse_proxy(url);
  if (!proxy) return std::unexpected(proxy.error().within(server.tls ? "HTTPS_PROXY" : "HTTP_PROXY"));
  return std::optional(std::move(*proxy));
}

}  // namespace basalt::client

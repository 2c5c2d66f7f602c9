#include "kube/client/rest_config.h"

#include <charconv>

#include "kube/client/percent_encoding.h"
#include "kube/net/http_proxy.h"
#include "kube/text/document_path.h"

namespace basalt::client {
namespace {

constexpr size_t kMaxHostLength = 253;

struct Authority {
  std::string host;
  uint16_t port = 0;
};

bool is_host(std::string_view text) {
  if (text.empty() || text.size() > kMaxHostLength) return false;
  for (const char c : text) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                      c == '-' || c == '_' || c == ':' || c == '%';
    if (!fine) return false;
  }
  return true;
}

// "host", "host:port", "[::1]:port". nullopt: none of them.
std::optional<Authority> parse_authority(std::string_view text, uint16_t default_port) {
  std::string_view host = text, port;
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    host = text.substr(1, close - 1);
    text.remove_prefix(close + 1);
    if (!text.empty() && !text.starts_with(':')) return std::nullopt;
    port = text.empty() ? text : text.substr(1);
  } else if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (port.find(':') != std::string_view::npos) return std::nullopt;  // an IPv6 address without brackets
  }
  if (!is_host(host)) return std::nullopt;
  Authority authority{.host = std::string(host), .port = default_port};
  if (port.empty()) return authority;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), authority.port);
  if (error != std::errc() || end != port.data() + port.size() || authority.port == 0) return std::nullopt;
  return authority;
}

struct Url {
  std::string_view scheme, user_info, authority, path;
};

Url split(std::string_view text, std::string_view default_scheme) {
  Url url{.scheme = default_scheme};
  if (const size_t mark = text.find("://"); mark != std::string_view::npos) {
    url.scheme = text.substr(0, mark);
    text.remove_prefix(mark + 3);
  }
  text = text.substr(0, text.find_first_of("?#"));
  url.authority = text.substr(0, text.find('/'));
  url.path = text.substr(url.authority.size());
  if (const size_t at = url.authority.rfind('@'); at != std::string_view::npos) {
    url.user_info = url.authority.substr(0, at);
    url.authority.remove_prefix(at + 1);
  }
  while (url.path.ends_with('/')) url.path.remove_suffix(1);
  return url;
}

bool is_path(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7F) return false;
  }
  return true;
}

}  // namespace

std::string ServerAddress::url() const {
  return (tls ? "https://" : "http://") + net::host_and_port(host, port) + path_prefix;
}

Result<ServerAddress> parse_server(std::string_view text) {
  const Url url = split(text, "http");
  const bool tls = url.scheme == "https";
  const auto authority = parse_authority(url.authority, tls ? 443 : 80);
  if ((!tls && url.scheme != "http") || !authority || !url.user_info.empty() || !is_path(url.path)) {
    return invalid("expected a server URL like https://host:6443, got " + text::in_quotes(text));
  }
  return ServerAddress{
      .tls = tls, .host = authority->host, .port = authority->port, .path_prefix = std::string(url.path)};
}

Result<ProxyAddress> parse_proxy(std::string_view text) {
  const Url url = split(text, "http");
  // Not quoted: it may hold a password.
  if (url.scheme != "http") {
    return failure(ErrorCode::Unsupported, "proxies of the kind \"" + std::string(url.scheme.substr(0, 16)) +
                                               "\" are not supported; use http://host:port");
  }
  const auto authority = parse_authority(url.authority, 80);
  const auto user_info = percent_decoded(url.user_info);
  if (!authority || !user_info) return invalid("expected a proxy URL like http://host:3128");
  return ProxyAddress{.host = authority->host, .port = authority->port, .user_info = *user_info};
}

}  // namespace basalt::client

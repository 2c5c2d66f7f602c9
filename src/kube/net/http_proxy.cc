#include "kube/net/http_proxy.h"

#include <array>

#include "kube/net/http_parser.h"
#include "kube/net/response_text.h"

namespace basalt::net {
namespace {

constexpr size_t kMaxProxyHeaderBytes = size_t{16} * 1024;

}  // namespace

std::string host_and_port(const std::string& host, uint16_t port) {
  return (host.contains(':') ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<void> open_tunnel(ClientSocket& socket, const HttpProxy& proxy, const std::string& host, uint16_t port,
                         ClientSocket::Deadline deadline) {
  const std::string place = "proxy " + host_and_port(proxy.host, proxy.port);
  const std::string target = host_and_port(host, port);
  std::string request = "CONNECT " + target + " HTTP/1.1\r\n";
  bool fits = append_header(request, "Host", target);
  if (!proxy.authorization.empty()) fits = append_header(request, "Proxy-Authorization", proxy.authorization) && fits;
  if (!fits) return invalid(place + ": malformed host name or credentials");
  request += "\r\n";
  if (auto sent = socket.send(request, deadline); !sent) return std::unexpected(sent.error().within(place));
  // The server behind the tunnel waits for us to speak first, so nothing follows the answer's head.
  ResponseParser parser(kMaxProxyHeaderBytes, 0, true, nullptr);
  std::array<char, 4096> chunk{};
  std::string ahead;
  while (!parser.header_done()) {
    auto got = socket.receive(chunk, deadline);
    if (!got) return std::unexpected(got.error().within(place));
    if (*got == 0) return failure(ErrorCode::Io, place + ": closed the connection instead of answering CONNECT");
    ahead.append(chunk.data(), *got);
    const ParseResult parsed = parser.feed(ahead);
    ahead.erase(0, parsed.taken);
    if (parsed.step != ParseStep::More && parsed.step != ParseStep::Done) {
      return failure(ErrorCode::Io, place + ": " + parsed.reason);
    }
  }
  if (const unsigned status = parser.message().status; status / 100 != 2) {
    return failure(ErrorCode::Io, place + ": refused CONNECT " + target + " with status " + std::to_string(status));
  }
  return {};
}

}  // namespace basalt::net

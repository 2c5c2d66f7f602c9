#include "control/node/local/network_probe.h"

#include <fmt/format.h>

#include <chrono>

#include "kube/net/client_socket.h"
#include "kube/net/http_client.h"

namespace basalt::node {
namespace {

constexpr size_t kMaxPageBytes = size_t{1024} * 1024;

std::string probe_http(const LifecycleHandler& handler, const std::string& host, std::chrono::milliseconds longest,
                       const std::shared_ptr<const net::Interrupt>& interrupt) {
  net::HttpClientOptions options{.tls = handler.tls, .ca_pem = {}, .insecure = true};
  options.connect_timeout = longest;
  options.request_timeout = longest;
  options.max_body_bytes = kMaxPageBytes;
  const std::string path = handler.path.starts_with('/') ? handler.path : "/" + handler.path;
  const std::string url = fmt::format("{}://{}:{}{}", handler.tls ? "https" : "http", host, handler.port, path);
  auto made = net::HttpClient::make(host, handler.port, options);
  if (!made) return fmt::format("Get \"{}\": {}", url, made.error().message);
  net::HttpClient client = made->sibling(interrupt);
  net::HttpRequest request{.method = "GET", .target = path};
  request.headers.list = handler.headers;
  if (request.headers.get("User-Agent").empty()) request.headers.list.emplace_back("User-Agent", "kube-probe/1.36");
  const auto answer = client.request(request);
  if (!answer) return fmt::format("Get \"{}\": {}", url, answer.error().message);
  if (answer->status >= 200 && answer->status < 400) return "";
  return fmt::format("HTTP probe failed with statuscode: {}", answer->status);
}

}  // namespace

std::string probe_network(const LifecycleHandler& handler, const std::string& pod_address, Duration longest,
                          const std::shared_ptr<const net::Interrupt>& interrupt) {
  if (handler.port == 0) return "the port is not among the container's ports";
  const std::string host = handler.host.empty() ? pod_address : handler.host;
  const int64_t nanos = (longest <= Duration{} ? kLongestHook : longest).nanos;
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(nanos));
  if (handler.kind == HandlerKind::Http) return probe_http(handler, host, time, interrupt);
  const auto socket =
      net::ClientSocket::connect(host, handler.port, std::chrono::steady_clock::now() + time, interrupt);
  return socket ? "" : fmt::format("dial tcp {}:{}: {}", host, handler.port, socket.error().message);
}

}  // namespace basalt::node

#include "control/node/local/web_probe.h"

#include <fmt/format.h>

#include <chrono>

#include "kube/net/client.h"
#include "kube/net/client_socket.h"

namespace basalt::node {
namespace {

constexpr size_t kMaxPageBytes = size_t{1024} * 1024;

std::string ask_page(const Action& action, const std::string& host, std::chrono::milliseconds longest,
                     const std::shared_ptr<const net::Interrupt>& interrupt) {
  net::ClientOptions options{.tls = action.tls, .ca_pem = {}, .insecure = true};
  options.connect_timeout = longest;
  options.request_timeout = longest;
  options.max_body_bytes = kMaxPageBytes;
  const std::string path = action.path.starts_with('/') ? action.path : "/" + action.path;
  const std::string url = fmt::format("{}://{}:{}{}", action.tls ? "https" : "http", host, action.port, path);
  auto made = net::HttpsClient::make(host, action.port, options);
  if (!made) return fmt::format("Get \"{}\": {}", url, made.error().message);
  net::HttpsClient client = made->sibling(interrupt);
  net::HttpRequest request{.method = "GET", .target = path};
  request.headers.list = action.headers;
  if (request.headers.get("User-Agent").empty()) request.headers.list.emplace_back("User-Agent", "kube-probe/1.36");
  const auto answer = client.request(request);
  if (!answer) return fmt::format("Get \"{}\": {}", url, answer.error().message);
  if (answer->status >= 200 && answer->status < 400) return "";
  return fmt::format("HTTP probe failed with statuscode: {}", answer->status);
}

}  // namespace

std::string ask_web(const Action& action, const std::string& pod_address, Duration longest,
                    const std::shared_ptr<const net::Interrupt>& interrupt) {
  if (action.port == 0) return "the port is not among the container's ports";
  const std::string host = action.host.empty() ? pod_address : action.host;
  const int64_t nanos = (longest <= Duration{} ? kLongestHook : longest).nanos;
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(nanos));
  if (action.means == Means::Http) return ask_page(action, host, time, interrupt);
  const auto socket = net::ClientSocket::connect(host, action.port, std::chrono::steady_clock::now() + time, interrupt);
  return socket ? "" : fmt::format("dial tcp {}:{}: {}", host, action.port, socket.error().message);
}

}  // namespace basalt::node

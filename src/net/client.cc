#include "net/client.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "net/message_parser.h"
#include "net/response_text.h"
#include "net/tls.h"
#include "net/tls_link.h"

namespace basalt::net {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kReadBytes = size_t{16} * 1024;
constexpr unsigned kMaxInterim = 16;  // 1xx answers before the real one

bool is_plain(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7F; });
}

bool carries_body(std::string_view method) { return method == "POST" || method == "PUT" || method == "PATCH"; }

Result<std::string> request_text(const HttpRequest& request, const std::string& host, const std::string& token) {
  if (!is_plain(request.method) || !is_plain(request.target))
    return invalid("a request's method or target is malformed");
  std::string text = request.method + " " + request.target + " HTTP/1.1\r\nHost: " + host + "\r\n";
  for (const auto& [name, value] : request.headers.list) {
    if (!append_header(text, name, value)) return invalid("malformed request header " + name);
  }
  if (!token.empty() && !append_header(text, "Authorization", "Bearer " + token))
    return invalid("malformed bearer token");
  if (!request.body.empty() || carries_body(request.method)) {
    append_header(text, "Content-Length", std::to_string(request.body.size()));
  }
  text.append("\r\n").append(request.body);
  return text;
}

}  // namespace

struct HttpsClient::Link {
  std::string host;
  uint16_t port = 0;
  ClientOptions options;
  std::shared_ptr<const TlsContext> context;
  std::optional<TlsLink> tls;
  std::string ahead;  // received behind the last answer

  Result<void> connect() {
    ahead.clear();
    auto made = TlsLink::connect(context, host, port, Clock::now() + options.connect_timeout);
    if (!made) return std::unexpected(made.error());
    tls.emplace(std::move(*made));
    return {};
  }

  [[nodiscard]] std::string host_header() const {
    const bool v6 = host.contains(':');
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
  }

  Result<HttpResponse> exchange(const HttpRequest& request, const OnChunk* on_chunk);
  Result<HttpResponse> receive(bool head_only, Clock::time_point deadline, const OnChunk* on_chunk);
  Result<HttpResponse> receive_one(bool head_only, Clock::time_point deadline, const OnChunk* on_chunk);
};

Result<HttpResponse> HttpsClient::Link::exchange(const HttpRequest& request, const OnChunk* on_chunk) {
  auto text = request_text(request, host_header(), options.bearer_token);
  if (!text) return std::unexpected(text.error());
  if (!tls) {
    if (auto ok = connect(); !ok) return std::unexpected(ok.error());
  }
  const auto deadline = Clock::now() + options.request_timeout;
  const auto sent = tls->send(*text, deadline);
  // A server that refuses a request may stop reading it, and still have answered.
  auto response = receive(request.method == "HEAD", deadline, on_chunk);
  if (!response) tls.reset();
  if (!response && !sent) return std::unexpected(sent.error());
  if (!sent) tls.reset();
  return response;
}

Result<HttpResponse> HttpsClient::Link::receive(bool head_only, Clock::time_point deadline, const OnChunk* on_chunk) {
  for (unsigned i = 0; i < kMaxInterim; ++i) {
    auto response = receive_one(head_only, deadline, on_chunk);
    if (!response || response->status >= 200) return response;
  }
  return failure(ErrorCode::Io, "receive: too many interim answers");
}

Result<HttpResponse> HttpsClient::Link::receive_one(bool head_only, Clock::time_point deadline,
                                                    const OnChunk* on_chunk) {
  bool go_on = true;
  bool greeted = on_chunk == nullptr;
  std::optional<ResponseParser> parser;
  const auto greet = [&] {
    if (std::exchange(greeted, true) || parser->message().status < 200) return;
    go_on = (*on_chunk)(parser->message(), {});
  };
  std::function<void(std::string_view)> piece;
  if (on_chunk != nullptr) {
    piece = [&](std::string_view part) {
      greet();  // head and body may come in one read
      go_on = go_on && (*on_chunk)(parser->message(), part);
    };
  }
  parser.emplace(options.max_header_bytes, options.max_body_bytes, head_only, std::move(piece));
  std::array<char, kReadBytes> chunk{};
  Parsed parsed;
  if (!ahead.empty()) {
    parsed = parser->feed(ahead);
    ahead.erase(0, parsed.taken);
  }
  for (;;) {
    if (parser->header_done()) greet();
    if (parsed.step == ParseStep::Done || !go_on) break;
    if (parsed.step != ParseStep::More) return failure(ErrorCode::Io, "receive: " + parsed.reason);
    if (on_chunk != nullptr && parser->header_done()) deadline = Clock::now() + options.quiet_timeout;
    const auto got = tls->receive(chunk, deadline);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) {
      parsed = parser->feed_end();
      tls.reset();
      if (parsed.step != ParseStep::Done) return failure(ErrorCode::Io, "receive: the peer closed the connection");
      continue;
    }
    ahead.append(chunk.data(), *got);
    parsed = parser->feed(ahead);
    ahead.erase(0, parsed.taken);
  }
  if (!go_on || !parser->keep_alive()) tls.reset();
  return std::move(parser->message());
}

Result<HttpsClient> HttpsClient::connect(std::string host, uint16_t port, ClientOptions options) {
  auto context = TlsContext::client(options.ca_pem, options.certificate_pem, options.key_pem);
  if (!context) return std::unexpected(context.error());
  auto link = std::make_unique<Link>();
  link->host = std::move(host);
  link->port = port;
  link->options = std::move(options);
  link->context = std::move(*context);
  if (auto ok = link->connect(); !ok) return std::unexpected(ok.error());
  return HttpsClient(std::move(link));
}

HttpsClient::HttpsClient(std::unique_ptr<Link> link) : link_(std::move(link)) {}
HttpsClient::HttpsClient(HttpsClient&&) noexcept = default;
HttpsClient& HttpsClient::operator=(HttpsClient&&) noexcept = default;
HttpsClient::~HttpsClient() = default;

Result<HttpResponse> HttpsClient::request(const HttpRequest& request) { return link_->exchange(request, nullptr); }

Result<HttpResponse> HttpsClient::stream(const HttpRequest& request, const OnChunk& on_chunk) {
  return link_->exchange(request, &on_chunk);
}

bool HttpsClient::is_connected() const { return link_->tls.has_value(); }
void HttpsClient::disconnect() { link_->tls.reset(); }

}  // namespace basalt::net

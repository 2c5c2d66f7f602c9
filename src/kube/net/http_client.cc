#include "kube/net/http_client.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "kube/net/client_connection.h"
#include "kube/net/http_parser.h"
#include "kube/net/response_text.h"
#include "kube/net/tls.h"

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

Result<std::string> request_text(const HttpRequest& request, const std::string& url, const std::string& host,
                                 const std::string& token, const std::string& proxy_authorization) {
  if (!is_plain(request.method) || !is_plain(url)) return invalid("a request's method or target is malformed");
  std::string text = request.method + " " + url + " HTTP/1.1\r\n";
  if (!append_header(text, "Host", host)) return invalid("malformed host name");
  for (const auto& [name, value] : request.headers.list) {
    if (!append_header(text, name, value)) return invalid("malformed request header " + name);
  }
  if (!token.empty() && !append_header(text, "Authorization", "Bearer " + token))
    return invalid("malformed bearer token");
  if (!proxy_authorization.empty() && !append_header(text, "Proxy-Authorization", proxy_authorization))
    return invalid("malformed proxy credentials");
  if (!request.body.empty() || carries_body(request.method)) {
    append_header(text, "Content-Length", std::to_string(request.body.size()));
  }
  text.append("\r\n").append(request.body);
  return text;
}

}  // namespace

struct HttpClient::State {
  Route route;
  HttpClientOptions options;
  std::shared_ptr<const TlsContext> context;   // null: plain; shared with siblings
  std::shared_ptr<const Interrupt> interrupt;  // shared with whoever raises it
  std::optional<ClientConnection> link;
  std::string ahead;  // received behind the last answer
  Attempt attempt;

  Result<void> connect() {
    ahead.clear();
    auto made = ClientConnection::connect(context, route, Clock::now() + options.connect_timeout, interrupt);
    if (!made) return std::unexpected(made.error());
    link.emplace(std::move(*made));
    return {};
  }

  Result<std::string> text_of(const HttpRequest& request) const;
  Result<HttpResponse> exchange(const HttpRequest& request, const OnChunk* on_chunk);
  Result<HttpResponse> receive(bool head_only, Clock::time_point deadline, const OnChunk* on_chunk);
  Result<HttpResponse> receive_one(bool head_only, Clock::time_point deadline, const OnChunk* on_chunk);
};

// A proxy for plain HTTP is asked for the whole URL; through a tunnel the server is asked for its own path.
Result<std::string> HttpClient::State::text_of(const HttpRequest& request) const {
  const std::string place = host_and_port(route.host, route.port);
  const bool by_proxy = context == nullptr && route.proxy.has_value();
  const std::string url = (by_proxy ? "http://" + place : std::string()) + request.target;
  return request_text(request, url, place, options.bearer_token, by_proxy ? route.proxy->authorization : std::string());
}

Result<HttpResponse> HttpClient::State::exchange(const HttpRequest& request, const OnChunk* on_chunk) {
  attempt = {};
  auto text = text_of(request);
  if (!text) return std::unexpected(text.error());
  if (link && (!ahead.empty() || link->is_stale())) link.reset();
  attempt.reused = link.has_value();
  if (!link) {
    if (auto ok = connect(); !ok) return std::unexpected(ok.error());
  }
  const auto deadline = Clock::now() + options.request_timeout;
  attempt.sent = true;
  const auto sent = link->send(*text, deadline);
  // Nothing can be here yet: looking before waiting would be in vain. What goes wrong, receive() tells.
  (void)link->await_input(deadline);
  // A server that refuses a request may stop reading it, and still have answered.
  auto response = receive(request.method == "HEAD", deadline, on_chunk);
  if (!response) link.reset();
  if (!response && !sent) return std::unexpected(sent.error());
  if (!sent) link.reset();
  return response;
}

Result<HttpResponse> HttpClient::State::receive(bool head_only, Clock::time_point deadline, const OnChunk* on_chunk) {
  for (unsigned i = 0; i < kMaxInterim; ++i) {
    auto response = receive_one(head_only, deadline, on_chunk);
    if (!response || response->status >= 200) return response;
  }
  return failure(ErrorCode::Io, "receive: too many interim answers");
}

Result<HttpResponse> HttpClient::State::receive_one(bool head_only, Clock::time_point deadline,
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
  std::array<char, kReadBytes> chunk;  // NOLINT: filled by receive(); clearing it would cost more than a small answer
  ParseResult parsed;
  if (!ahead.empty()) {
    parsed = parser->feed(ahead);
    ahead.erase(0, parsed.taken);
  }
  for (;;) {
    if (parser->header_done()) greet();
    if (parsed.step == ParseStep::Done || !go_on) break;
    if (parsed.step != ParseStep::More) return failure(ErrorCode::Io, "receive: " + parsed.reason);
    if (on_chunk != nullptr && parser->header_done()) deadline = Clock::now() + options.quiet_timeout;
    const auto got = link->receive(chunk, deadline);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) {
      parsed = parser->feed_end();
      link.reset();
      if (parsed.step != ParseStep::Done) return failure(ErrorCode::Io, "receive: the peer closed the connection");
      continue;
    }
    attempt.answered = true;
    ahead.append(chunk.data(), *got);
    parsed = parser->feed(ahead);
    ahead.erase(0, parsed.taken);
  }
  if (!go_on || !parser->keep_alive()) link.reset();
  return std::move(parser->message());
}

Result<HttpClient> HttpClient::make(std::string host, uint16_t port, HttpClientOptions options) {
  auto state = std::make_unique<State>();
  if (options.tls) {
    auto context = TlsContext::client({.ca_pem = options.ca_pem,
                                       .system_roots = options.system_roots,
                                       .insecure = options.insecure,
                                       .certificate_pem = options.certificate_pem,
                                       .key_pem = options.key_pem});
    if (!context) return std::unexpected(context.error());
    state->context = std::move(*context);
  }
  state->route = {.host = std::move(host), .port = port, .tls_name = options.tls_server_name, .proxy = options.proxy};
  state->options = std::move(options);
  return HttpClient(std::move(state));
}

Result<HttpClient> HttpClient::connect(std::string host, uint16_t port, HttpClientOptions options) {
  auto client = make(std::move(host), port, std::move(options));
  if (!client) return client;
  if (auto ok = client->state_->connect(); !ok) return std::unexpected(ok.error());
  return client;
}

HttpClient HttpClient::sibling(std::shared_ptr<const Interrupt> interrupt) const {
  auto state = std::make_unique<State>();
  state->route = state_->route;
  state->options = state_->options;
  state->context = state_->context;
  state->interrupt = std::move(interrupt);
  return HttpClient(std::move(state));
}

HttpClient::HttpClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpResponse> HttpClient::request(const HttpRequest& request) { return state_->exchange(request, nullptr); }

Result<HttpResponse> HttpClient::stream(const HttpRequest& request, const OnChunk& on_chunk) {
  return state_->exchange(request, &on_chunk);
}

void HttpClient::set_quiet_timeout(std::chrono::milliseconds timeout) { state_->options.quiet_timeout = timeout; }
bool HttpClient::is_connected() const { return state_->link.has_value(); }
const HttpClient::Attempt& HttpClient::attempt() const { return state_->attempt; }
void HttpClient::disconnect() { state_->link.reset(); }

}  // namespace basalt::net

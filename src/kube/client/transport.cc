#include "kube/client/transport.h"

#include "kube/api/verbs.h"
#include "kube/client/protobuf/protobuf_kinds.h"
#include "kube/client/protobuf/protobuf_request.h"
#include "kube/client/watch_event_reader.h"
#include "kube/text/base64.h"

namespace basalt::client {
namespace {

// Of a watch without bookmarks, which may be quiet by nature: a server ends it within an hour by itself; a dead one is
// noticed by TCP long before (kube/net/client_socket.h).
constexpr std::chrono::hours kMaxWatchQuiet{2};
constexpr size_t kMaxErrorBody = size_t{1024} * 1024;

api::ApiError own_error(int code, std::string_view reason, std::string message) {
  return {.code = code, .reason = std::string(reason), .message = std::move(message)};
}

api::ApiError not_reached(std::string message) { return own_error(503, kReasonNotReached, std::move(message)); }

}  // namespace

Transport::Transport(RestConfig connection, HttpsObjectClientOptions options)
    : connection_(std::move(connection)),
      options_(std::move(options)),
      credentials_(connection_.identity, options_.host_environment, connection_.ca_pem, connection_.ca_file) {}

Result<std::shared_ptr<Transport>> Transport::make(RestConfig connection, HttpsObjectClientOptions options) {
  auto transport = std::make_shared<Transport>(std::move(connection), std::move(options));
  // A plugin is not run for this: nobody has called yet.
  const AuthInfo& identity = transport->connection_.identity;
  if (identity.exec) return transport;
  auto credentials = transport->credentials_.current(nullptr);
  if (!credentials) return std::unexpected(credentials.error());
  if (auto client = transport->dial(**credentials, nullptr); !client) return std::unexpected(client.error());
  return transport;
}

net::HttpClientOptions Transport::client_options(const Credentials& credentials) const {
  net::HttpClientOptions options;
  options.tls = connection_.server.tls;
  options.ca_pem = credentials.ca_pem;
  options.system_roots = credentials.ca_pem.empty();
  options.insecure = connection_.insecure;
  options.tls_server_name = connection_.tls_server_name;
  options.certificate_pem = credentials.certificate_pem;
  options.key_pem = credentials.key_pem;
  if (const auto& proxy = connection_.proxy; proxy) {
    options.proxy = {.host = proxy->host, .port = proxy->port};
    if (!proxy->user_info.empty()) options.proxy->authorization = "Basic " + text::encode_base64(proxy->user_info);
  }
  options.connect_timeout = options_.connect_timeout;
  options.request_timeout = options_.request_timeout;
  options.max_body_bytes = kMaxResponseBytes;
  return options;
}

Result<net::HttpClient> Transport::dial(const Credentials& credentials,
                                        std::shared_ptr<const net::Interrupt> interrupt) {
  const std::lock_guard lock(mutex_);
  if (!pattern_ || pattern_certificate_ != credentials.certificate_number) {
    auto made = net::HttpClient::make(connection_.server.host, connection_.server.port, client_options(credentials));
    // Files that are just being replaced may not fit together: what worked so far is used on, until they change again.
    if (!made && !pattern_) return std::unexpected(made.error().within("credentials for " + url()));
    if (made) pattern_ = std::move(*made);
    pattern_certificate_ = credentials.certificate_number;
  }
  return pattern_->sibling(std::move(interrupt));
}

net::HttpRequest Transport::http_request(const CallRequest& request, const Credentials& credentials) const {
  net::HttpRequest http{.method = request.method, .target = connection_.server.path_prefix + request.target};
  auto& headers = http.headers.list;
  headers.emplace_back("Accept", request.accept);
  headers.emplace_back("User-Agent", options_.user_agent);
  if (!request.content_type.empty()) headers.emplace_back("Content-Type", request.content_type);
  if (!credentials.authorization.empty()) headers.emplace_back("Authorization", credentials.authorization);
  for (const auto& header : connection_.identity.impersonation) headers.push_back(header);
  http.body = request.body;
  return http;
}

ResponseFormat Transport::response_format_of(const api::Call& call) const {
  return {.lean = options_.lean, .layout = options_.lean ? answer_layout(call) : nullptr};
}

std::string Transport::field_manager() const { return options_.user_agent.substr(0, options_.user_agent.find('/')); }

Result<void> TransportConnection::prepare(const Credentials& credentials) {
  if (client_ && certificate_ == credentials.certificate_number) return {};
  auto dialed = transport_->dial(credentials, interrupt_);
  if (!dialed) return std::unexpected(dialed.error());
  client_ = std::move(*dialed);
  certificate_ = credentials.certificate_number;
  return {};
}

api::ApiError TransportConnection::lost(const Error& error) const {
  if (!client_->attempt().sent) return not_reached(error.message);
  return own_error(504, kReasonNoAnswer, "no answer from " + transport_->url() + ": " + error.message);
}

api::ApiResult<net::HttpResponse> TransportConnection::exchange(const api::Call& call, const Ask& ask) {
  const bool names_manager = call.verb == api::Verb::Patch && call.patch == api::PatchType::Apply;
  api::Call named;
  if (names_manager && call.field_manager.empty()) {
    named = call;
    named.field_manager = transport_->field_manager();
  }
  const bool lean = transport_->lean();
  auto request = request_of(named.field_manager.empty() ? call : named,
                            lean ? protobuf_body_of(call) : std::optional<EncodedBody>());
  if (!request) return std::unexpected(api::bad_request(request.error().message));
  if (lean) request->accept = protobuf_accept(call);
  bool repeated = false, renewed = false;
  for (;;) {
    auto credentials = transport_->credentials().current(interrupt_.get());
    if (!credentials) return std::unexpected(not_reached(credentials.error().message));
    if (auto ready = prepare(**credentials); !ready) return std::unexpected(not_reached(ready.error().message));
    auto response = ask(*client_, transport_->http_request(*request, **credentials));
    if (!response) {
      const net::HttpClient::Attempt& attempt = client_->attempt();
      const bool may_repeat = !api::is_write(call.verb) && attempt.reused && !attempt.answered && !interrupt_->raised();
      if (may_repeat && !std::exchange(repeated, true)) continue;
      return std::unexpected(lost(response.error()));
    }
    // A server that does not know us has not done anything.
    if (response->status == 401 && !std::exchange(renewed, true) &&
        transport_->credentials().refused((*credentials)->number, interrupt_.get())) {
      continue;
    }
    return std::move(*response);
  }
}

ReplyOrError TransportConnection::call(const api::Call& call) {
  auto response =
      exchange(call, [](net::HttpClient& client, const net::HttpRequest& request) { return client.request(request); });
  if (!response) return std::unexpected(std::move(response.error()));
  return outcome_of(call, std::move(*response), transport_->response_format_of(call));
}

std::optional<api::ApiError> TransportConnection::watch(const api::Call& call, const Receive& receive) {
  using Clock = std::chrono::steady_clock;
  bool over = false;  // `receive` has seen the end
  std::optional<api::ApiError> broken;
  std::optional<Clock::time_point> heard;  // the server's last word
  const std::chrono::milliseconds quiet = call.bookmarks ? transport_->watch_quiet() : kMaxWatchQuiet;
  WatchEventReader events(transport_->response_format_of(call), kMaxEventBytes);
  std::string refusal;
  const auto take = [&](const net::HttpResponse& head, std::string_view piece) {
    if (head.status != 200) {
      refusal.append(piece.substr(0, kMaxErrorBody - refusal.size()));
      return true;
    }
    heard = Clock::now();
    const auto fed = events.feed(head.content_type, piece, [&](WatchEvent event) {
      const bool last = event.type == WatchEventType::Error;
      over = !receive(std::move(event)) || last;
      return !over;
    });
    if (!fed) broken = own_error(504, kReasonUnreadable, fed.error().message);
    return fed && !over;
  };
  auto response = exchange(call, [&](net::HttpClient& client, const net::HttpRequest& request) {
    refusal.clear();
    client.set_quiet_timeout(quiet);
    return client.stream(request, take);
  });
  if (over) return std::nullopt;
  if (broken) return broken;
  if (!response && heard && Clock::now() - *heard >= quiet) {
    return own_error(504, kReasonWatchEnded,
                     "nothing was heard of the watch for too long; watch again from the last version seen");
  }
  if (!response) return std::move(response.error());
  if (response->status == 200) {
    return own_error(504, kReasonWatchEnded, "the server has ended the watch; watch again from the last version seen");
  }
  response->body = std::move(refusal);
  return refusal_of(*response);
}

}  // namespace basalt::client

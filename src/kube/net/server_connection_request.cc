// The part of a connection that reads a request: the header is judged before any of the body is read, the body is kept
// within the budget of all bodies.
#include <algorithm>
#include <ctime>
#include <utility>

#include "base/ascii.h"
#include "kube/net/http_exchange.h"
#include "kube/net/response_text.h"
#include "kube/net/server_connection.h"

namespace basalt::net {
namespace {

bool wants_to_be_told(const Headers& headers) {
  constexpr std::string_view kWord = "100-continue";
  return std::ranges::equal(headers.get("Expect"), kWord, [](char a, char b) { return lower(a) == b; });
}

}  // namespace

bool ServerConnection::take(std::string_view fresh) {
  const ServerLimits& limits = core_->options.limits;
  if (!parser_) parser_.emplace(limits.header_bytes, limits.body_bytes);
  const bool joined = !ahead_.empty();
  if (joined) ahead_.append(fresh);
  const ParseResult parsed = parser_->feed(joined ? std::string_view(ahead_) : fresh);
  ahead_ = std::string(joined ? std::string_view(ahead_).substr(parsed.taken) : fresh.substr(parsed.taken));
  switch (parsed.step) {
    case ParseStep::More:
      more_needed();
      break;
    case ParseStep::Done:
      request_complete();
      break;
    case ParseStep::BadMessage:
      refuse_request(400, "malformed HTTP request: " + parsed.reason);
      break;
    case ParseStep::HeaderTooLong:
      refuse_request(431, "request header is larger than " + std::to_string(limits.header_bytes) + " bytes");
      break;
    case ParseStep::BodyTooLong:
      refuse_request(413, "request body is larger than " + std::to_string(limits.body_bytes) + " bytes");
      break;
  }
  return true;
}

void ServerConnection::more_needed() {
  const ServerLimits& limits = core_->options.limits;
  if (!std::exchange(request_begun_, true)) set_deadline(limits.request_timeout);
  // The parser bounds headers and body; this bounds the lines between chunks.
  if (ahead_.size() > limits.header_bytes + SendBuffer::kRecordBytes)
    return refuse_request(431, "line too long in body");
  if (!parser_->header_done()) return;
  if (!header_judged_ && (!judge_header() || !admit_body())) return;
  if (!hold_body()) return;
  if (!told_to_continue_ && http_1_1_ && wants_to_be_told(parser_->message().headers)) {
    told_to_continue_ = true;
    send_buffer_.text().append(kContinue);
  }
}

// What can be told from the header alone.
bool ServerConnection::judge_header() {
  header_judged_ = true;
  waiting_since_ = 0;
  const HttpRequest& head = parser_->message();
  http_1_1_ = parser_->is_http_1_1();
  is_head_ = head.method == "HEAD";
  is_read_ = is_head_ || head.method == "GET";
  body_limit_ = core_->options.limits.body_bytes;
  const auto refuse = [this](unsigned status, std::string_view message) {
    refuse_request(status, message);
    return false;
  };
  if (http_1_1_ && head.headers.get("Host").empty()) return refuse(400, "missing the Host header");
  if (head.headers.count("Host") > 1) return refuse(400, "too many Host headers");
  if (head.headers.count("Content-Length") > 1) return refuse(400, "too many Content-Length headers");
  if (!std::ranges::all_of(head.headers.get("Content-Length"), [](char c) { return c >= '0' && c <= '9'; })) {
    return refuse(400, "Content-Length is no number");
  }
  if (head.headers.count("Transfer-Encoding") > 0) {
    const bool chunked = head.headers.get("Transfer-Encoding") == "chunked";
    if (head.headers.count("Content-Length") > 0) return refuse(400, "both Transfer-Encoding and Content-Length");
    if (head.headers.count("Transfer-Encoding") > 1) return refuse(400, "too many Transfer-Encoding headers");
    if (!http_1_1_) return refuse(400, "a transfer encoding needs HTTP/1.1");
    if (!chunked) return refuse(501, "unsupported transfer encoding: only chunked is");
  }
  if (head.headers.count("Expect") > 0 && !wants_to_be_told(head.headers)) {
    return refuse(417, "unsupported expectation: only 100-continue is");
  }
  if (refuse_) return refuse(503, "too many connections, please try again later");
  return true;
}

bool ServerConnection::admit_body() {
  HttpRequest& head = parser_->message();
  const ServerOptions& options = core_->options;
  if (options.body_gate) {
    head.peer = peer_;
    BodyAdmission admission = options.body_gate(head);
    if (admission.refusal) {
      refuse_with(std::move(*admission.refusal));
      return false;
    }
    body_limit_ = std::min(body_limit_, admission.body_bytes);
  }
  if (parser_->announced_bytes() > body_limit_) {
    refuse_request(413, "request body is larger than " + std::to_string(body_limit_) + " bytes");
    return false;
  }
  head.body.reserve(std::min<size_t>(parser_->announced_bytes(), kMaxReserve));
  return true;
}

bool ServerConnection::hold_body() {
  const size_t bytes = parser_->message().body.size();
  if (bytes > body_limit_) {
    refuse_request(413, "request body is larger than " + std::to_string(body_limit_) + " bytes");
    return false;
  }
  if (body_share_.hold(bytes)) return true;
  refuse_request(429, "too many bytes of requests are under way, please try again later");
  return false;
}

void ServerConnection::request_complete() {
  if (!header_judged_ && !judge_header()) return;
  if (!hold_body()) return;
  keep_alive_ = parser_->keep_alive();
  HttpRequest request = std::move(parser_->message());
  parser_.reset();
  ++core_->requests;
  state_ = State::Answering;
  no_deadline();
  request.peer = peer_;
  core_->handler(make_exchange(shared_from_this(), std::move(request)));
}

void ServerConnection::refuse_request(unsigned status, std::string_view message) {
  refuse_with(core_->error_response(status, message));
}

void ServerConnection::refuse_with(HttpResponse response) {
  ++core_->refused;
  keep_alive_ = false;
  linger_ = true;
  parser_.reset();  // with what it holds of the body
  begin_answer(std::move(response));
}

}  // namespace basalt::net

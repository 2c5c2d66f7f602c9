#include "kube/net/http_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <optional>
#include <utility>

namespace basalt::net {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;

std::string_view plain(beast::string_view text) { return {text.data(), text.size()}; }

uint32_t beast_limit(size_t bytes) {
  return static_cast<uint32_t>(std::min<size_t>(bytes, std::numeric_limits<uint32_t>::max()));
}

ParseStep step_of(const error_code& error) {
  if (error == http::error::header_limit) return ParseStep::HeaderTooLong;
  if (error == http::error::body_limit) return ParseStep::BodyTooLong;
  return ParseStep::BadMessage;
}

template <class Parser>
ParseResult feed_parser(Parser& parser, std::string_view bytes) {
  ParseResult parsed;
  while (!parser.is_done() && parsed.taken < bytes.size()) {
    error_code error;
    const std::string_view rest = bytes.substr(parsed.taken);
    const size_t taken = parser.put(boost::asio::const_buffer(rest.data(), rest.size()), error);
    parsed.taken += taken;
    if (error == http::error::need_more || (!error && taken == 0)) return parsed;
    if (error) {
      parsed.step = step_of(error);
      parsed.reason = error.message();
      return parsed;
    }
  }
  if (parser.is_done()) parsed.step = ParseStep::Done;
  return parsed;
}

// What requests and responses have in common: fields and body go straight into our message.
template <bool IsRequest, class Message>
class GrammarOf : public http::basic_parser<IsRequest> {
 public:
  GrammarOf(size_t max_header_bytes, size_t max_body_bytes) : header_bytes_left_(max_header_bytes) {
    this->header_limit(beast_limit(max_header_bytes));
    this->body_limit(max_body_bytes);
    this->eager(true);
  }
  GrammarOf(const GrammarOf&) = delete;
  GrammarOf& operator=(const GrammarOf&) = delete;

  Message message;
  bool http_1_1 = true;

 protected:
  virtual void take_body(std::string_view part) { message.body.append(part); }

 private:
  void on_request_impl(http::verb, beast::string_view method, beast::string_view target, int version,
                       error_code& error) override {
    error = {};
    http_1_1 = version >= 11;
    if constexpr (IsRequest) {
      message.method = plain(method);
      message.target = plain(target);
    }
  }
  void on_response_impl(int code, beast::string_view, int version, error_code& error) override {
    error = {};
    http_1_1 = version >= 11;
    if constexpr (!IsRequest) {
      message.status = static_cast<unsigned>(code);
      message.content_type.clear();
    }
  }
  void on_field_impl(http::field field, beast::string_view name, beast::string_view value, error_code& error) override {
    error = {};
    // Beast's own limit starts anew with each put(): lines that come one by one would add up to anything.
    const size_t line = name.size() + value.size() + std::string_view(": \r\n").size();
    if (line > header_bytes_left_) {
      error = http::error::header_limit;
      return;
    }
    header_bytes_left_ -= line;
    if (this->is_header_done()) return;  // a trailer must not pass for a header that was there when it counted
    if constexpr (!IsRequest) {
      if (field == http::field::content_type) message.content_type = plain(value);
    }
    message.headers.list.emplace_back(plain(name), plain(value));
  }
  void on_header_impl(error_code& error) override { error = {}; }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code& error) override {
    error = {};
    if (!IsRequest && length) message.body.reserve(std::min<size_t>(*length, kMaxReserve));
  }
  std::size_t on_body_impl(beast::string_view body, error_code& error) override {
    error = {};
    take_body(plain(body));
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code& error) override { error = {}; }
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, error_code& error) override {
    error = {};
    take_body(plain(body));
    return body.size();
  }
  void on_finish_impl(error_code& error) override { error = {}; }

  size_t header_bytes_left_;
};

}  // namespace

class RequestParser::Grammar final : public GrammarOf<true, HttpRequest> {
  using GrammarOf::GrammarOf;
};

class ResponseParser::Grammar final : public GrammarOf<false, HttpResponse> {
 public:
  using GrammarOf::GrammarOf;
  std::function<void(std::string_view)> on_chunk;

 private:
  void take_body(std::string_view part) override {
    if (on_chunk) {
      on_chunk(part);
    } else {
      message.body.append(part);
    }
  }
};

RequestParser::RequestParser(size_t max_header_bytes, size_t max_body_bytes)
    : grammar_(std::make_unique<Grammar>(max_header_bytes, max_body_bytes)) {}
RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;
RequestParser::~RequestParser() = default;

ParseResult RequestParser::feed(std::string_view bytes) { return feed_parser(*grammar_, bytes); }
bool RequestParser::header_done() const { return grammar_->is_header_done(); }
bool RequestParser::keep_alive() const { return grammar_->keep_alive(); }
bool RequestParser::is_http_1_1() const { return grammar_->http_1_1; }
uint64_t RequestParser::announced_bytes() const { return grammar_->content_length().value_or(0); }
HttpRequest& RequestParser::message() { return grammar_->message; }

ResponseParser::ResponseParser(size_t max_header_bytes, size_t max_body_bytes, bool head_only,
                               std::function<void(std::string_view)> on_chunk)
    : grammar_(std::make_unique<Grammar>(max_header_bytes, max_body_bytes)) {
  grammar_->skip(head_only);
  if (on_chunk) grammar_->body_limit(boost::none);
  grammar_->on_chunk = std::move(on_chunk);
}
ResponseParser::ResponseParser(ResponseParser&&) noexcept = default;
ResponseParser& ResponseParser::operator=(ResponseParser&&) noexcept = default;
ResponseParser::~ResponseParser() = default;

ParseResult ResponseParser::feed(std::string_view bytes) { return feed_parser(*grammar_, bytes); }
ParseResult ResponseParser::feed_end() {
  ParseResult parsed;
  error_code error = http::error::end_of_stream;
  if (grammar_->got_some()) grammar_->put_eof(error);
  parsed.step = error ? step_of(error) : ParseStep::Done;
  if (error) parsed.reason = error.message();
  return parsed;
}
bool ResponseParser::header_done() const { return grammar_->is_header_done(); }
bool ResponseParser::keep_alive() const { return grammar_->keep_alive(); }
HttpResponse& ResponseParser::message() { return grammar_->message; }

}  // namespace basalt::net

// HTTP/1.1 messages out of bytes as they come, within limits. Beast's parser does the grammar, and so refuses what
// request smuggling lives from: two lengths, a length with chunks, bare line feeds, spaces around names.
//
// feed() takes a prefix of what it is given; what it leaves comes again, with more behind it: a header only counts when
// it is whole. A message is done when `step` is Done; then it is moved out and the parser is used for no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kube/net/http.h"

namespace basalt::net {

// Room made for a body at once: its length is only a claim until its bytes are here.
inline constexpr size_t kMaxReserve = size_t{256} * 1024;

enum class ParseStep : uint8_t { More, Done, BadMessage, HeaderTooLong, BodyTooLong };

struct ParseResult {
  ParseStep step = ParseStep::More;
  size_t taken = 0;
  std::string reason;  // of what is bad
};

class RequestParser {
 public:
  RequestParser(size_t max_header_bytes, size_t max_body_bytes);
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;
  ~RequestParser();

  ParseResult feed(std::string_view bytes);

  [[nodiscard]] bool header_done() const;
  // Only after header_done().
  [[nodiscard]] bool keep_alive() const;
  [[nodiscard]] bool is_http_1_1() const;
  // What Content-Length says; 0 of a chunked body, whose length nobody knows. A claim until its bytes are here: room
  // for them is made by the caller.
  [[nodiscard]] uint64_t announced_bytes() const;
  [[nodiscard]] HttpRequest& message();

 private:
  class Grammar;
  std::unique_ptr<Grammar> grammar_;  // hides Beast
};

class ResponseParser {
 public:
  // `head_only`: an answer to HEAD. With `on_chunk` the body goes there piece by piece, unlimited, and not into the
  // message.
  ResponseParser(size_t max_header_bytes, size_t max_body_bytes, bool head_only,
                 std::function<void(std::string_view)> on_chunk);
  ResponseParser(ResponseParser&&) noexcept;
  ResponseParser& operator=(ResponseParser&&) noexcept;
  ~ResponseParser();

  ParseResult feed(std::string_view bytes);
  // The peer has closed: the end of a body without a length, an error anywhere else.
  ParseResult feed_end();

  [[nodiscard]] bool header_done() const;
  [[nodiscard]] bool keep_alive() const;
  [[nodiscard]] HttpResponse& message();

 private:
  class Grammar;
  std::unique_ptr<Grammar> grammar_;
};

}  // namespace basalt::net

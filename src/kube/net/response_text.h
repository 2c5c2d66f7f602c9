// The bytes of a response's head, of a header line, and of a chunk.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "kube/net/http.h"

namespace basalt::net {

enum class Framing : uint8_t { Length, Chunked, UntilClose };

struct HeadOptions {
  Framing framing = Framing::Length;
  bool keep_alive = true;
  std::time_t now = 0;
};

// "HTTP/1.1 200 OK" to the empty line. A header whose name or value would break the head (a line end in it, a name that
// is not a token) is left out: it can only come from a client's text that somebody reflected.
void append_head(std::string& out, const HttpResponse& response, const HeadOptions& options);

// One header line; false, and nothing, when it would break the head.
bool append_header(std::string& out, std::string_view name, std::string_view value);

// One chunk of a chunked body. Requires: data is not empty (an empty chunk is the end).
void append_chunk(std::string& out, std::string_view data);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Whether a response with this status has a body at all (RFC 9110: not 1xx, 204, 304).
[[nodiscard]] bool has_body(unsigned status);

}  // namespace basalt::net

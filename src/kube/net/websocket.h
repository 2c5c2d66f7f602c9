// RFC 6455 without sockets: the handshake's texts, frames out of bytes as they come, and bytes of frames.
//
// Invariants:
// 1. The parser keeps at most kMaxWebSocketMessage bytes of a message, whatever a header claims, and 14 of a header.
// 2. After a fault or a Close message it takes nothing more.
// 3. Extensions are not offered: a reserved bit is a fault. Text is not checked for being UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/net/http.h"

namespace basalt::net {

inline constexpr size_t kMaxWebSocketMessage = size_t{1} << 20U;
inline constexpr size_t kMaxWebSocketControl = 125;  // bytes of a ping, pong or close

enum class WebSocketOp : uint8_t { Continuation = 0, Text = 1, Binary = 2, Close = 8, Ping = 9, Pong = 10 };

// What a close frame says.
enum WebSocketCode : uint16_t {
  kCloseNormal = 1000,
  kCloseGoingAway = 1001,
  kCloseProtocolError = 1002,
  kCloseUnsupported = 1003,
  kCloseTooBig = 1009,
};

struct WebSocketMessage {
  WebSocketOp op = WebSocketOp::Binary;  // Text, Binary, Close, Ping or Pong
  std::string payload;                   // of Close: the code, two bytes, and a reason; or nothing
};

struct WebSocketError {
  uint16_t code = kCloseProtocolError;
  std::string reason;
};

class WebSocketParser {
 public:
  // Clients mask what they send, servers do not; anything else is a fault.
  enum class From : uint8_t { Client, Server };
  explicit WebSocketParser(From from) : masked_(from == From::Client) {}

  struct FeedResult {
    std::vector<WebSocketMessage> messages;  // whole ones, in order; before the fault
    std::optional<WebSocketError> fault;
  };
  // Cost: O(bytes).
  [[nodiscard]] FeedResult feed(std::string_view bytes);

 private:
  void take_header_byte(uint8_t byte);
  [[nodiscard]] size_t header_size() const;
  void header_complete();
  void check_first_bytes();
  size_t take_payload(std::string_view bytes);
  void frame_complete(FeedResult& fed);
  void check_close(std::string_view payload);
  void fail(uint16_t code, std::string reason);
  [[nodiscard]] bool is_control() const { return (static_cast<uint8_t>(op_) & 8U) != 0; }

  bool masked_;
  bool over_ = false;
  std::optional<WebSocketError> fault_;
  // The frame being read.
  std::array<uint8_t, 14> header_{};
  size_t header_bytes_ = 0;
  bool in_payload_ = false, last_ = false;
  WebSocketOp op_ = WebSocketOp::Binary;
  uint64_t left_ = 0;
  std::array<uint8_t, 4> mask_{};
  size_t mask_at_ = 0;
  std::string control_;
  // The message that frames are added to.
  std::optional<WebSocketOp> message_op_;
  std::string message_;
};

// One unfragmented frame. With `mask` as a client sends it.
void append_frame(std::string& out, WebSocketOp op, std::string_view payload, std::optional<uint32_t> mask = {});

// The payload of a Close; a long reason is cut.
[[nodiscard]] std::string close_payload(uint16_t code, std::string_view reason);

// Whether the request asks for another protocol on this connection, named `protocol` ("websocket", "SPDY/3.1").
[[nodiscard]] bool asks_upgrade(const HttpRequest& request, std::string_view protocol);

// The head of the 101 response; an error says what is wrong with the handshake. Of the subprotocols that the client
// names, the first of `ours` is chosen; one of them must be.
[[nodiscard]] Result<HttpResponse> accept_websocket(const HttpRequest& request, std::span<const std::string_view> ours);

}  // namespace basalt::net

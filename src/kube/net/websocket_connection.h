// A connection after its WebSocket handshake: whole messages both ways, within bounds.
//
// Pings are answered, a close is answered, and a peer that breaks the protocol is told so and cut. After our own
// close() the connection stays until the peer has answered or hung up: a peer that is slow to read gets everything.
//
// Ownership: the connection holds it until it is closed, and it holds its callbacks until `closed` was called or
// close().
//
// Threads: send(), close() and hold() from any; callbacks are called on the connection's thread, one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "kube/net/http.h"
#include "kube/net/websocket.h"

namespace basalt::net {

// Of frames that wait to be sent; as many again may be on their way.
inline constexpr size_t kMaxWebSocketSendBuffer = size_t{256} * 1024;

class WebSocketConnection : public std::enable_shared_from_this<WebSocketConnection> {
 public:
  struct Callbacks {
    std::function<void(WebSocketMessage)> message;  // text or binary
    std::function<void()> room;                     // after send() said Full
    std::function<void()> closed;                   // by the peer, or because of it, or the server stops
  };
  enum class SendResult : uint8_t { Room, Full, Gone };

  explicit WebSocketConnection(std::shared_ptr<UpgradedStream> duplex) : duplex_(std::move(duplex)) {}
  WebSocketConnection(const WebSocketConnection&) = delete;
  WebSocketConnection& operator=(const WebSocketConnection&) = delete;

  // Once, first.
  void start(Callbacks callbacks);
  // A binary message. It is taken unless the link is Gone. Requires: between Full and `room` at most one last message.
  SendResult send(std::string_view message);
  // After what was sent; no callback runs after this.
  void close(uint16_t code, std::string_view reason);
  // While held, no message is told beyond those of the piece that is being read. Ends with close().
  void hold(bool held);

 private:
  using CallbacksPtr = std::shared_ptr<const Callbacks>;  // shared: they may be forgotten while one of them is called

  void take(std::string_view bytes);
  void take_message(WebSocketMessage message);
  void end(uint16_t code, std::string_view reason, bool peer_is_done);
  void gone();
  void flush();
  void written(bool good);
  CallbacksPtr callbacks();
  CallbacksPtr forget_callbacks();

  const std::shared_ptr<UpgradedStream> duplex_;
  WebSocketParser parser_{WebSocketParser::From::Client};  // the connection's thread only

  std::mutex mutex_;  // guards what follows
  CallbacksPtr callbacks_;
  std::string send_buffer_;
  bool writing_ = false, full_ = false;
  bool closing_ = false;    // our close is sent or waits to be
  bool peer_done_ = false;  // nothing more is expected of the peer
  bool finished_ = false;
};

}  // namespace basalt::net

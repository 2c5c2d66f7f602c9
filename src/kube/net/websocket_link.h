// A connection after its WebSocket handshake: whole messages both ways, within bounds.
//
// Pings are answered, a close is answered, and a peer that breaks the protocol is told so and cut. After our own
// close() the connection stays until the peer has answered or hung up: a peer that is slow to read gets everything.
//
// Ownership: the connection holds it until it is closed, and it holds its ears until `closed` was called or close().
//
// Threads: send(), close() and hold() from any; ears are called on the connection's thread, one at a time.
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
inline constexpr size_t kMaxWebSocketOutbox = size_t{256} * 1024;

class WebSocketLink : public std::enable_shared_from_this<WebSocketLink> {
 public:
  struct Ears {
    std::function<void(WebSocketMessage)> message;  // text or binary
    std::function<void()> room;                     // after send() said Full
    std::function<void()> closed;                   // by the peer, or because of it, or the server stops
  };
  enum class Sent : uint8_t { Room, Full, Gone };

  explicit WebSocketLink(std::shared_ptr<Duplex> duplex) : duplex_(std::move(duplex)) {}
  WebSocketLink(const WebSocketLink&) = delete;
  WebSocketLink& operator=(const WebSocketLink&) = delete;

  // Once, first.
  void start(Ears ears);
  // A binary message. It is taken unless the link is Gone. Requires: between Full and `room` at most one last message.
  Sent send(std::string_view message);
  // After what was sent; no ear is called any more.
  void close(uint16_t code, std::string_view reason);
  // While held, no message is told beyond those of the piece that is being read. Ends with close().
  void hold(bool held);

 private:
  using EarsPtr = std::shared_ptr<const Ears>;  // shared: they may be forgotten while one of them is called

  void take(std::string_view bytes);
  void take_message(WebSocketMessage message);
  void end(uint16_t code, std::string_view reason, bool peer_is_done);
  void gone();
  void flush();
  void written(bool good);
  EarsPtr ears();
  EarsPtr forget_ears();

  const std::shared_ptr<Duplex> duplex_;
  WebSocketParser parser_{WebSocketParser::From::Client};  // the connection's thread only

  std::mutex mutex_;  // guards what follows
  EarsPtr ears_;
  std::string outbox_;
  bool writing_ = false, full_ = false;
  bool closing_ = false;    // our close is sent or waits to be
  bool peer_done_ = false;  // nothing more is expected of the peer
  bool finished_ = false;
};

}  // namespace basalt::net

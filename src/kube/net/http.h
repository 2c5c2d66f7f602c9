// HTTP messages and the contract between a connection and whoever answers it. No library type is named here.
//
// An HttpExchange is one request on one connection. The handler answers it exactly once, now or later, from any thread:
// with a whole response, with a stream (chunked) that it goes on writing, or by giving the connection to another
// protocol. When an HttpExchange is dropped unanswered the connection answers 500 by itself.
//
// Callbacks run on the I/O thread that currently runs the connection's strand, one at a time per connection, and must
// not block. They are dropped when they cannot be needed any more, so a callback may own the ResponseStream that it is
// a callback of. Once the server has stopped none is called.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace basalt::net {

struct Headers {
  std::vector<std::pair<std::string, std::string>> list;
  // Names compare without case. "": absent. The first, when there are several.
  [[nodiscard]] std::string_view get(std::string_view name) const;
  [[nodiscard]] size_t count(std::string_view name) const;
};

// Who is on the other side, as far as the transport knows.
struct Peer {
  std::string address;                     // "127.0.0.1:40312"
  bool has_certificate = false;            // a client certificate that our CA signed
  std::string common_name;                 // CN: the user
  std::vector<std::string> organizations;  // O: the groups
};

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // "/api/v1/pods?limit=500"
  Headers headers;
  std::string body;
  Peer peer;
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  Headers headers;  // besides Content-Type, Content-Length, Date
};

[[nodiscard]] HttpResponse plain_text(unsigned status, std::string body);

// The growing body of one response. One write at a time: the next only after `written` was called. From any thread. A
// ResponseStream that is dropped unfinished cuts the connection, so that the peer does not take what it has for the
// whole.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  // `written(false)`: the peer is gone or too slow (net::ServerLimits::write_timeout); the stream is closed.
  virtual void write(std::string chunk, std::function<void(bool)> written) = 0;
  // Ends the body in good order; the connection goes on. No write may be under way; on_closed will not be called.
  virtual void finish() = 0;
  // Called at most once, when the peer hangs up, is too slow (after `written(false)`) or the server stops, also between
  // writes; at once when that has happened already. Set it before the first write.
  virtual void on_closed(std::function<void()> closed) = 0;
  // Runs `work` on an I/O thread, in turn with everything else of this connection; never before run() returns. For
  // writers that are woken by threads which must not do the work themselves.
  virtual void run(std::function<void()> work) = 0;
};

// A connection that speaks another protocol from now on: what is written goes out as it is, what comes is told. As a
// stream it has no time limit for a peer that is slow to read: what is written waits, and `written` with it.
class UpgradedStream : public ResponseStream {
 public:
  // Called with each piece that comes, from the first byte behind the request on. Nothing is read before it is set.
  virtual void on_data(std::function<void(std::string_view)> data) = 0;
  // While held nothing is read, and so no hang-up is noticed but by writing.
  virtual void hold(bool held) = 0;
};

class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  [[nodiscard]] virtual const HttpRequest& request() const = 0;
  virtual void reply(HttpResponse response) = 0;
  [[nodiscard]] virtual std::shared_ptr<ResponseStream> stream(HttpResponse head) = 0;  // head.body is ignored
  // `head`: 101, as the request asked for. To a client of HTTP/1.0, which has no such thing, the answer is 400.
  [[nodiscard]] virtual std::shared_ptr<UpgradedStream> upgrade(HttpResponse head) = 0;
};

using RequestHandler = std::function<void(std::shared_ptr<HttpExchange>)>;

}  // namespace basalt::net

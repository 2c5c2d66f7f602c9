// A blocking HTTPS/1.1 client on one kept-alive connection, for tests and tools.
//
// One request at a time, from one thread at a time. After an error, or an answer that ends the connection, the next
// request connects anew; nothing is ever sent twice. (Many connections at once, for the scheduler, is another client's
// work.)
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace basalt::net {

struct ClientOptions {
  std::string ca_pem;                    // who may vouch for the server
  std::string certificate_pem, key_pem;  // ours; "": anonymous
  std::string bearer_token;              // "": none
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds request_timeout{60'000};  // from the first byte sent to the last received
  std::chrono::milliseconds quiet_timeout{600'000};   // of a stream: between two pieces
  size_t max_header_bytes = size_t{64} * 1024;
  size_t max_body_bytes = size_t{256} * 1024 * 1024;
};

class HttpsClient {
 public:
  // Connected and greeted when it returns.
  static Result<HttpsClient> connect(std::string host, uint16_t port, ClientOptions options);
  HttpsClient(HttpsClient&&) noexcept;
  HttpsClient& operator=(HttpsClient&&) noexcept;
  ~HttpsClient();

  // Host, Content-Length, and Authorization when there is a token, are added. `request.peer` is ignored.
  Result<HttpResponse> request(const HttpRequest& request);

  // As request(), but each piece of the body goes to `on_chunk` as it comes, and not into the answer. It is first
  // called with an empty piece when the head is here. When it says false, the stream ends and the connection with it.
  using OnChunk = std::function<bool(const HttpResponse& head, std::string_view piece)>;
  Result<HttpResponse> stream(const HttpRequest& request, const OnChunk& on_chunk);

  [[nodiscard]] bool is_connected() const;
  void disconnect();

 private:
  struct Link;
  explicit HttpsClient(std::unique_ptr<Link> link);
  std::unique_ptr<Link> link_;  // hides TLS
};

}  // namespace basalt::net

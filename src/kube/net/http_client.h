// A blocking HTTP/1.1 client on one kept-alive connection, in TLS or plain, directly or through a proxy. The API
// client (kube/client/https_object_client.h) has one in each of its threads; tests and tools use it as it is.
//
// One request at a time, from one thread at a time; only an Interrupt may come from elsewhere. After an error, or an
// answer that ends the connection, the next request connects anew; so does one that finds the connection closed before
// it is sent. Nothing is ever sent twice: attempt() tells a caller who may repeat a request what became of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/net/http.h"
#include "kube/net/http_proxy.h"
#include "kube/net/interrupt.h"

namespace basalt::net {

struct HttpClientOptions {
  bool tls = true;                       // false: plain HTTP, and the next four do not count
  std::string ca_pem;                    // who may vouch for the server
  bool system_roots = false;             // instead of ca_pem: the authorities that this machine trusts
  bool insecure = false;                 // the server's certificate is not looked at
  std::string tls_server_name;           // the name that it must carry; "": the host
  std::string certificate_pem, key_pem;  // ours; "": anonymous
  std::string bearer_token;              // "": none
  std::optional<HttpProxy> proxy;
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds request_timeout{60'000};  // from the first byte sent to the last received
  std::chrono::milliseconds quiet_timeout{600'000};   // of a stream: between two pieces
  size_t max_header_bytes = size_t{64} * 1024;
  size_t max_body_bytes = size_t{256} * 1024 * 1024;
};

class HttpClient {
 public:
  // What became of the last request, also when it failed.
  struct Attempt {
    bool reused = false;    // it went out on a connection that had served another one
    bool sent = false;      // the server may have got at least a part of it
    bool answered = false;  // at least a part of the answer has come
  };

  // Not connected yet; only what is given is checked.
  static Result<HttpClient> make(std::string host, uint16_t port, HttpClientOptions options);
  // Connected and greeted when it returns.
  static Result<HttpClient> connect(std::string host, uint16_t port, HttpClientOptions options);
  // Another one with the same settings, not connected yet, that `interrupt` (or null) ends. Cheap: certificates are
  // shared.
  [[nodiscard]] HttpClient sibling(std::shared_ptr<const Interrupt> interrupt) const;
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  // Host, Content-Length, and Authorization when there is a token, are added. `request.peer` is ignored.
  Result<HttpResponse> request(const HttpRequest& request);

  // As request(), but each piece of the body goes to `on_chunk` as it comes, and not into the answer. It is first
  // called with an empty piece when the head is here. When it says false, the stream ends and the connection with it.
  using OnChunk = std::function<bool(const HttpResponse& head, std::string_view piece)>;
  Result<HttpResponse> stream(const HttpRequest& request, const OnChunk& on_chunk);

  // Of streams that begin from now on.
  void set_quiet_timeout(std::chrono::milliseconds timeout);

  [[nodiscard]] bool is_connected() const;
  [[nodiscard]] const Attempt& attempt() const;
  void disconnect();

 private:
  struct State;
  explicit HttpClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;  // hides TLS
};

}  // namespace basalt::net

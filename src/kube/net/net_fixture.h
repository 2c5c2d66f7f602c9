// What the tests of net share: certificates, a server on a free port, clients for it, and raw bytes inside TLS.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kube/net/certificates.h"
#include "kube/net/client_connection.h"
#include "kube/net/http_client.h"
#include "kube/net/server.h"
#include "kube/net/tls.h"

namespace basalt::net {

// Far more than anything takes: a test that waits so long has failed.
inline constexpr std::chrono::seconds kTestTimeout{20};

inline Instant test_now() { return Instant::from_unix_seconds(std::time(nullptr)); }

// Of a step that only a broken test setup can fail.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

template <class T>
T await(std::future<T> future) {
  if (future.wait_for(kTestTimeout) != std::future_status::ready) throw std::runtime_error("waited in vain");
  return future.get();
}

struct TestAuthority {
  KeyPair authority = must(make_authority("test authority", test_now()));
  KeyPair server =
      must(sign_server(authority, {.common_name = "test", .names = kubernetes_server_names()}, test_now()));

  [[nodiscard]] KeyPair client(std::string user, std::vector<std::string> groups) const {
    return must(
        sign_client(authority, {.common_name = std::move(user), .organizations = std::move(groups)}, test_now()));
  }
};

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    options.tls = {.certificate_pem = certificates.server.certificate_pem,
                   .key_pem = certificates.server.key_pem,
                   .client_ca_pem = certificates.authority.certificate_pem};
    options.error_body = [](unsigned status, std::string_view message) {
      return "error " + std::to_string(status) + ": " + std::string(message);
    };
    trusting.ca_pem = certificates.authority.certificate_pem;
    trusting.request_timeout = trusting.quiet_timeout = kTestTimeout;
  }
  // While the members of a derived fixture, which its handler uses, are there.
  void TearDown() override { server.reset(); }

  void start(RequestHandler handler) { server = must(Server::start(options, std::move(handler))); }
  // Answers "<method> <target> <body>".
  void start_echo() {
    start([](const std::shared_ptr<HttpExchange>& exchange) {
      const HttpRequest& request = exchange->request();
      exchange->reply({.body = request.method + " " + request.target + " " + request.body});
    });
  }

  HttpClient client() { return client(trusting); }
  HttpClient client(const HttpClientOptions& with) {
    return must(HttpClient::connect("127.0.0.1", server->port(), with));
  }

  // A connection that says what the test makes it say.
  ClientConnection raw() {
    auto context = must(TlsContext::client({.ca_pem = trusting.ca_pem}));
    return must(ClientConnection::connect(context, {.host = "127.0.0.1", .port = server->port()}, soon(), nullptr));
  }
  static ClientConnection::Deadline soon() { return std::chrono::steady_clock::now() + kTestTimeout; }
  // All that comes until the server closes.
  static std::string drain(ClientConnection& link) {
    std::string all;
    std::array<char, 4096> chunk{};
    for (;;) {
      const auto got = link.receive(chunk, soon());
      if (!got || *got == 0) return all;
      all.append(chunk.data(), *got);
    }
  }
  // What the server says to `bytes` before it closes.
  std::string answer_to(std::string_view bytes) {
    ClientConnection link = raw();
    EXPECT_TRUE(link.send(bytes, soon()));
    return drain(link);
  }

  TestAuthority certificates;
  ServerOptions options;
  HttpClientOptions trusting;
  std::unique_ptr<Server> server;
};

inline HttpRequest get(std::string target) { return {.method = "GET", .target = std::move(target)}; }
inline HttpRequest post(std::string target, std::string body) {
  return {.method = "POST", .target = std::move(target), .body = std::move(body)};
}

}  // namespace basalt::net

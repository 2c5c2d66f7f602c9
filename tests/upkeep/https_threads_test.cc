// The server as clients on a network meet it, on several threads: writers, readers of documents and figures, and
// watchers that come and go, all at once. Every watcher that stays sees every pod; what ThreadSanitizer says about the
// way there is the other half of this test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <set>
#include <thread>
#include <vector>

#include "kube/net/certificates.h"
#include "kube/net/http_client.h"
#include "kube/net/server.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/http/http_handler.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt {
namespace {

constexpr int kMapWriters = 3;
constexpr int kMapsPerWriter = 25;

Instant now() { return Instant::from_unix_seconds(std::time(nullptr)); }

class OpenServer : public testing::Test {
 protected:
  OpenServer() : store_(store::Store::in_memory()), metrics_(0, "test") {
    server_ = std::make_unique<server::ApiServer>(*store_, server::ApiServerOptions{.clock = now, .seed = 3});
    server::InProcessClient inside(*server_, {.name = "test", .uid = "", .groups = {"system:masters"}}, "test");
    EXPECT_TRUE(server::bootstrap(inside));
    const auto authority = net::make_authority("test authority", now());
    const auto key =
        net::sign_server(*authority, {.common_name = "test", .names = net::kubernetes_server_names()}, now());
    server::TokenEntry token{.token = "secret", .user = {.name = "tester", .uid = "", .groups = {"system:masters"}}};
    edge_ = std::make_unique<server::HttpHandler>(
        *server_, metrics_, server::HttpHandlerOptions{.authentication = server::Authentication({std::move(token)})});
    net::ServerOptions options{.threads = 4};
    options.tls = {
        .certificate_pem = key->certificate_pem, .key_pem = key->key_pem, .client_ca_pem = authority->certificate_pem};
    options.error_body = [](unsigned, std::string_view message) { return std::string(message); };
    auto network = net::Server::start(
        std::move(options), [this](const std::shared_ptr<net::HttpExchange>& exchange) { edge_->handle(exchange); });
    EXPECT_TRUE(network) << network.error().message;
    network_ = std::move(*network);
    known_.ca_pem = authority->certificate_pem;
    known_.bearer_token = "secret";
  }
  ~OpenServer() override {
    edge_->begin_shutdown();
    network_->stop(std::chrono::seconds(5));
  }

  net::HttpClient client() {
    auto connected = net::HttpClient::connect("127.0.0.1", network_->port(), known_);
    EXPECT_TRUE(connected) << connected.error().message;
    return std::move(*connected);
  }
  static unsigned status(net::HttpClient& client, std::string method, std::string target, std::string body = "") {
    const auto answer =
        client.request({.method = std::move(method), .target = std::move(target), .body = std::move(body)});
    return answer ? answer->status : 0;
  }

  void write_maps(int writer) {
    net::HttpClient mine = client();
    for (int i = 0; i < kMapsPerWriter; ++i) {
      const std::string name = fmt::format("m-{}-{}", writer, i);
      const std::string body = fmt::format(R"({{"metadata":{{"name":"{}"}},"data":{{"a":"b"}}}})", name);
      EXPECT_EQ(status(mine, "POST", "/api/v1/namespaces/default/configmaps", body), 201U);
      EXPECT_EQ(status(mine, "GET", "/api/v1/namespaces/default/configmaps/" + name), 200U);
      if (i % 5 != 0) continue;
      EXPECT_EQ(status(mine, "DELETE", "/api/v1/namespaces/default/configmaps/" + name), 200U);
    }
  }
  void read_all_sorts(const std::atomic<bool>& over) {
    net::HttpClient mine = client();
    while (!over) {
      for (const std::string_view target :
           {"/metrics", "/readyz", "/api", "/apis", "/openapi/v3", "/version", "/api/v1/configmaps?limit=3"}) {
        EXPECT_EQ(status(mine, "GET", std::string(target)), 200U) << target;
      }
    }
  }
  // Ends its stream at the first piece, again and again.
  void peek(const std::atomic<bool>& over) {
    net::HttpClient mine = client();
    while (!over) {
      const auto seen = mine.stream({.method = "GET", .target = "/api/v1/configmaps?watch=true"},
                                    [](const net::HttpResponse&, std::string_view piece) { return piece.empty(); });
      EXPECT_TRUE(seen || !mine.is_connected());
    }
  }
  // Until every map after `revision` was seen to come.
  void watch_all(store::Revision revision) {
    net::HttpClient mine = client();
    size_t added = 0;
    std::string rest;
    const std::string target = "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=";
    (void)mine.stream({.method = "GET", .target = target + std::to_string(revision)},
                      [&](const net::HttpResponse& head, std::string_view piece) {
                        EXPECT_EQ(head.status, 200U);
                        rest += piece;
                        for (size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1)) {
                          if (rest.starts_with(R"({"type":"ADDED")")) ++added;
                        }
                        return added < kMapWriters * kMapsPerWriter;
                      });
    EXPECT_EQ(added, kMapWriters * kMapsPerWriter);
  }

  std::unique_ptr<store::Store> store_;
  server::ServerMetrics metrics_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<server::HttpHandler> edge_;
  std::unique_ptr<net::Server> network_;
  net::HttpClientOptions known_;
};

TEST_F(OpenServer, ServesManyAtOnce) {
  std::atomic<bool> over = false;
  std::thread watcher([this, start = store_->revision()] { watch_all(start); });
  std::thread reader([&] { read_all_sorts(over); });
  std::thread peeker([&] { peek(over); });
  std::vector<std::thread> writers;
  for (int i = 0; i < kMapWriters; ++i) writers.emplace_back([this, i] { write_maps(i); });
  for (std::thread& writer : writers) writer.join();
  watcher.join();
  over = true;
  net::HttpClient last = client();  // wakes the peeker, should it wait for an event
  EXPECT_EQ(status(last, "POST", "/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"last"}})"), 201U);
  reader.join();
  peeker.join();
}

}  // namespace
}  // namespace basalt

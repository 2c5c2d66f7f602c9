// A whole API server on loopback, in memory, with every door to it: in the process, and over HTTPS with a token or a
// client certificate.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "kube/client/https_object_client.h"
#include "kube/net/certificates.h"
#include "kube/net/server.h"
#include "server/api_server.h"
#include "server/http/http_handler.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt::tests {

// Far more than anything takes: a test that waits so long has failed.
inline constexpr std::chrono::seconds kTestTimeout{30};

// Lean: with a token, in Kubernetes' binary form where there is one (client::HttpsObjectClientOptions::lean).
enum class ClientAccess : uint8_t { InProcess, Token, Certificate, Lean };

class TestServer {
 public:
  TestServer();
  ~TestServer();

  // How to get in, with the token "t". Tests change what they are about.
  [[nodiscard]] client::RestConfig connection() const;
  [[nodiscard]] std::unique_ptr<client::ObjectClient> client(ClientAccess door);
  [[nodiscard]] std::unique_ptr<client::ObjectClient> client(client::RestConfig connection, bool lean = false);

  void stop();
  void start_again();  // on the same port
  [[nodiscard]] store::Store& store() { return *store_; }
  [[nodiscard]] net::Server::Figures figures() const { return network_->figures(); }
  [[nodiscard]] uint16_t port() const { return port_; }
  [[nodiscard]] const net::KeyPair& authority() const { return authority_; }

 private:
  void listen();

  net::KeyPair authority_, certificate_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ApiServer> api_;
  server::ServerMetrics metrics_;
  std::unique_ptr<server::HttpHandler> edge_;
  std::unique_ptr<net::Server> network_;
  uint16_t port_ = 0;
};

// Events of a watch, one after the other.
class Received {
 public:
  [[nodiscard]] std::function<void(client::WatchEvent)> function() {
    return [this](client::WatchEvent event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
      more_.notify_all();
    };
  }
  // Waits for the next one; an event of type Error without an object when none comes.
  client::WatchEvent next();
  // "ADDED a", "BOOKMARK", "ERROR 410 Expired": the next one in short.
  std::string next_line();
  [[nodiscard]] bool empty();

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<client::WatchEvent> events_;
};

[[nodiscard]] text::Value json(std::string_view text);
[[nodiscard]] api::Call config_maps(api::Verb verb, std::string name = "");
[[nodiscard]] api::Call create_config_map(const std::string& name, const std::string& value,
                                          const std::string& label = "");
[[nodiscard]] std::string name_of(const client::ObjectPtr& object);
[[nodiscard]] std::string version_of(const client::ObjectPtr& object);

}  // namespace basalt::tests

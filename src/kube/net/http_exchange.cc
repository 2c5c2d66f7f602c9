#include "kube/net/http_exchange.h"

#include <atomic>
#include <utility>

#include "base/check.h"
#include "kube/net/server_connection.h"

namespace basalt::net {
namespace {

class ConnectionStream final : public UpgradedStream {
 public:
  explicit ConnectionStream(std::shared_ptr<ServerConnection> connection) : connection_(std::move(connection)) {}
  ConnectionStream(const ConnectionStream&) = delete;
  ConnectionStream& operator=(const ConnectionStream&) = delete;
  ~ConnectionStream() override {
    if (!finished_) connection_->stream_abandon();
  }

  void write(std::string chunk, std::function<void(bool)> written) override {
    check(!finished_, "a finished stream takes no more writes");
    connection_->stream_write(std::move(chunk), std::move(written));
  }
  void finish() override {
    check(!finished_.exchange(true), "a stream is finished once");
    connection_->stream_finish();
  }
  void on_closed(std::function<void()> closed) override { connection_->stream_on_closed(std::move(closed)); }
  void run(std::function<void()> work) override { connection_->stream_run(std::move(work)); }
  void on_data(std::function<void(std::string_view)> data) override { connection_->duplex_on_data(std::move(data)); }
  void hold(bool held) override { connection_->duplex_hold(held); }

 private:
  std::shared_ptr<ServerConnection> connection_;
  std::atomic<bool> finished_{false};
};

class ConnectionExchange final : public HttpExchange {
 public:
  ConnectionExchange(std::shared_ptr<ServerConnection> connection, HttpRequest request)
      : connection_(std::move(connection)), request_(std::move(request)) {}
  ConnectionExchange(const ConnectionExchange&) = delete;
  ConnectionExchange& operator=(const ConnectionExchange&) = delete;
  ~ConnectionExchange() override {
    if (!answered_) connection_->answer_dropped();
  }

  [[nodiscard]] const HttpRequest& request() const override { return request_; }
  void reply(HttpResponse response) override {
    check(!answered_.exchange(true), "an exchange is answered once");
    connection_->answer(std::move(response));
  }
  [[nodiscard]] std::shared_ptr<ResponseStream> stream(HttpResponse head) override {
    check(!answered_.exchange(true), "an exchange is answered once");
    connection_->open_stream(std::move(head));
    return std::make_shared<ConnectionStream>(connection_);
  }
  [[nodiscard]] std::shared_ptr<UpgradedStream> upgrade(HttpResponse head) override {
    check(!answered_.exchange(true), "an exchange is answered once");
    connection_->open_duplex(std::move(head));
    return std::make_shared<ConnectionStream>(connection_);
  }

 private:
  std::shared_ptr<ServerConnection> connection_;
  const HttpRequest request_;
  std::atomic<bool> answered_{false};
};

}  // namespace

std::shared_ptr<HttpExchange> make_exchange(std::shared_ptr<ServerConnection> connection, HttpRequest request) {
  return std::make_shared<ConnectionExchange>(std::move(connection), std::move(request));
}

}  // namespace basalt::net

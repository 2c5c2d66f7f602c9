// An Exchange without a network: keeps what was answered.
#pragma once

#include <memory>
#include <string>

#include "kube/net/http.h"

namespace basalt::tests {

class FakeStream : public net::UpgradedStream {
 public:
  void write(std::string chunk, std::function<void(bool)> written) override {
    text_ += chunk;
    written(true);
  }
  void finish() override { finished_ = true; }
  void on_closed(std::function<void()> closed) override { closed_ = std::move(closed); }
  void run(std::function<void()> work) override { work(); }
  void on_data(std::function<void(std::string_view)> data) override { data_ = std::move(data); }
  void hold(bool held) override { held_ = held; }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] bool held() const { return held_; }
  void receive(std::string_view bytes) { data_(bytes); }
  void hang_up() {
    data_ = nullptr;
    if (closed_) std::exchange(closed_, nullptr)();
  }

 private:
  std::string text_;
  bool finished_ = false, held_ = false;
  std::function<void(std::string_view)> data_;
  std::function<void()> closed_;
};

class FakeExchange : public net::HttpExchange {
 public:
  explicit FakeExchange(net::HttpRequest request) : request_(std::move(request)) {}
  ~FakeExchange() override {
    if (stream_ != nullptr) stream_->hang_up();
  }

  [[nodiscard]] const net::HttpRequest& request() const override { return request_; }
  void reply(net::HttpResponse response) override { answer_ = std::move(response); }
  [[nodiscard]] std::shared_ptr<net::ResponseStream> stream(net::HttpResponse head) override {
    answer_ = std::move(head);
    stream_ = std::make_shared<FakeStream>();
    return stream_;
  }

  [[nodiscard]] std::shared_ptr<net::UpgradedStream> upgrade(net::HttpResponse head) override {
    answer_ = std::move(head);
    stream_ = std::make_shared<FakeStream>();
    return stream_;
  }

  [[nodiscard]] const net::HttpResponse& answer() const { return answer_; }
  [[nodiscard]] bool is_stream() const { return stream_ != nullptr; }
  [[nodiscard]] std::string stream_text() const { return stream_->text(); }
  void hang_up() { stream_->hang_up(); }
  [[nodiscard]] FakeStream& duplex() { return *stream_; }

 private:
  net::HttpRequest request_;
  net::HttpResponse answer_{.status = 0};
  std::shared_ptr<FakeStream> stream_;
};

}  // namespace basalt::tests

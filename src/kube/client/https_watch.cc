#include "kube/client/https_watch.h"

#include <system_error>
#include <thread>

#include "base/check.h"
#include "kube/client/response_decoder.h"

namespace basalt::client {
namespace {

class HttpsWatch : public Watch {
 public:
  HttpsWatch(std::shared_ptr<Transport> transport, std::shared_ptr<net::Interrupt> interrupt, api::Call call,
             std::function<void(WatchEvent)> receive)
      : interrupt_(std::move(interrupt)),
        line_(std::move(transport), interrupt_),
        call_(std::move(call)),
        receive_(std::move(receive)) {}
  ~HttpsWatch() override {
    check(thread_.get_id() != std::this_thread::get_id(), "a watch may not be destroyed by its own receive function");
    interrupt_->raise();
    if (thread_.joinable()) thread_.join();
  }

  // Throws std::system_error when there is no thread left.
  void start() {
    thread_ = std::thread([this] { run(); });
  }

 private:
  void run() {
    const auto ended = line_.watch(call_, [this](WatchEvent event) {
      if (interrupt_->raised()) return false;
      receive_(std::move(event));
      return true;
    });
    if (ended && !interrupt_->raised()) receive_(error_event(*ended));
  }

  std::shared_ptr<net::Interrupt> interrupt_;  // shared with the line
  TransportConnection line_;
  api::Call call_;
  std::function<void(WatchEvent)> receive_;
  std::thread thread_;
};

class EndedWatch : public Watch {};

}  // namespace

std::unique_ptr<Watch> start_watch(std::shared_ptr<Transport> transport, api::Call call,
                                   std::function<void(WatchEvent)> receive) {
  const auto refuse = [&](const std::string& why) {
    receive(error_event({.code = 503, .reason = std::string(kReasonNotReached), .message = "watch: " + why}));
    return std::make_unique<EndedWatch>();
  };
  auto interrupt = net::Interrupt::make();
  if (!interrupt) return refuse(interrupt.error().message);
  call.verb = api::Verb::Watch;
  auto watch = std::make_unique<HttpsWatch>(std::move(transport), std::move(*interrupt), std::move(call), receive);
  try {
    watch->start();
  } catch (const std::system_error& error) {
    return refuse(error.what());
  }
  return watch;
}

}  // namespace basalt::client

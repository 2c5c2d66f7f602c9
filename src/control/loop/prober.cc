#include "control/loop/prober.h"

#include <utility>

#include "kube/net/client_socket.h"
#include "kube/net/http_client.h"

namespace basalt::loop {
namespace {

constexpr size_t kMaxAnswerBytes = size_t{1024} * 1024;

bool answers_http(const Probe& probe, const std::shared_ptr<const net::Interrupt>& interrupt) {
  auto made = net::HttpClient::make(probe.host, probe.port,
                                    {.tls = false,
                                     .connect_timeout = kProbeTimeout,
                                     .request_timeout = kProbeTimeout,
                                     .max_body_bytes = kMaxAnswerBytes});
  if (!made) return false;
  net::HttpClient client = made->sibling(interrupt);
  net::HttpRequest request{.method = "GET", .target = probe.path.starts_with('/') ? probe.path : "/" + probe.path};
  request.headers.list.emplace_back("User-Agent", "basalt-probe");
  if (!probe.header_name.empty()) request.headers.list.emplace_back(probe.header_name, probe.header_value);
  const auto answer = client.request(request);
  return answer && answer->status >= 200 && answer->status < 400;
}

}  // namespace

bool is_good(const Probe& probe, const std::shared_ptr<const net::Interrupt>& interrupt) {
  if (probe.http) return answers_http(probe, interrupt);
  const auto deadline = std::chrono::steady_clock::now() + kProbeTimeout;
  return net::ClientSocket::connect(probe.host, probe.port, deadline, interrupt).has_value();
}

Result<std::unique_ptr<Prober>> Prober::make() {
  auto interrupt = net::Interrupt::make();
  if (!interrupt) return std::unexpected(std::move(interrupt.error()));
  return std::make_unique<Prober>(std::move(*interrupt));
}

Prober::Prober(std::shared_ptr<net::Interrupt> interrupt) : interrupt_(std::move(interrupt)) {}

Prober::~Prober() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  interrupt_->raise();
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  for (const Waiting& left : waiting_) left.done(false);
}

void Prober::ask(const Probe& probe, std::function<void(bool)> done) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < kMaxProbesWaiting && !stopping_) {
      waiting_.push_back({.probe = probe, .done = std::move(done)});
      while (threads_.size() < kProbeThreads) threads_.emplace_back([this] { work(); });
      more_.notify_one();
      return;
    }
  }
  done(false);
}

void Prober::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    more_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next.done(is_good(next.probe, interrupt_));
  }
}

}  // namespace basalt::loop

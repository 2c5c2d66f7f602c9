#include "client/https_client.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "client/https_watch.h"
#include "client/transport.h"

namespace basalt::client {
namespace {

struct Waiting {
  api::Call call;
  std::function<void(Outcome)> done;
};

Outcome refusal(std::string message) {
  return std::unexpected(
      api::ApiError{.code = 503, .reason = std::string(kReasonNotReached), .message = std::move(message)});
}

}  // namespace

// The queue and the threads that serve it, each with a line of its own. A thread is added when a call finds none idle.
class HttpsObjectClient::Pool {
 public:
  Pool(std::shared_ptr<Transport> transport, std::shared_ptr<net::Interrupt> interrupt, size_t max_threads)
      : transport_(std::move(transport)),
        interrupt_(std::move(interrupt)),
        max_threads_(std::max<size_t>(max_threads, 1)) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    interrupt_->raise();
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    for (Waiting& waiting : queue_) waiting.done(refusal("the client was closed before the call was sent"));
  }

  void add(Waiting waiting) {
    std::string trouble;
    {
      const std::lock_guard lock(mutex_);
      if (queue_.size() >= kMaxQueuedCalls) {
        trouble = "full";
      } else {
        if (queue_.size() >= free_ && threads_.size() < max_threads_) trouble = add_thread();
        if (trouble.empty()) queue_.push_back(std::move(waiting));
      }
    }
    if (trouble.empty()) return wake_.notify_one();
    if (trouble == "full") {
      return waiting.done(std::unexpected(api::too_many_requests("too many calls wait for the API server", 1)));
    }
    waiting.done(refusal(trouble));
  }

  [[nodiscard]] const std::shared_ptr<Transport>& transport() const { return transport_; }

 private:
  // "": all is well, though perhaps without a new thread.
  std::string add_thread() {
    try {
      threads_.emplace_back([this] { work(); });
      ++free_;
    } catch (const std::system_error& error) {
      if (threads_.empty()) return std::string("no thread for the call: ") + error.what();
    }
    return "";
  }

  void work() {
    Line line(transport_, interrupt_);
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      Waiting next = std::move(queue_.front());
      queue_.pop_front();
      --free_;
      lock.unlock();
      Outcome outcome = line.call(next.call);
      lock.lock();
      ++free_;  // before `done`, which is short: one call after the other needs one connection only
      lock.unlock();
      next.done(std::move(outcome));
      next = {};  // what the function holds is let go before the next wait, and outside the lock
      lock.lock();
    }
  }

  const std::shared_ptr<Transport> transport_;       // shared with watches, which may live on
  const std::shared_ptr<net::Interrupt> interrupt_;  // shared with the lines
  const size_t max_threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiting> queue_;
  std::vector<std::thread> threads_;
  size_t free_ = 0;  // threads that look, or will soon look, into the queue
  bool stopping_ = false;
};

Result<std::unique_ptr<HttpsObjectClient>> HttpsObjectClient::make(Connection connection, HttpsClientOptions options) {
  const size_t max_connections = options.max_connections;
  auto interrupt = net::Interrupt::make();
  if (!interrupt) return std::unexpected(interrupt.error());
  auto transport = Transport::make(std::move(connection), std::move(options));
  if (!transport) return std::unexpected(transport.error());
  auto pool = std::make_unique<Pool>(std::move(*transport), std::move(*interrupt), max_connections);
  return std::make_unique<HttpsObjectClient>(std::move(pool));
}

HttpsObjectClient::HttpsObjectClient(std::unique_ptr<Pool> pool) : pool_(std::move(pool)) {}
HttpsObjectClient::~HttpsObjectClient() = default;

void HttpsObjectClient::send(api::Call call, std::function<void(Outcome)> done) {
  pool_->add({.call = std::move(call), .done = std::move(done)});
}

std::unique_ptr<Watch> HttpsObjectClient::watch(api::Call call, std::function<void(WatchEvent)> receive) {
  return start_watch(pool_->transport(), std::move(call), std::move(receive));
}

}  // namespace basalt::client

#include "kube/client/https_object_client.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "kube/client/https_watch.h"
#include "kube/client/transport.h"

namespace basalt::client {
namespace {

using Clock = std::chrono::steady_clock;
using QueuedCall = CallQueue::QueuedCall;

ReplyOrError refusal(std::string message) {
  return std::unexpected(
      api::ApiError{.code = 503, .reason = std::string(kReasonNotReached), .message = std::move(message)});
}

}  // namespace

// The queue and the threads that serve it, each with a line of its own. A thread is added when a call finds none idle.
class HttpsObjectClient::Pool {
 public:
  Pool(std::shared_ptr<Transport> transport, std::shared_ptr<net::Interrupt> interrupt, size_t max_threads,
       TokenBucket bucket, std::function<bool(const api::Call&)> may_send)
      : transport_(std::move(transport)),
        interrupt_(std::move(interrupt)),
        max_threads_(std::max<size_t>(max_threads, 1)),
        may_send_(std::move(may_send)),
        queue_(bucket) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  ~Pool() {
    halt();
    for (std::thread& thread : threads_) thread.join();
    refuse_all();
  }

  void close() {
    halt();
    refuse_all();
  }

  void add(QueuedCall waiting) {
    std::string trouble;
    bool full = false;
    {
      const std::lock_guard lock(mutex_);
      full = queue_.is_full();
      if (stopping_) {
        trouble = "the client is closed";
      } else if (!full && queue_.ready() >= free_ && threads_.size() < max_threads_) {
        trouble = add_thread();
      }
      if (trouble.empty() && !full) queue_.add(std::move(waiting));
    }
    if (!trouble.empty()) return waiting.done(refusal(trouble));
    if (!full) return wake_.notify_one();
    waiting.done(std::unexpected(api::too_many_requests("too many calls wait for the API server", 1)));
  }

  [[nodiscard]] const std::shared_ptr<Transport>& transport() const { return transport_; }

 private:
  void halt() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    interrupt_->raise();
    wake_.notify_all();
  }

  void refuse_all() {
    std::vector<QueuedCall> left;
    {
      const std::lock_guard lock(mutex_);
      left = queue_.take_all();
    }
    for (QueuedCall& waiting : left) waiting.done(refusal("the client was closed before the call was sent"));
  }

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
    TransportConnection line(transport_, interrupt_);
    while (std::optional<QueuedCall> next = wait_for_call()) {
      const bool may_go = !may_send_ || may_send_(next->call);
      ReplyOrError outcome = may_go ? line.call(next->call) : refusal("not sent: it may not be written any more");
      ++free_;  // before `done`, which is short: one call after the other needs one connection only
      if (const auto due = due_again(*next, outcome, Clock::now()); due && hold_back(*next, *due)) continue;
      next->done(std::move(outcome));
    }
  }

  // Until there is one that may go; nothing: the client is closed.
  std::optional<QueuedCall> wait_for_call() {
    std::unique_lock lock(mutex_);
    for (bool had_clock = false;;) {
      if (stopping_) return std::nullopt;
      CallQueue::Next next = queue_.take(Clock::now());
      if (next.call) {
        --free_;
        // Somebody else must look at the clock from now on.
        if (timed_until_ == kNobody && (had_clock ? queue_.size() > 0 : queue_.has_later())) wake_.notify_one();
        return std::move(next.call);
      }
      if (!next.look_again || *next.look_again >= timed_until_) {
        wake_.wait(lock);
        continue;
      }
      const Clock::time_point until = *next.look_again;  // one thread looks at the clock, not all of them
      timed_until_ = until;
      wake_.wait_until(lock, until);
      if (timed_until_ == until) timed_until_ = kNobody;
      had_clock = true;
    }
  }

  bool hold_back(QueuedCall& waiting, Clock::time_point due) {
    const std::lock_guard lock(mutex_);
    if (stopping_ || queue_.is_full()) return false;
    if (waiting.throttled_count++ == 0) waiting.first_throttled_at = Clock::now();
    queue_.add_later(std::move(waiting), due);
    return true;
  }

  static constexpr Clock::time_point kNobody = Clock::time_point::max();

  const std::shared_ptr<Transport> transport_;       // shared with watches, which may live on
  const std::shared_ptr<net::Interrupt> interrupt_;  // shared with the lines
  const size_t max_threads_;
  const std::function<bool(const api::Call&)> may_send_;
  std::mutex mutex_;
  std::condition_variable wake_;
  CallQueue queue_;
  Clock::time_point timed_until_ = kNobody;  // the thread that looks at the clock sleeps until then
  std::vector<std::thread> threads_;
  std::atomic<size_t> free_ = 0;  // threads that look, or will soon look, into the queue
  bool stopping_ = false;
};

Result<std::unique_ptr<HttpsObjectClient>> HttpsObjectClient::make(RestConfig connection,
                                                                   HttpsObjectClientOptions options) {
  const size_t max_connections = options.max_connections;
  const TokenBucket bucket(options.qps, options.burst);
  auto may_send = std::move(options.may_send);
  auto interrupt = net::Interrupt::make();
  if (!interrupt) return std::unexpected(interrupt.error());
  auto transport = Transport::make(std::move(connection), std::move(options));
  if (!transport) return std::unexpected(transport.error());
  auto pool = std::make_unique<Pool>(std::move(*transport), std::move(*interrupt), max_connections, bucket,
                                     std::move(may_send));
  return std::make_unique<HttpsObjectClient>(std::move(pool));
}

HttpsObjectClient::HttpsObjectClient(std::unique_ptr<Pool> pool) : pool_(std::move(pool)) {}
HttpsObjectClient::~HttpsObjectClient() = default;

void HttpsObjectClient::send(api::Call call, std::function<void(ReplyOrError)> done) {
  pool_->add({.call = std::move(call), .done = std::move(done)});
}

std::unique_ptr<Watch> HttpsObjectClient::watch(api::Call call, std::function<void(WatchEvent)> receive) {
  return start_watch(pool_->transport(), std::move(call), std::move(receive));
}

void HttpsObjectClient::close() { pool_->close(); }

}  // namespace basalt::client

// What a server's connections share: its options, the event loop, the list of connections, counts.
//
// It lives as long as the server or any HttpExchange or ResponseStream that somebody still holds (shared_ptr): late
// answers are posted to a live io_context and dropped. Work enters the loop only through `post`, which is shut
// (shut_gate) after the last loop thread has ended: nothing may stay queued that holds a connection, which holds this
// core, which holds the queue.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "kube/net/byte_budget.h"
#include "kube/net/http.h"
#include "kube/net/server.h"
#include "kube/net/tls.h"

namespace basalt::net {

class ServerConnection;

class ServerCore {
 public:
  ServerCore(ServerOptions server_options, RequestHandler server_handler, std::shared_ptr<const TlsContext> context)
      : options(std::move(server_options)),
        handler(std::move(server_handler)),
        bodies(options.limits.all_body_bytes),
        answers(options.limits.all_answer_bytes),
        loop(static_cast<int>(options.threads)),
        tls_(std::move(context)) {}

  const ServerOptions options;
  RequestHandler handler;  // forgotten when the server has stopped: it may hold streams, and they hold this core
  ByteBudget bodies, answers;
  boost::asio::io_context loop;

  // Of connections that begin; null: plain HTTP, for good. Shared: a session keeps the one it began with.
  [[nodiscard]] std::shared_ptr<const TlsContext> tls() const;
  void replace_tls(std::shared_ptr<const TlsContext> context);

  // Responses say "Connection: close" from then on, also on connections that were not told yet.
  std::atomic<bool> stopping{false};
  std::atomic<uint64_t> accepted{0}, requests{0}, refused{0}, made_room{0};

  // An answer that the server itself makes. 429 and 503 say when to come again.
  [[nodiscard]] HttpResponse error_response(unsigned status, std::string_view message) const;

  // Runs `work` on `executor`, or drops it when the gate is shut. From any thread.
  template <class Executor, class Work>
  void post(const Executor& executor, Work work) {
    const std::shared_lock lock(gate_);
    if (!shut_) boost::asio::post(executor, std::move(work));
  }
  void shut_gate() {
    const std::unique_lock lock(gate_);
    shut_ = true;
  }

  // The connections, by number. From any thread.
  uint64_t add(const std::weak_ptr<ServerConnection>& connection);
  void remove(uint64_t number);
  [[nodiscard]] size_t open() const;
  [[nodiscard]] std::vector<std::shared_ptr<ServerConnection>> connections() const;
  // Closes those that have owed us a request header longest, soon; how many. O(connections).
  size_t make_room();
  // Whether all connections are gone within `time`.
  bool wait_until_quiet(std::chrono::milliseconds time);

 private:
  std::shared_mutex gate_;
  bool shut_ = false;

  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const TlsContext> tls_;
  std::condition_variable quiet_;
  std::map<uint64_t, std::weak_ptr<ServerConnection>> connections_;
  uint64_t next_number_ = 0;
};

}  // namespace basalt::net

// The API of a server that is reached over the network: ObjectClient over HTTPS (or plain HTTP), HTTP/1.1,
// JSON, or where `lean` allows it Kubernetes' binary form.
//
// 1. Calls wait in a queue for one of at most `max_connections` kept-alive connections; threads and connections are
//    made when they are needed. `done` and `receive` run on these threads: they should be short, and must not call()
//    nor destroy the client or the watch that they belong to.
// 2. Nothing is sent twice silently: only Get and List are repeated, once, when a kept-alive connection turns out to be
//    broken; any request, once, that the server refused with 401 although fresher credentials can be had; and any
//    request that an overloaded server has turned away (429, or 503 with Retry-After), as call_queue.h says. While such
//    a call waits it occupies no thread.
// 3. Each watch has a connection and a thread of its own. It ends with exactly one Error event, whatever the reason,
//    unless it is destroyed before. Kinds of end: the server's own Status (410: list again), or one of ours with a
//    reason below (watch again from the last resourceVersion seen). One that asked for bookmarks and hears nothing for
//    `watch_quiet`, not even one of these, is over: the network has lost it.
// 4. At most `qps` calls go out in a second, `burst` at once. Opening a watch is not counted.
// 5. Destroying the client, or close(), ends calls under way and in the queue: their `done` gets kReasonNoAnswer or
//    kReasonNotReached. Destroying a Watch ends it at once, also when the server is silent. Watches may outlive the
//    client. (Only the resolution of a host name cannot be interrupted: it takes what the resolver takes.)
//
// Failures that no server worded have these codes and reasons, so that a writer can tell what it knows:
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "kube/client/call_queue.h"
#include "kube/client/host_environment.h"
#include "kube/client/object_client.h"
#include "kube/client/rest_config.h"

namespace basalt::client {

inline constexpr std::string_view kReasonNotReached = "NotReached";  // 503: the server has not got the request
inline constexpr std::string_view kReasonNoAnswer = "NoAnswer";      // 504: whether it was carried out is not known
inline constexpr std::string_view kReasonWatchEnded = "WatchEnded";  // 504: the watch is over in good order, or quiet
inline constexpr std::string_view kReasonUnreadable = "Unreadable";  // 504: an event of the watch made no sense

inline constexpr size_t kMaxEventBytes = size_t{64} * 1024 * 1024;      // one event of a watch
inline constexpr size_t kMaxResponseBytes = size_t{256} * 1024 * 1024;  // one answer: a list should be paged

struct HttpsObjectClientOptions {
  size_t max_connections = 16;  // besides those of watches; each has a thread
  double qps = 0, burst = 0;    // 0: without a limit
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds request_timeout{60'000};  // of one call, from the first byte sent to the last received
  std::chrono::milliseconds watch_quiet{180'000};     // servers send a bookmark about every minute
  std::string user_agent = "basalt";                  // its first word names us in managedFields
  HostEnvironment host_environment = real_host_environment();  // for credentials that are read again
  // For loops that follow thousands of objects: built-in kinds in Kubernetes' binary form, answers without
  // metadata.managedFields (kube/client/protobuf/protobuf_kinds.h). Not for whoever shows objects or writes them back
  // whole.
  bool lean = false;
  // Asked on the thread that is about to send a call, after it has waited in the queue and each time it goes out;
  // false: it is answered 503 kReasonNotReached. Empty: all may.
  std::function<bool(const api::Call&)> may_send;
};

class HttpsObjectClient : public ObjectClient {
 public:
  // Reads certificates and keys; connects to nobody yet.
  [[nodiscard]] static Result<std::unique_ptr<HttpsObjectClient>> make(RestConfig connection,
                                                                       HttpsObjectClientOptions options = {});
  class Pool;                                              // hides threads and connections
  explicit HttpsObjectClient(std::unique_ptr<Pool> pool);  // see make()
  ~HttpsObjectClient() override;

  void send(api::Call call, std::function<void(ReplyOrError)> done) override;
  [[nodiscard]] std::unique_ptr<Watch> watch(api::Call call, std::function<void(WatchEvent)> receive) override;
  [[nodiscard]] bool streams_lists() const override { return true; }

  // From any thread; `done` functions of calls that were not sent run inside. What is sent from now on is refused.
  void close();

 private:
  std::unique_ptr<Pool> pool_;
};

}  // namespace basalt::client

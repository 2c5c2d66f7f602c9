// Calls whose answer is waited for, but only so long: until a deadline, or until another thread gives up.
//
// A call that is not waited for any more goes on; its answer is dropped when it comes, also after the end of this.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "base/instant.h"
#include "kube/client/object_client.h"

namespace basalt::lease {

class DeadlineCaller {
 public:
  // Requires: `client` outlives it.
  explicit DeadlineCaller(client::ObjectClient& client) : client_(client) {}

  // The answer, or 504 kReasonNoAnswer at `deadline` (on boot_clock) or when it was given up. From one thread.
  [[nodiscard]] client::ReplyOrError ask(api::Call call, Instant deadline);
  // Ends the wait under way and those that begin, until resume(). From any thread.
  void give_up();
  void resume();

 private:
  struct PendingCall {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<client::ReplyOrError> outcome;
    uint64_t question = 0;  // whose answer is waited for; others come too late
    bool given_up = false;
  };
  client::ObjectClient& client_;
  const std::shared_ptr<PendingCall> pending_ =
      std::make_shared<PendingCall>();  // shared with calls, whose answers may come late
};

}  // namespace basalt::lease

#include "programs/lease/deadline_caller.h"

#include <chrono>
#include <utility>

#include "kube/client/boot_clock.h"
#include "kube/client/https_object_client.h"

namespace basalt::lease {

client::ReplyOrError DeadlineCaller::ask(api::Call call, Instant deadline) {
  uint64_t question = 0;
  {
    const std::scoped_lock lock(pending_->mutex);
    question = ++pending_->question;
    pending_->outcome.reset();
  }
  client_.send(std::move(call), [pending = pending_, question](client::ReplyOrError outcome) {
    {
      const std::scoped_lock lock(pending->mutex);
      if (pending->question != question) return;
      pending->outcome = std::move(outcome);
    }
    pending->changed.notify_all();
  });
  const Duration length = deadline - client::boot_clock();
  std::unique_lock lock(pending_->mutex);
  pending_->changed.wait_for(lock, std::chrono::nanoseconds(length.nanos),
                             [this] { return pending_->outcome.has_value() || pending_->given_up; });
  ++pending_->question;
  if (pending_->outcome) {
    client::ReplyOrError answer = std::move(*pending_->outcome);
    pending_->outcome.reset();
    return answer;
  }
  return std::unexpected(api::ApiError{
      .code = 504, .reason = std::string(client::kReasonNoAnswer), .message = "the API server did not answer in time"});
}

void DeadlineCaller::give_up() {
  {
    const std::scoped_lock lock(pending_->mutex);
    pending_->given_up = true;
  }
  pending_->changed.notify_all();
}

void DeadlineCaller::resume() {
  const std::scoped_lock lock(pending_->mutex);
  pending_->given_up = false;
}

}  // namespace basalt::lease

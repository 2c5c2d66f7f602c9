#include "programs/lease/patient_calls.h"

#include <chrono>
#include <utility>

#include "kube/client/boot_clock.h"
#include "kube/client/https_client.h"

namespace basalt::lease {

client::Outcome PatientCalls::ask(api::Call call, Instant deadline) {
  uint64_t question = 0;
  {
    const std::scoped_lock lock(desk_->mutex);
    question = ++desk_->question;
    desk_->outcome.reset();
  }
  client_.send(std::move(call), [desk = desk_, question](client::Outcome outcome) {
    {
      const std::scoped_lock lock(desk->mutex);
      if (desk->question != question) return;
      desk->outcome = std::move(outcome);
    }
    desk->changed.notify_all();
  });
  const Duration length = deadline - client::boot_clock();
  std::unique_lock lock(desk_->mutex);
  desk_->changed.wait_for(lock, std::chrono::nanoseconds(length.nanos),
                          [this] { return desk_->outcome.has_value() || desk_->given_up; });
  ++desk_->question;
  if (desk_->outcome) {
    client::Outcome answer = std::move(*desk_->outcome);
    desk_->outcome.reset();
    return answer;
  }
  return std::unexpected(api::ApiError{
      .code = 504, .reason = std::string(client::kReasonNoAnswer), .message = "the API server did not answer in time"});
}

void PatientCalls::give_up() {
  {
    const std::scoped_lock lock(desk_->mutex);
    desk_->given_up = true;
  }
  desk_->changed.notify_all();
}

void PatientCalls::resume() {
  const std::scoped_lock lock(desk_->mutex);
  desk_->given_up = false;
}

}  // namespace basalt::lease

#include "control/loop/round.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace basalt::loop {
namespace {

// A refusal that says that there is nothing left to do.
bool is_settled(api::Verb verb, const api::ApiError& error) {
  if (error.code == 404) return true;  // what was to be written about is gone; an event says so, or has said so
  return verb == api::Verb::Create && error.reason == "AlreadyExists";
}

bool brings_a_state(api::Verb verb) {
  return verb == api::Verb::Create || verb == api::Verb::Update || verb == api::Verb::Patch;
}

// The call without its body, for Mind::refused: the body went with the request.
api::Call head_of(const api::Call& call) {
  return {.verb = call.verb,
          .resource = call.resource,
          .namespace_name = call.namespace_name,
          .name = call.name,
          .subresource = call.subresource};
}

}  // namespace

struct Round::Letter {
  static constexpr size_t kNobody = SIZE_MAX;  // an event: whether it was told does not matter

  size_t item = kNobody;
  api::Call call;  // a write, without its body
  const Ask* ask = nullptr;
  Answer answer;
};

class Round::Letterbox {
 public:
  void expect() {
    const std::lock_guard lock(mutex_);
    ++open_;
  }
  void put(Letter letter) {
    const std::lock_guard lock(mutex_);
    letters_.push_back(std::move(letter));
    --open_;
    arrived_.notify_one();
  }
  // What came, once at most `most` answers are outstanding.
  std::vector<Letter> take(size_t most) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return open_ <= most; });
    return std::exchange(letters_, {});
  }
  [[nodiscard]] bool is_full() {
    const std::lock_guard lock(mutex_);
    return open_ + letters_.size() >= kMaxCallsUnderWay;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Letter> letters_;
  size_t open_ = 0;
};

Round::Round(client::ObjectClient& client, Mind& mind, EventLog& events, Learn learn, StartProbe start_probe)
    : client_(client),
      mind_(mind),
      events_(events),
      learn_(std::move(learn)),
      start_probe_(std::move(start_probe)),
      box_(std::make_shared<Letterbox>()) {}

std::vector<Round::Outcome> Round::run(const std::vector<Item>& items, Instant now) {
  std::vector<Plan> plans;
  std::vector<Outcome> outcomes(items.size());
  plans.reserve(items.size());
  size_t most_stages = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    plans.push_back(mind_.plan(items[i], now));
    ++figures_.plans;
    outcomes[i].again = plans[i].again;
    most_stages = std::max(most_stages, plans[i].stages.size());
    tell(plans[i].notes, now);
    for (const Ask& ask : plans[i].asks) send_ask(i, items[i], ask);
  }
  for (size_t stage = 0; stage < most_stages; ++stage) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (stage >= plans[i].stages.size() || outcomes[i].failed) continue;
      for (api::Call& call : plans[i].stages[stage]) {
        send_write(i, std::move(call));
        if (box_->is_full()) handle(box_->take(kMaxCallsUnderWay / 2), items, outcomes, now);
      }
    }
    handle(box_->take(0), items, outcomes, now);
  }
  handle(box_->take(0), items, outcomes, now);
  return outcomes;
}

void Round::send_write(size_t item, api::Call call) {
  box_->expect();
  api::Call head = head_of(call);
  client_.send(std::move(call), [box = box_, item, head = std::move(head)](client::Outcome outcome) mutable {
    box->put({.item = item, .call = std::move(head), .answer = {.outcome = std::move(outcome)}});
  });
}

void Round::send_ask(size_t place, const Item& item, const Ask& ask) {
  if (const auto* probe = std::get_if<Probe>(&ask)) return start_probe_(item, *probe);
  box_->expect();
  client_.send(std::get<api::Call>(ask), [box = box_, place, &ask](client::Outcome outcome) {
    box->put({.item = place, .ask = &ask, .answer = {.outcome = std::move(outcome)}});
  });
}

void Round::tell(const std::vector<Note>& notes, Instant now) {
  for (const Note& note : notes) {
    if (auto call = events_.tell(note, now)) send_write(Letter::kNobody, std::move(*call));
  }
}

void Round::handle(std::vector<Letter> letters, const std::vector<Item>& items, std::vector<Outcome>& outcomes,
                   Instant now) {
  for (Letter& letter : letters) {
    if (letter.item == Letter::kNobody) continue;
    Outcome& outcome = outcomes[letter.item];
    if (letter.ask != nullptr) {
      outcome.follow = std::max(outcome.follow, mind_.answered(items[letter.item], *letter.ask, letter.answer, now));
    } else {
      handle_write(letter, items[letter.item], outcome, now);
    }
  }
}

void Round::handle_write(Letter& letter, const Item& item, Outcome& outcome, Instant now) {
  ++figures_.writes;
  const client::Outcome& written = letter.answer.outcome;
  if (written) {
    if (brings_a_state(letter.call.verb) && written->object != nullptr) learn_(letter.call.resource, written->object);
    return;
  }
  if (is_settled(letter.call.verb, written.error())) return;
  ++figures_.refused;
  outcome.failed = true;
  std::vector<Note> notes;
  mind_.refused(item, letter.call, written.error(), notes);
  tell(notes, now);
}

}  // namespace basalt::loop

#include "control/loop/reconcile_round.h"

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

// What the plan tells once this write is done; null: nothing. `next`: the first note that was not passed yet.
const EventNote* note_of(const WritePlan& plan, size_t stage, size_t place, size_t& next) {
  if (next >= plan.write_notes.size()) return nullptr;
  const WriteNote& note = plan.write_notes[next];
  if (note.stage != stage || note.place != place) return nullptr;
  ++next;
  return &note.note;
}

// The call without its body, for Reconciler::refused: the body went with the request.
api::Call head_of(const api::Call& call) {
  return {.verb = call.verb,
          .resource = call.resource,
          .namespace_name = call.namespace_name,
          .name = call.name,
          .subresource = call.subresource};
}

}  // namespace

struct ReconcileRound::Completion {
  static constexpr size_t kNoItem = SIZE_MAX;  // an event: whether it was told does not matter

  size_t item = kNoItem;
  api::Call call;  // a write, without its body
  const Ask* ask = nullptr;
  const EventNote* done = nullptr;  // to tell when the write succeeded; lives as long as the plan
  CallResult answer;
};

class ReconcileRound::CompletionQueue {
 public:
  void expect() {
    const std::lock_guard lock(mutex_);
    ++open_;
  }
  void put(Completion completion) {
    const std::lock_guard lock(mutex_);
    completions_.push_back(std::move(completion));
    --open_;
    arrived_.notify_one();
  }
  // What came, once at most `most` answers are outstanding.
  std::vector<Completion> take(size_t most) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return open_ <= most; });
    return std::exchange(completions_, {});
  }
  [[nodiscard]] bool is_full() {
    const std::lock_guard lock(mutex_);
    return open_ + completions_.size() >= kMaxCallsUnderWay;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Completion> completions_;
  size_t open_ = 0;
};

ReconcileRound::ReconcileRound(client::ObjectClient& client, Reconciler& reconciler, EventRecorder& events, Learn learn,
                               StartProbe start_probe)
    : client_(client),
      reconciler_(reconciler),
      events_(events),
      learn_(std::move(learn)),
      start_probe_(std::move(start_probe)),
      completion_queue_(std::make_shared<CompletionQueue>()) {}

std::vector<ReconcileRound::Outcome> ReconcileRound::run(const std::vector<Item>& items, Instant now) {
  std::vector<WritePlan> plans;
  std::vector<Outcome> outcomes(items.size());
  plans.reserve(items.size());
  size_t most_stages = 0;
  std::vector<size_t> next_note(items.size(), 0);
  for (size_t i = 0; i < items.size(); ++i) {
    plans.push_back(reconciler_.plan(items[i], now));
    ++counters_.plans;
    outcomes[i].again = plans[i].again;
    most_stages = std::max(most_stages, plans[i].stages.size());
    record(plans[i].notes, now);
    for (const Ask& ask : plans[i].asks) send_ask(i, items[i], ask);
  }
  for (size_t stage = 0; stage < most_stages; ++stage) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (stage >= plans[i].stages.size() || outcomes[i].failed) continue;
      WritePlan::Stage& calls = plans[i].stages[stage];
      for (size_t place = 0; place < calls.size(); ++place) {
        send_write(i, std::move(calls[place]), note_of(plans[i], stage, place, next_note[i]));
        if (completion_queue_->is_full()) handle(completion_queue_->take(kMaxCallsUnderWay / 2), items, outcomes, now);
      }
    }
    handle(completion_queue_->take(0), items, outcomes, now);
  }
  handle(completion_queue_->take(0), items, outcomes, now);
  return outcomes;
}

void ReconcileRound::send_write(size_t item, api::Call call, const EventNote* done) {
  completion_queue_->expect();
  api::Call head = head_of(call);
  client_.send(std::move(call), [queue = completion_queue_, item, done,
                                 head = std::move(head)](client::ReplyOrError outcome) mutable {
    queue->put({.item = item, .call = std::move(head), .done = done, .answer = {.outcome = std::move(outcome)}});
  });
}

void ReconcileRound::send_ask(size_t place, const Item& item, const Ask& ask) {
  if (const auto* probe = std::get_if<Probe>(&ask)) return start_probe_(item, *probe);
  completion_queue_->expect();
  client_.send(std::get<api::Call>(ask), [queue = completion_queue_, place, &ask](client::ReplyOrError outcome) {
    queue->put({.item = place, .ask = &ask, .answer = {.outcome = std::move(outcome)}});
  });
}

void ReconcileRound::record(const std::vector<EventNote>& notes, Instant now) {
  for (const EventNote& note : notes) {
    if (auto call = events_.record(note, now)) send_write(Completion::kNoItem, std::move(*call));
  }
}

void ReconcileRound::handle(std::vector<Completion> completions, const std::vector<Item>& items,
                            std::vector<Outcome>& outcomes, Instant now) {
  for (Completion& completion : completions) {
    if (completion.item == Completion::kNoItem) continue;
    Outcome& outcome = outcomes[completion.item];
    if (completion.ask != nullptr) {
      outcome.follow = std::max(outcome.follow,
                                reconciler_.answered(items[completion.item], *completion.ask, completion.answer, now));
    } else {
      handle_write(completion, items[completion.item], outcome, now);
    }
  }
}

void ReconcileRound::handle_write(Completion& completion, const Item& item, Outcome& outcome, Instant now) {
  ++counters_.writes;
  const client::ReplyOrError& written = completion.answer.outcome;
  if (written) {
    if (brings_a_state(completion.call.verb) && written->object != nullptr)
      learn_(completion.call.resource, written->object);
    if (completion.done != nullptr) record({*completion.done}, now);
    return;
  }
  if (is_settled(completion.call.verb, written.error())) return;
  ++counters_.refused;
  outcome.failed = true;
  std::vector<EventNote> notes;
  reconciler_.refused(item, completion.call, written.error(), notes);
  record(notes, now);
}

}  // namespace basalt::loop

#include "control/loop/reconcile_round.h"

#include <algorithm>
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

ReconcileRound::ReconcileRound(client::ObjectClient& client, Reconciler& reconciler, EventRecorder& events, Learn learn,
                               StartProbe start_probe)
    : client_(client),
      reconciler_(reconciler),
      events_(events),
      learn_(std::move(learn)),
      start_probe_(std::move(start_probe)),
      completions_(std::make_shared<CompletionQueue<Completion>>()) {}

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
        if (completions_->load() >= kMaxCallsUnderWay) handle_completed(kMaxCallsUnderWay / 2, items, outcomes, now);
      }
    }
    handle_completed(0, items, outcomes, now);
  }
  handle_completed(0, items, outcomes, now);
  return outcomes;
}

void ReconcileRound::send_write(size_t item, api::Call call, const EventNote* done) {
  completions_->expect();
  api::Call head = head_of(call);
  client_.send(std::move(call), [queue = completions_, item, done,
                                 head = std::move(head)](client::ReplyOrError outcome) mutable {
    queue->put({.item = item, .call = std::move(head), .done = done, .answer = {.outcome = std::move(outcome)}});
  });
}

void ReconcileRound::send_ask(size_t place, const Item& item, const Ask& ask) {
  if (const auto* probe = std::get_if<Probe>(&ask)) return start_probe_(item, *probe);
  completions_->expect();
  client_.send(std::get<api::Call>(ask), [queue = completions_, place, &ask](client::ReplyOrError outcome) {
    queue->put({.item = place, .ask = &ask, .answer = {.outcome = std::move(outcome)}});
  });
}

void ReconcileRound::record(const std::vector<EventNote>& notes, Instant now) {
  for (const EventNote& note : notes) {
    if (auto call = events_.record(note, now)) send_write(Completion::kNoItem, std::move(*call));
  }
}

void ReconcileRound::handle_completed(size_t most, const std::vector<Item>& items, std::vector<Outcome>& outcomes,
                                      Instant now) {
  completions_->wait(most);
  for (Completion& completion : completions_->take()) {
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

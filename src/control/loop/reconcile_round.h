// One round of a loop: what is due is planned, and the plans are carried out stage by stage.
//
// All writes of a stage are sent before the first answer is waited for, so that they share the server's commits; at
// most kMaxCallsUnderWay are under way. Answers are handled in the order in which they come.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "control/loop/completion_queue.h"
#include "control/loop/event_recorder.h"
#include "control/loop/reconcile_loop.h"
#include "control/loop/reconciler.h"
#include "kube/client/object_client.h"

namespace basalt::loop {

class ReconcileRound {
 public:
  struct Outcome {
    bool failed = false;               // a write was refused: plan again, later
    NextStep follow = NextStep::Done;  // what the answers to questions ask for
    Instant again = kNever;
  };

  using Learn = std::function<void(const api::GroupVersionResource&, const client::ObjectPtr&)>;
  using StartProbe = std::function<void(const Item&, const Probe&)>;

  // `learn`: takes the state that a write brought about. `start_probe`: probes are not waited for; their answers come
  // to the Reconciler by another way.
  ReconcileRound(client::ObjectClient& client, Reconciler& reconciler, EventRecorder& events, Learn learn,
                 StartProbe start_probe);

  // Plans and carries out. Answers one outcome per item.
  std::vector<Outcome> run(const std::vector<Item>& items, Instant now);

  [[nodiscard]] const LoopCounters& counters() const { return counters_; }

 private:
  struct Completion;

  void send_write(size_t item, api::Call call, const EventNote* done = nullptr);
  void send_ask(size_t place, const Item& item, const Ask& ask);
  void record(const std::vector<EventNote>& notes, Instant now);
  // Waits until at most so many calls are under way, and handles what came back.
  void handle_completed(size_t most, const std::vector<Item>& items, std::vector<Outcome>& outcomes, Instant now);
  void handle_write(Completion& completion, const Item& item, Outcome& outcome, Instant now);

  client::ObjectClient& client_;
  Reconciler& reconciler_;
  EventRecorder& events_;
  Learn learn_;
  StartProbe start_probe_;
  std::shared_ptr<CompletionQueue<Completion>>
      completions_;  // shared with the `done` functions of calls that are under way
  LoopCounters counters_;
};

}  // namespace basalt::loop

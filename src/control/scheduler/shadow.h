// Shadow mode: our scheduler beside another one, deciding everything and changing nothing.
//
//   Shadow shadow(client, {.clock = …, .scheduler_names = {"volcano"}, .report = …, .tell = …});
//   auto scheduler = Scheduler::make(shadow, options);   // options.self_check = Duration{}: see 3
//   shadow.start(); scheduler->start(); … scheduler->stop(); shadow.stop();
//
// A Shadow is the client that such a Scheduler gets:
// 1. Reads and watches pass. No write ever reaches the API, whatever it is about: binds, deletions, status, queues,
//    events. Each is answered at once as if it had been accepted, without an object.
// 2. What passes is looked at: pods and PodGroups as the API tells them, binds and evictions as our scheduler decides
//    them. A ShadowComparison compares the two; see shadow_comparison.h for what counts as a difference.
// 3. Our state follows the cluster, not our decisions: a pod that nobody bound within kConfirmWithin of our decision is
//    read and becomes Pending again (write_recovery.h). PodGroups that we would have let in differ from the API until
//    the other scheduler lets them in, so the self-check has nothing to say here: switch it off.
// 4. It takes no lease: a lease is a write. Start it without leader election.
//
// Threads: send() and watch() from any thread, as of every client; step() by one thread at a time, either the owner's
// (simulation, tests) or that of start(). `report` and `tell` are called one at a time, by whichever thread finds
// something: they should be short, and must not call back.
// Memory: bounded, see shadow_comparison.h. Cost: O(1) for each object that passes, besides one look at a few fields.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "control/scheduler/shadow_comparison.h"
#include "kube/client/object_client.h"

namespace basalt::scheduler {

struct ShadowOptions {
  std::function<Instant()> clock;  // of everything that is timed here
  ShadowRules rules;               // whose pods are compared, and how patiently
  Duration summary_every = Duration::seconds(60);
  // Each may be empty. `report`: one JSON object without line end, for each difference and each summary.
  std::function<void(const std::string& line)> report;
  // The same for people, a sentence each.
  std::function<void(const std::string& line)> tell;
};

class Shadow final : public client::ObjectClient {
 public:
  // Requires: `client` outlives it, and options.clock is given.
  Shadow(client::ObjectClient& client, ShadowOptions options);
  ~Shadow() override;  // stop()
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override;
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override;

  [[nodiscard]] bool streams_lists() const override { return client_.streams_lists(); }

  void step(Instant now);                  // what time alone makes a difference, and the summary when it is due
  [[nodiscard]] Instant next_due() const;  // when step() has something to do; kNever: it was not called yet

  void start();  // a thread that steps
  void stop();   // ends it and tells the last summary, once

  [[nodiscard]] ShadowSummary summary() const;
  // Prometheus text: basalt_shadow_…
  [[nodiscard]] std::string metrics_text() const;

 private:
  class Observer;
  std::shared_ptr<Observer> observer_;  // shared with the watches that pass through
  client::ObjectClient& client_;
};

}  // namespace basalt::scheduler

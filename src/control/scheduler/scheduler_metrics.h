// What the scheduler counts, as Prometheus reads it: Volcano's names, labels and buckets, so that its dashboards and
// alerts work, and counters of our own under basalt_scheduler_….
//
//   CycleClock clock(options.clock);                               // one for all cycles
//   auto result = engine::run_cycle(state, policy, now, rng, {.observer = &clock});
//   metrics.cycle(clock.take(), result, state, now);               // one lock a cycle
//   metrics.gauges(state, active.spec(), now);                     // at most once a second, and only after a change
//
// 1. What is counted is declared in scheduler_page.h; per pod calls (watched, bound) are atomics only. What has labels
//    that objects name (jobs, queues) is kept under a mutex that is taken once a cycle.
// 2. Series of objects go away with the object, and there are a bounded number of them (object_series.h), so text() is
//    bounded.
// 3. Histograms count in milliseconds, as Volcano's names say.
//
// Threads: text() from any thread; the others from any thread too, but cycle() and gauges() read a state that must not
// change meanwhile. Cost: cycle() O(decisions + jobs reported); gauges() O(jobs + queues) when it works.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "control/scheduler/cycle_clock.h"
#include "engine/core/decisions.h"
#include "engine/model/cluster_state.h"
#include "engine/policy/policy_spec.h"

namespace basalt::scheduler {

inline constexpr Duration kGaugesEvery = Duration::seconds(1);

// Why step() ran a cycle.
enum class CycleTrigger : uint8_t { Change, CompletedWrite, Period, Policy };
// What was written to the API.
enum class CountedWrite : uint8_t { Bind, Evict, Gate, PodGroup, PodCondition, Queue, Event };
enum class WriteEnd : uint8_t { Done, Refused, Unsure };

struct SchedulerPage;

class SchedulerMetrics {
 public:
  SchedulerMetrics();
  ~SchedulerMetrics();
  SchedulerMetrics(const SchedulerMetrics&) = delete;
  SchedulerMetrics& operator=(const SchedulerMetrics&) = delete;

  void triggered(CycleTrigger why);
  void cycle(const CycleTimes& times, const engine::CycleResult& result, const model::ClusterState& state, Instant now);
  void gauges(const model::ClusterState& state, const policy::PolicySpec& policy, Instant now);
  // When gauges() has something to do; nothing: they show this state.
  [[nodiscard]] std::optional<Instant> gauges_due(const model::ClusterState& state) const;

  // A pod of ours that is new here.
  void watched(Instant created, Instant now);
  // The API has confirmed a bind that was sent at `sent`.
  void bound(Instant created, Instant sent, Instant now);
  void write_ended(CountedWrite what, WriteEnd how);
  void events_dropped(uint64_t count);
  void bad_objects(uint64_t now_bad);
  // A self-check ended with that many confirmed differences; one that could not be made.
  void self_checked(size_t differences, Duration took);
  void self_check_failed();
  // The policy in force; whether the conf that was looked at last was refused; kind and name of what Volcano would have
  // obeyed and we leave out.
  void policy(uint64_t generation, bool refused, std::vector<std::pair<std::string, std::string>> skipped);

  // The exposition text (format 0.0.4), series sorted by their labels.
  [[nodiscard]] std::string text() const;

 private:
  struct Series;  // what is labelled by names of objects or of the conf, and its lock

  void count_evictions(const engine::Decisions& decisions, const model::ClusterState& state);
  void count_times(const CycleTimes& times);

  std::unique_ptr<SchedulerPage> page_;
  std::unique_ptr<Series> series_;
};

}  // namespace basalt::scheduler

#include "control/scheduler/scheduler_metrics.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "control/scheduler/object_series.h"
#include "kube/text/latency_histogram.h"
#include "kube/text/prometheus.h"

namespace basalt::scheduler {

using text::append_family;
using text::append_label;
using text::append_series;
using text::append_value;
using text::exponential_bounds;
using text::LatencyHistogram;
using text::one_label;

namespace {

constexpr std::array<std::string_view, kCycleTriggers> kWakeNames = {"news", "answer", "period", "policy"};
constexpr std::array<std::string_view, kWrites> kWriteNames = {"bind",         "evict", "gate", "podgroup",
                                                               "podcondition", "queue", "event"};
constexpr std::array<std::string_view, 4> kEvictingActions = {"preempt", "reclaim", "gangpreempt", "gangreclaim"};
constexpr size_t kMaxActions = 32;  // with a latency of their own

double load(const std::atomic<uint64_t>& counter) {
  return static_cast<double>(counter.load(std::memory_order_relaxed));
}

}  // namespace

struct SchedulerMetrics::Latencies {
  LatencyHistogram cycle{exponential_bounds(1, 5000, 20)};
  LatencyHistogram open{exponential_bounds(1, 5000, 20)};
  LatencyHistogram job{exponential_bounds(100, 120'000, 30)};
  LatencyHistogram watched{exponential_bounds(50, 60'000, 30)};
  LatencyHistogram assumed{exponential_bounds(50, 60'000, 30)};
  LatencyHistogram bound{exponential_bounds(50, 60'000, 30)};
  LatencyHistogram bind_stage{exponential_bounds(0.1, 500, 20)};
};

struct SchedulerMetrics::Series {
  mutable std::mutex lock;
  std::map<std::string, LatencyHistogram, std::less<>> actions;
  std::map<std::string, Duration, std::less<>> phases;
  uint64_t decided = 0, nothing = 0, skipped = 0;
  uint64_t scheduled = 0, unschedulable = 0;
  uint64_t victims = 0, preemptions = 0;
  std::array<uint64_t, kEvictingActions.size()> evictions{};  // transactions
  ObjectSeries objects;
  uint64_t gauges_version = 0;  // of the state; 0: something was decided since
  Instant gauges_due;
  std::vector<std::pair<std::string, std::string>> policy_skipped;  // kind, name; as many as a conf names

  void count_evictions(const engine::Decisions& decisions, const model::ClusterState& state);
  void count_times(const CycleTimes& times);
};

SchedulerMetrics::SchedulerMetrics() : latencies_(std::make_unique<Latencies>()), series_(std::make_unique<Series>()) {}
SchedulerMetrics::~SchedulerMetrics() = default;

void SchedulerMetrics::Series::count_times(const CycleTimes& times) {
  phases["open"].nanos += times.open.nanos;
  phases["close"].nanos += times.close.nanos;
  for (const auto& [action, took] : times.actions) {
    if (!actions.contains(action) && actions.size() >= kMaxActions) continue;
    actions.try_emplace(action, exponential_bounds(1, 2000, 20)).first->second.observe(took);
    phases[action].nanos += took.nanos;
  }
}

// A transaction is what one action evicted for one job; an attempt, what it evicted for one task.
void SchedulerMetrics::Series::count_evictions(const engine::Decisions& decisions, const model::ClusterState& state) {
  std::set<std::pair<size_t, model::JobId>> transactions;
  std::set<model::TaskId> preemptors;
  uint64_t preempted = 0;
  for (const engine::Evict& evict : decisions.evicts) {
    const auto at = std::find(kEvictingActions.begin(), kEvictingActions.end(), evict.reason);
    if (at == kEvictingActions.end()) continue;
    const model::JobId job = evict.preemptor.valid() ? state.task(evict.preemptor).job : model::JobId();
    transactions.emplace(static_cast<size_t>(at - kEvictingActions.begin()), job);
    if (!at->ends_with("preempt")) continue;
    ++preempted;
    preemptors.insert(evict.preemptor);
  }
  for (const auto& [action, job] : transactions) ++evictions[action];
  preemptions += preemptors.size();
  if (preempted > 0) victims = preempted;
}

void SchedulerMetrics::cycle(const CycleTimes& times, const engine::CycleResult& result,
                             const model::ClusterState& state, Instant now) {
  Series& series = *series_;
  const std::lock_guard hold(series.lock);
  if (result.skipped) {
    ++series.skipped;
    return;
  }
  const engine::Decisions& decisions = result.decisions;
  const bool decided = !decisions.binds.empty() || !decisions.evicts.empty() || !decisions.gate_removals.empty();
  ++(decided ? series.decided : series.nothing);
  if (decided || !result.report.jobs.empty()) series.gauges_version = 0;
  latencies_->cycle.observe(times.total);
  latencies_->open.observe(times.open);
  series.count_times(times);
  series.scheduled += decisions.binds.size();
  std::set<model::JobId> given;
  for (const engine::Bind& bind : decisions.binds) {
    const model::Task& task = state.task(bind.task);
    latencies_->assumed.observe(now - task.created);
    if (task.job.valid()) given.insert(task.job);
  }
  for (const model::JobId job : given) {
    latencies_->job.observe(now - state.job(job).created);
    series.objects.assumed(state, job, now);
  }
  for (const engine::JobReport& job : result.report.jobs) {
    series.unschedulable += static_cast<uint64_t>(std::count_if(
        job.tasks.begin(), job.tasks.end(), [](const engine::TaskReport& task) { return task.failure.has_value(); }));
    if (job.gang && !job.gang->schedulable) series.objects.retried(state, job.job);
  }
  series.count_evictions(decisions, state);
}

void SchedulerMetrics::gauges(const model::ClusterState& state, const policy::PolicySpec& policy, Instant now) {
  Series& series = *series_;
  const std::lock_guard hold(series.lock);
  if (series.gauges_version == state.version() || now < series.gauges_due) return;
  series.gauges_version = state.version();
  series.gauges_due = now + kGaugesEvery;
  series.objects.gauges(state, policy);
}

std::optional<Instant> SchedulerMetrics::gauges_due(const model::ClusterState& state) const {
  const std::lock_guard hold(series_->lock);
  if (series_->gauges_version == state.version()) return std::nullopt;
  return series_->gauges_due;
}

void SchedulerMetrics::watched(Instant created, Instant now) { latencies_->watched.observe(now - created); }

void SchedulerMetrics::bound(Instant created, Instant sent, Instant now) {
  latencies_->bound.observe(now - created);
  latencies_->bind_stage.observe(now - sent);
}

void SchedulerMetrics::self_checked(size_t differences, Duration took) {
  self_checks_.fetch_add(1, std::memory_order_relaxed);
  differences_now_.store(differences, std::memory_order_relaxed);
  differences_total_.fetch_add(differences, std::memory_order_relaxed);
  self_check_nanos_.store(static_cast<uint64_t>(std::max<int64_t>(0, took.nanos)), std::memory_order_relaxed);
}

std::string SchedulerMetrics::text() const {
  std::string out;
  append_latencies(out);
  append_cycles(out);
  append_loop(out);
  append_policy(out);
  append_self_check(out);
  return out;
}

void SchedulerMetrics::append_latencies(std::string& out) const {
  const Latencies& all = *latencies_;
  const auto family = [&out](std::string_view name, std::string_view help) {
    append_family(out, name, "histogram", help);
    return name;
  };
  all.cycle.append(out, family("volcano_e2e_scheduling_latency_milliseconds", "How long cycles took."), "");
  all.open.append(out, family("volcano_open_session_duration_milliseconds", "How long opening a cycle took."), "");
  all.job.append(out,
                 family("volcano_e2e_job_scheduling_latency_milliseconds",
                        "From a job's creation to each cycle that gave its tasks nodes."),
                 "");
  const std::string_view task = family("volcano_task_scheduling_latency_milliseconds",
                                       "From a pod's creation until it was seen, given a node, and bound.");
  all.assumed.append(out, task, one_label("stage", "Assumed"));
  all.bound.append(out, task, one_label("stage", "Bound"));
  all.watched.append(out, task, one_label("stage", "Watched"));
  all.bind_stage.append(
      out, family("volcano_scheduling_stage_duration_milliseconds", "From a bind sent to its confirmation."),
      one_label("stage", "Bind"));
}

void SchedulerMetrics::append_cycles(std::string& out) const {
  const Series& series = *series_;
  const std::lock_guard hold(series.lock);
  constexpr std::string_view kAction = "volcano_action_scheduling_latency_milliseconds";
  append_family(out, kAction, "histogram", "How long actions took.");
  for (const auto& [name, histogram] : series.actions) histogram.append(out, kAction, one_label("action", name));

  constexpr std::string_view kAttempts = "volcano_schedule_attempts_total";
  append_family(out, kAttempts, "counter", "Attempts to place pods by how they ended.");
  const double errors =
      load(end_of(CountedWrite::Bind, WriteEnd::Refused)) + load(end_of(CountedWrite::Bind, WriteEnd::Unsure));
  append_series(out, kAttempts, one_label("result", "error"), errors);
  append_series(out, kAttempts, one_label("result", "scheduled"), static_cast<double>(series.scheduled));
  append_series(out, kAttempts, one_label("result", "unschedulable"), static_cast<double>(series.unschedulable));

  append_value(out, "volcano_pod_preemption_victims", "gauge", "Pods evicted by the last cycle that preempted.",
               static_cast<double>(series.victims));
  append_value(out, "volcano_total_preemption_attempts", "counter", "Tasks for which others were preempted.",
               static_cast<double>(series.preemptions));
  constexpr std::string_view kTransactions = "volcano_eviction_transactions_total";
  append_family(out, kTransactions, "counter", "Evictions for one job by one action.");
  for (size_t i = 0; i < kEvictingActions.size(); ++i) {
    append_series(out, kTransactions, one_label("action", kEvictingActions[i]),
                  static_cast<double>(series.evictions[i]));
  }
  series.objects.append(out);

  constexpr std::string_view kCycles = "basalt_scheduler_cycles_total";
  append_family(out, kCycles, "counter", "Cycles: decided something, found nothing to do, or skipped.");
  append_series(out, kCycles, one_label("result", "decided"), static_cast<double>(series.decided));
  append_series(out, kCycles, one_label("result", "nothing"), static_cast<double>(series.nothing));
  append_series(out, kCycles, one_label("result", "skipped"), static_cast<double>(series.skipped));
  constexpr std::string_view kPhase = "basalt_scheduler_phase_seconds_total";
  append_family(out, kPhase, "counter", "Time spent in each phase of cycles.");
  for (const auto& [name, time] : series.phases) {
    append_series(out, kPhase, one_label("phase", name), static_cast<double>(time.nanos) / 1e9);
  }
}

void SchedulerMetrics::policy(uint64_t generation, bool refused,
                              std::vector<std::pair<std::string, std::string>> skipped) {
  policy_generation_.store(generation, std::memory_order_relaxed);
  policy_refused_.store(refused ? 1 : 0, std::memory_order_relaxed);
  std::ranges::sort(skipped);
  const auto [first, last] = std::ranges::unique(skipped);
  skipped.erase(first, last);
  const std::lock_guard lock(series_->lock);
  series_->policy_skipped = std::move(skipped);
}

void SchedulerMetrics::append_policy(std::string& out) const {
  append_value(out, "basalt_scheduler_policy_generation", "gauge", "Moves with every conf that is put in force.",
               load(policy_generation_));
  append_value(out, "basalt_scheduler_policy_refused", "gauge",
               "1: the conf that is written is not in force, because it is wrong.", load(policy_refused_));
  constexpr std::string_view kSkipped = "basalt_scheduler_policy_skipped";
  append_family(out, kSkipped, "gauge", "What the conf names, Volcano has, and is left out here.");
  const std::lock_guard lock(series_->lock);
  for (const auto& [kind, name] : series_->policy_skipped) {
    append_series(out, kSkipped, text::one_label("kind", kind) + "," + text::one_label("name", name), 1);
  }
}

void SchedulerMetrics::append_loop(std::string& out) const {
  constexpr std::string_view kWakeups = "basalt_scheduler_wakeups_total";
  append_family(out, kWakeups, "counter", "Why cycles ran.");
  for (size_t i = 0; i < kCycleTriggers; ++i)
    append_series(out, kWakeups, one_label("reason", kWakeNames[i]), load(triggers_[i]));

  append_value(out, "basalt_scheduler_binds_total", "counter", "Binds that the API accepted.",
               load(end_of(CountedWrite::Bind, WriteEnd::Done)));
  for (const auto& [name, help, end] :
       {std::tuple("basalt_scheduler_writes_total", "Writes that the API accepted.", WriteEnd::Done),
        std::tuple("basalt_scheduler_refused_writes_total", "Writes that the API refused.", WriteEnd::Refused),
        std::tuple("basalt_scheduler_unsure_writes_total", "Writes of unknown outcome.", WriteEnd::Unsure)}) {
    append_family(out, name, "counter", help);
    for (size_t i = 0; i < kWrites; ++i) {
      append_series(out, name, one_label("write", kWriteNames[i]), load(end_of(static_cast<CountedWrite>(i), end)));
    }
  }
  append_value(out, "basalt_scheduler_events_dropped_total", "counter", "Events given up because too many waited.",
               load(events_dropped_));
  append_value(out, "basalt_scheduler_unreadable_objects", "gauge", "Objects whose present state can not be read.",
               load(bad_objects_));
}

void SchedulerMetrics::append_self_check(std::string& out) const {
  append_value(out, "basalt_scheduler_self_checks_total", "counter", "Comparisons of the state with a rebuild.",
               load(self_checks_));
  append_value(out, "basalt_scheduler_self_checks_failed_total", "counter", "Rebuilds that could not be made.",
               load(self_checks_failed_));
  append_value(out, "basalt_scheduler_self_check_differences", "gauge", "Confirmed differences of the last self-check.",
               load(differences_now_));
  append_value(out, "basalt_scheduler_self_check_differences_total", "counter", "Confirmed differences so far.",
               load(differences_total_));
  append_value(out, "basalt_scheduler_self_check_seconds", "gauge", "How long the last self-check took.",
               load(self_check_nanos_) / 1e9);
}

}  // namespace basalt::scheduler

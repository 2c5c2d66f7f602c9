#include "control/scheduler/scheduler_metrics.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "control/scheduler/object_series.h"
#include "control/scheduler/scheduler_page.h"
#include "kube/text/prometheus.h"

namespace basalt::scheduler {
namespace {

using SkippedWords = std::vector<std::pair<std::string, std::string>>;  // kind, name

double seconds_of_phase(Duration took) { return static_cast<double>(took.nanos) / 1e9; }

void append_skipped(std::string& out, const SkippedWords& skipped) {
  constexpr std::string_view kSkipped = "basalt_scheduler_policy_skipped";
  text::append_family(out, kSkipped, "gauge", "What the conf names, Volcano has, and is left out here.");
  for (const auto& [kind, name] : skipped) {
    text::append_series(out, kSkipped, text::one_label("kind", kind) + "," + text::one_label("name", name), 1);
  }
}

}  // namespace

struct SchedulerMetrics::Series {
  mutable std::mutex lock;
  ObjectSeries objects;
  uint64_t gauges_version = 0;  // of the state; 0: something was decided since
  Instant gauges_due;
  SkippedWords policy_skipped;  // as many as a conf names
};

SchedulerMetrics::SchedulerMetrics() : page_(std::make_unique<SchedulerPage>()), series_(std::make_unique<Series>()) {
  page_->policy_generation.set(1);
  page_->page.read_here([&series = *series_](std::string& out) {
    const std::lock_guard hold(series.lock);
    series.objects.append(out);
    append_skipped(out, series.policy_skipped);
  });
}
SchedulerMetrics::~SchedulerMetrics() = default;

void SchedulerMetrics::count_times(const CycleTimes& times) {
  page_->cycle.observe_ms(times.total);
  page_->open.observe_ms(times.open);
  page_->phases.at({"open"}).add(seconds_of_phase(times.open));
  page_->phases.at({"close"}).add(seconds_of_phase(times.close));
  for (const auto& [action, took] : times.actions) {
    page_->actions.at({action}).observe_ms(took);
    page_->phases.at({action}).add(seconds_of_phase(took));
  }
}

// A transaction is what one action evicted for one job; an attempt, what it evicted for one task.
void SchedulerMetrics::count_evictions(const engine::Decisions& decisions, const model::ClusterState& state) {
  std::set<std::pair<std::string_view, model::JobId>> transactions;
  std::set<model::TaskId> preemptors;
  uint64_t preempted = 0;
  for (const engine::Evict& evict : decisions.evicts) {
    const auto at = std::find(kEvictingActions.begin(), kEvictingActions.end(), evict.reason);
    if (at == kEvictingActions.end()) continue;
    transactions.emplace(*at, evict.preemptor.valid() ? state.task(evict.preemptor).job : model::JobId());
    if (!at->ends_with("preempt")) continue;
    ++preempted;
    preemptors.insert(evict.preemptor);
  }
  for (const auto& [action, job] : transactions) page_->evictions.at({action}).add();
  page_->preemptions.add(static_cast<double>(preemptors.size()));
  if (preempted > 0) page_->victims.set(static_cast<double>(preempted));
}

void SchedulerMetrics::cycle(const CycleTimes& times, const engine::CycleResult& result,
                             const model::ClusterState& state, Instant now) {
  if (result.skipped) return page_->cycles.at({"skipped"}).add();
  Series& series = *series_;
  const std::lock_guard hold(series.lock);
  const engine::Decisions& decisions = result.decisions;
  const bool decided = !decisions.binds.empty() || !decisions.evicts.empty() || !decisions.gate_removals.empty();
  page_->cycles.at({decided ? "decided" : "nothing"}).add();
  if (decided || !result.report.jobs.empty()) series.gauges_version = 0;
  count_times(times);
  page_->attempts.at({"scheduled"}).add(static_cast<double>(decisions.binds.size()));
  std::set<model::JobId> given;
  for (const engine::Bind& bind : decisions.binds) {
    const model::Task& task = state.task(bind.task);
    page_->task_assumed.observe_ms(now - task.created);
    if (task.job.valid()) given.insert(task.job);
  }
  for (const model::JobId job : given) {
    page_->job.observe_ms(now - state.job(job).created);
    series.objects.assumed(state, job, now);
  }
  for (const engine::JobReport& job : result.report.jobs) {
    const auto failed = std::ranges::count_if(job.tasks, [](const auto& task) { return task.failure.has_value(); });
    page_->attempts.at({"unschedulable"}).add(static_cast<double>(failed));
    if (job.gang && !job.gang->schedulable) series.objects.retried(state, job.job);
  }
  count_evictions(decisions, state);
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

void SchedulerMetrics::triggered(CycleTrigger why) {
  page_->triggers.at({kTriggerWords[static_cast<size_t>(why)]}).add();
}

void SchedulerMetrics::watched(Instant created, Instant now) { page_->task_watched.observe_ms(now - created); }

void SchedulerMetrics::bound(Instant created, Instant sent, Instant now) {
  page_->task_bound.observe_ms(now - created);
  page_->bind_stage.observe_ms(now - sent);
}

void SchedulerMetrics::write_ended(CountedWrite what, WriteEnd how) {
  const std::string_view word = kWriteWords[static_cast<size_t>(what)];
  if (how == WriteEnd::Done) page_->written.at({word}).add();
  if (how == WriteEnd::Refused) page_->refused.at({word}).add();
  if (how == WriteEnd::Unsure) page_->unsure.at({word}).add();
  if (what == CountedWrite::Bind) (how == WriteEnd::Done ? page_->binds : page_->attempts.at({"error"})).add();
}

void SchedulerMetrics::events_dropped(uint64_t count) { page_->events_dropped.add(static_cast<double>(count)); }

void SchedulerMetrics::bad_objects(uint64_t now_bad) { page_->bad_objects.set(static_cast<double>(now_bad)); }

void SchedulerMetrics::self_checked(size_t differences, Duration took) {
  page_->self_checks.add();
  page_->differences_now.set(static_cast<double>(differences));
  page_->differences_total.add(static_cast<double>(differences));
  page_->self_check_seconds.set(std::max(0.0, seconds_of_phase(took)));
}

void SchedulerMetrics::self_check_failed() { page_->self_checks_failed.add(); }

void SchedulerMetrics::policy(uint64_t generation, bool refused, SkippedWords skipped) {
  page_->policy_generation.set(static_cast<double>(generation));
  page_->policy_refused.set(refused ? 1 : 0);
  std::ranges::sort(skipped);
  const auto [first, last] = std::ranges::unique(skipped);
  skipped.erase(first, last);
  const std::lock_guard lock(series_->lock);
  series_->policy_skipped = std::move(skipped);
}

std::string SchedulerMetrics::text() const { return page_->page.text(); }

}  // namespace basalt::scheduler

// The metrics that the scheduler counts: names, help, labels and buckets, in the order of the page. Names, labels and
// buckets are Volcano's where it has the same figure. SchedulerMetrics says when they move.
#pragma once

#include <array>
#include <string_view>

#include "kube/text/metric_registry.h"

namespace basalt::scheduler {

inline constexpr size_t kMaxCountedActions = 32;  // with a latency of their own

// In the order of CycleTrigger and CountedWrite.
inline constexpr std::array<std::string_view, 4> kTriggerWords = {"news", "answer", "period", "policy"};
inline constexpr std::array<std::string_view, 7> kWriteWords = {"bind",         "evict", "gate", "podgroup",
                                                                "podcondition", "queue", "event"};
inline constexpr std::array<std::string_view, 4> kEvictingActions = {"preempt", "reclaim", "gangpreempt",
                                                                     "gangreclaim"};
inline constexpr std::array<std::string_view, 3> kAttemptEnds = {"error", "scheduled", "unschedulable"};
inline constexpr std::array<std::string_view, 3> kCycleEnds = {"decided", "nothing", "skipped"};

struct SchedulerPage {
  text::MetricRegistry page;

  text::Histogram& cycle = page.histogram("volcano_e2e_scheduling_latency_milliseconds", "How long cycles took.",
                                          text::exponential_bounds(1, 5000, 20));
  text::Histogram& open = page.histogram("volcano_open_session_duration_milliseconds", "How long opening a cycle took.",
                                         text::exponential_bounds(1, 5000, 20));
  text::Histogram& job = page.histogram("volcano_e2e_job_scheduling_latency_milliseconds",
                                        "From a job's creation to each cycle that gave its tasks nodes.",
                                        text::exponential_bounds(100, 120'000, 30));
  text::Histograms& task = page.histograms({.name = "volcano_task_scheduling_latency_milliseconds",
                                            .help = "From a pod's creation until it was seen, given a node, and bound.",
                                            .labels = {"stage"},
                                            .bounds = text::exponential_bounds(50, 60'000, 30)});
  text::Histogram& task_assumed = task.at({"Assumed"});
  text::Histogram& task_bound = task.at({"Bound"});
  text::Histogram& task_watched = task.at({"Watched"});
  text::Histogram& bind_stage = page.histograms({.name = "volcano_scheduling_stage_duration_milliseconds",
                                                 .help = "From a bind sent to its confirmation.",
                                                 .labels = {"stage"},
                                                 .bounds = text::exponential_bounds(0.1, 500, 20)})
                                    .at({"Bind"});
  text::Histograms& actions = page.histograms({.name = "volcano_action_scheduling_latency_milliseconds",
                                               .help = "How long actions took.",
                                               .labels = {"action"},
                                               .most_series = kMaxCountedActions,
                                               .bounds = text::exponential_bounds(1, 2000, 20)});
  text::Counters& attempts =
      page.counters({"volcano_schedule_attempts_total", "Attempts to place pods by how they ended.", {"result"}})
          .with(kAttemptEnds);
  text::Gauge& victims = page.gauge("volcano_pod_preemption_victims", "Pods evicted by the last cycle that preempted.");
  text::Counter& preemptions =
      page.counter("volcano_total_preemption_attempts", "Tasks for which others were preempted.");
  text::Counters& evictions =
      page.counters({"volcano_eviction_transactions_total", "Evictions for one job by one action.", {"action"}})
          .with(kEvictingActions);

  text::Counters& cycles = page.counters({"basalt_scheduler_cycles_total",
                                          "Cycles: decided something, found nothing to do, or skipped.",
                                          {"result"}})
                               .with(kCycleEnds);
  text::Counters& phases = page.counters({.name = "basalt_scheduler_phase_seconds_total",
                                          .help = "Time spent in each phase of cycles.",
                                          .labels = {"phase"},
                                          .most_series = kMaxCountedActions + 2});  // open and close
  text::Counters& triggers =
      page.counters({"basalt_scheduler_wakeups_total", "Why cycles ran.", {"reason"}}).with(kTriggerWords);

  text::Counter& binds = page.counter("basalt_scheduler_binds_total", "Binds that the API accepted.");
  text::Counters& written =
      page.counters({"basalt_scheduler_writes_total", "Writes that the API accepted.", {"write"}}).with(kWriteWords);
  text::Counters& refused =
      page.counters({"basalt_scheduler_refused_writes_total", "Writes that the API refused.", {"write"}})
          .with(kWriteWords);
  text::Counters& unsure =
      page.counters({"basalt_scheduler_unsure_writes_total", "Writes of unknown outcome.", {"write"}})
          .with(kWriteWords);
  text::Counter& events_dropped =
      page.counter("basalt_scheduler_events_dropped_total", "Events given up because too many waited.");
  text::Gauge& bad_objects =
      page.gauge("basalt_scheduler_unreadable_objects", "Objects whose present state can not be read.");

  text::Gauge& policy_generation =
      page.gauge("basalt_scheduler_policy_generation", "Moves with every conf that is put in force.");
  text::Gauge& policy_refused = page.gauge("basalt_scheduler_policy_refused",
                                           "1: the conf that is written is not in force, because it is wrong.");

  text::Counter& self_checks =
      page.counter("basalt_scheduler_self_checks_total", "Comparisons of the state with a rebuild.");
  text::Counter& self_checks_failed =
      page.counter("basalt_scheduler_self_checks_failed_total", "Rebuilds that could not be made.");
  text::Gauge& differences_now =
      page.gauge("basalt_scheduler_self_check_differences", "Confirmed differences of the last self-check.");
  text::Counter& differences_total =
      page.counter("basalt_scheduler_self_check_differences_total", "Confirmed differences so far.");
  text::Gauge& self_check_seconds =
      page.gauge("basalt_scheduler_self_check_seconds", "How long the last self-check took.");
};

}  // namespace basalt::scheduler

#include "control/scheduler/scheduler_metrics.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "control/scheduler/object_series.h"
#include "control/scheduler/state/active_policy.h"
#include "control/scheduler/state_fixture.h"
#include "engine/core/cycle.h"

namespace basalt::scheduler {
namespace {

// Every line as a series, after a check of the format: a head before its series, no series twice.
std::map<std::string, double> read(const std::string& text) {
  std::map<std::string, double> series;
  std::set<std::string> families;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(families.insert(line.substr(7, line.find(' ', 7) - 7)).second) << "twice: " << line;
    }
    if (line.starts_with("#")) continue;
    const size_t blank = line.rfind(' ');
    EXPECT_NE(blank, std::string::npos) << line;
    EXPECT_TRUE(series.emplace(line.substr(0, blank), std::stod(line.substr(blank + 1))).second) << "twice: " << line;
    std::string family = line.substr(0, line.find_first_of("{ "));
    for (const std::string_view ending : {"_bucket", "_sum", "_count"}) {
      if (!families.contains(family) && family.ends_with(ending)) family.resize(family.size() - ending.size());
    }
    EXPECT_TRUE(families.contains(family)) << line;
  }
  return series;
}

double value(const SchedulerMetrics& metrics, const std::string& name) {
  const auto series = read(metrics.text());
  const auto at = series.find(name);
  EXPECT_NE(at, series.end()) << name;
  return at == series.end() ? -1 : at->second;
}

bool has(const SchedulerMetrics& metrics, const std::string& name) { return read(metrics.text()).contains(name); }

TEST(CycleClock, GivesEachPhaseItsTime) {
  int64_t ms = 1000;
  CycleClock clock([&ms] { return Instant{ms * 1'000'000}; });
  const auto phase = [&](std::string_view name, int64_t took) {
    clock.phase(name);
    ms += took;
  };
  phase("open", 2);
  phase("enqueue", 3);
  phase("allocate", 5);
  phase("close", 7);
  phase("done", 100);
  const CycleTimes times = clock.take();
  EXPECT_EQ(times.open, Duration::millis(2));
  EXPECT_EQ(times.close, Duration::millis(7));
  EXPECT_EQ(times.total, Duration::millis(17));
  ASSERT_EQ(times.actions.size(), 2U);
  EXPECT_EQ(times.actions[1], (std::pair<std::string, Duration>("allocate", Duration::millis(5))));

  phase("open", 1);  // a skipped cycle
  phase("done", 0);
  const CycleTimes skipped = clock.take();
  EXPECT_EQ(skipped.total, Duration::millis(1));
  EXPECT_TRUE(skipped.actions.empty());

  CycleClock without(nullptr);
  for (const std::string_view name : {"open", "allocate", "close", "done"}) without.phase(name);
  EXPECT_EQ(without.take().total, Duration());
}

TEST(SchedulerMetrics, TheTextOfNothingIsWellFormedAndHasTheNames) {
  const SchedulerMetrics metrics;
  const std::string text = metrics.text();
  EXPECT_FALSE(read(text).empty());
  for (const std::string_view name : {"volcano_e2e_scheduling_latency_milliseconds",
                                      "volcano_open_session_duration_milliseconds",
                                      "volcano_e2e_job_scheduling_latency_milliseconds",
                                      "volcano_e2e_job_scheduling_duration",
                                      "volcano_e2e_job_scheduling_start_time",
                                      "volcano_e2e_job_scheduling_last_time",
                                      "volcano_action_scheduling_latency_milliseconds",
                                      "volcano_task_scheduling_latency_milliseconds",
                                      "volcano_scheduling_stage_duration_milliseconds",
                                      "volcano_schedule_attempts_total",
                                      "volcano_pod_preemption_victims",
                                      "volcano_total_preemption_attempts",
                                      "volcano_eviction_transactions_total",
                                      "volcano_unschedule_task_count",
                                      "volcano_unschedule_job_count",
                                      "volcano_job_share",
                                      "volcano_job_retry_counts",
                                      "volcano_queue_allocated_milli_cpu",
                                      "volcano_queue_request_memory_bytes",
                                      "volcano_queue_deserved_scalar_resources",
                                      "volcano_queue_capacity_milli_cpu",
                                      "volcano_queue_real_capacity_milli_cpu",
                                      "volcano_queue_inqueue_milli_cpu",
                                      "volcano_queue_share",
                                      "volcano_queue_weight",
                                      "volcano_queue_overused",
                                      "volcano_queue_pod_group_running_count",
                                      "basalt_scheduler_self_check_differences",
                                      "basalt_scheduler_binds_total",
                                      "basalt_scheduler_refused_writes_total",
                                      "basalt_scheduler_wakeups_total",
                                      "basalt_scheduler_phase_seconds_total"}) {
    EXPECT_NE(text.find("# TYPE " + std::string(name) + " "), std::string::npos) << name;
  }
}

// A real cycle on a small cluster: one gang that fits.
class CycleMetricsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string_view yaml : whole_cluster()) world_.apply(yaml);
  }
  engine::CycleResult cycle(Instant now) {
    engine::CycleResult result = engine::run_cycle(world_.state, policy_.policy(), now, rng_, {.observer = &clock_});
    metrics_.cycle(clock_.take(), result, world_.state, now);
    metrics_.gauges(world_.state, policy_.spec(), now);
    return result;
  }
  StateFixture world_;
  state::ActivePolicy policy_;
  Rng rng_{1};
  int64_t ticks_ = 0;
  CycleClock clock_{[this] { return Instant{++ticks_ * 1'000'000}; }};
  SchedulerMetrics metrics_;
};

TEST_F(CycleMetricsTest, ABoundGangIsCounted) {
  ASSERT_EQ(cycle(kNow).decisions.binds.size(), 1U);
  EXPECT_EQ(value(metrics_, "volcano_schedule_attempts_total{result=\"scheduled\"}"), 1);
  EXPECT_EQ(value(metrics_, "volcano_e2e_scheduling_latency_milliseconds_count"), 1);
  EXPECT_EQ(value(metrics_, "volcano_action_scheduling_latency_milliseconds_count{action=\"allocate\"}"), 1);
  EXPECT_EQ(value(metrics_, "volcano_task_scheduling_latency_milliseconds_sum{stage=\"Assumed\"}"), 9000);
  const std::string job = "{job_name=\"train\",job_namespace=\"team\",queue=\"default\"}";
  EXPECT_EQ(value(metrics_, "volcano_e2e_job_scheduling_duration" + job), 10'000);
  EXPECT_EQ(value(metrics_, "volcano_e2e_job_scheduling_start_time" + job), 1'767'225'600);
  EXPECT_EQ(value(metrics_, "volcano_e2e_job_scheduling_last_time" + job), 1'767'225'610);
  EXPECT_EQ(value(metrics_, "volcano_unschedule_task_count{job_id=\"train\"}"), 0);
  EXPECT_EQ(value(metrics_, "volcano_unschedule_job_count"), 0);
  EXPECT_EQ(value(metrics_, "basalt_scheduler_cycles_total{result=\"decided\"}"), 1);
  EXPECT_EQ(value(metrics_, "basalt_scheduler_phase_seconds_total{phase=\"allocate\"}"), 0.001);
}

TEST_F(CycleMetricsTest, QueuesShowWhatTheyHoldAndDeserve) {
  cycle(kNow);
  const std::string queue = "{queue_name=\"default\"}";
  EXPECT_EQ(value(metrics_, "volcano_queue_allocated_milli_cpu" + queue), 3000);
  EXPECT_EQ(value(metrics_, "volcano_queue_allocated_memory_bytes" + queue), 3 * 1024.0 * 1024 * 1024);
  EXPECT_EQ(value(metrics_, "volcano_queue_request_milli_cpu" + queue), 3000);
  EXPECT_EQ(value(metrics_, "volcano_queue_deserved_milli_cpu" + queue), 3000);
  EXPECT_EQ(value(metrics_, "volcano_queue_capacity_milli_cpu" + queue), 20'000);
  EXPECT_EQ(value(metrics_, "volcano_queue_real_capacity_milli_cpu" + queue), 20'000);
  EXPECT_EQ(value(metrics_, "volcano_queue_share" + queue), 1);
  EXPECT_EQ(value(metrics_, "volcano_queue_overused" + queue), 1) << "it holds all that it asks for";
  EXPECT_EQ(value(metrics_, "volcano_queue_weight" + queue), 2);
  const std::string gpu = "{queue_name=\"default\",resource=\"nvidia.com/gpu\"}";
  EXPECT_EQ(value(metrics_, "volcano_queue_allocated_scalar_resources" + gpu), 0);
  EXPECT_FALSE(has(metrics_, "volcano_queue_capacity_scalar_resources" + gpu)) << "no limit was given";
  EXPECT_EQ(value(metrics_, "volcano_job_share{job_id=\"train\",job_ns=\"team\"}"), 3000.0 / 24'000);
}

TEST_F(CycleMetricsTest, TheCapacityPluginSaysOtherwiseWhatIsDeserved) {
  ASSERT_TRUE(policy_.load("actions: \"allocate\"\ntiers:\n- plugins:\n  - name: capacity\n"));
  metrics_.gauges(world_.state, policy_.spec(), kNow);
  EXPECT_EQ(value(metrics_, "volcano_queue_deserved_milli_cpu{queue_name=\"default\"}"), 10'000);
  EXPECT_EQ(value(metrics_,
                  "volcano_queue_deserved_scalar_resources{queue_name=\"default\",resource="
                  "\"nvidia.com/gpu\"}"),
            2000);
  EXPECT_EQ(value(metrics_, "volcano_queue_share{queue_name=\"default\"}"), 0.2);
  EXPECT_FALSE(has(metrics_, "volcano_job_share{job_id=\"train\",job_ns=\"team\"}")) << "no drf here";
}

TEST_F(CycleMetricsTest, AGangThatLacksTasksIsCounted) {
  world_.apply(with(kGroup, "minMember: 2", "minMember: 5"));
  cycle(kNow);
  EXPECT_EQ(value(metrics_, "volcano_unschedule_task_count{job_id=\"train\"}"), 4);
  EXPECT_EQ(value(metrics_, "volcano_unschedule_job_count"), 1);
  EXPECT_EQ(value(metrics_, "volcano_job_retry_counts{job_id=\"train\"}"), 1);
  // The same name in another namespace: one series, the sum.
  world_.apply(with(with(kGroup, "minMember: 2", "minMember: 3"), "namespace: team", "namespace: other"));
  world_.apply(with(with(kWaiting, "namespace: team", "namespace: other"), "uid: u0", "uid: u7"));
  metrics_.gauges(world_.state, policy_.spec(), kNow + Duration::seconds(1));
  EXPECT_EQ(value(metrics_, "volcano_unschedule_task_count{job_id=\"train\"}"), 4 + 3);
  EXPECT_EQ(value(metrics_, "volcano_unschedule_job_count"), 2);
}

TEST_F(CycleMetricsTest, SeriesGoAwayWithTheirObject) {
  cycle(kNow);
  const std::string job = "volcano_job_share{job_id=\"train\",job_ns=\"team\"}";
  const std::string queue = "volcano_queue_weight{queue_name=\"default\"}";
  EXPECT_TRUE(has(metrics_, job));
  world_.remove(kGroup);
  world_.remove(kQueue);
  metrics_.gauges(world_.state, policy_.spec(), kNow + Duration::millis(999));
  EXPECT_TRUE(has(metrics_, job)) << "read at most once a second";
  EXPECT_EQ(metrics_.gauges_due(world_.state), kNow + kGaugesEvery);
  metrics_.gauges(world_.state, policy_.spec(), kNow + Duration::seconds(1));
  EXPECT_FALSE(has(metrics_, job));
  EXPECT_FALSE(has(metrics_, queue));
  EXPECT_FALSE(metrics_.gauges_due(world_.state)) << "nothing has changed since";
}

TEST_F(CycleMetricsTest, SkippedCyclesAreOnlyCounted) {
  cycle(kNow);
  engine::CycleResult skipped;
  skipped.skipped = true;
  metrics_.cycle({}, skipped, world_.state, kNow);
  EXPECT_EQ(value(metrics_, "basalt_scheduler_cycles_total{result=\"skipped\"}"), 1);
  EXPECT_EQ(value(metrics_, "volcano_e2e_scheduling_latency_milliseconds_count"), 1);
}

TEST_F(CycleMetricsTest, EvictionsAreCountedByActionJobAndTask) {
  const model::TaskId victim = world_.task("u1"), preemptor = world_.task("u0");
  engine::CycleResult result;
  result.decisions.evicts = {{.task = victim, .preemptor = preemptor, .reason = "preempt"},
                             {.task = victim, .preemptor = preemptor, .reason = "preempt"},
                             {.task = victim, .preemptor = preemptor, .reason = "reclaim"},
                             {.task = victim, .preemptor = {}, .reason = "shuffle"}};
  metrics_.cycle({}, result, world_.state, kNow);
  EXPECT_EQ(value(metrics_, "volcano_pod_preemption_victims"), 2);
  EXPECT_EQ(value(metrics_, "volcano_total_preemption_attempts"), 1);
  EXPECT_EQ(value(metrics_, "volcano_eviction_transactions_total{action=\"preempt\"}"), 1);
  EXPECT_EQ(value(metrics_, "volcano_eviction_transactions_total{action=\"reclaim\"}"), 1);
  EXPECT_FALSE(has(metrics_, "volcano_eviction_transactions_total{action=\"shuffle\"}"));
}

TEST(SchedulerMetrics, SeriesOfJobsAreBounded) {
  StateFixture fixture;
  fixture.apply(kQueue);
  auto group = std::get<api::PodGroup>(decode_yaml(kGroup).front());
  for (size_t i = 0; i < kMaxJobSeries + 100; ++i) {
    group.metadata.name = "job-" + std::to_string(i);
    ASSERT_TRUE(fixture.updater.apply(group));
  }
  SchedulerMetrics metrics;
  metrics.gauges(fixture.state, state::ActivePolicy().spec(), kNow);
  size_t shares = 0;
  for (const auto& [name, number] : read(metrics.text())) shares += name.starts_with("volcano_job_share{") ? 1 : 0;
  EXPECT_EQ(shares, kMaxJobSeries);
  EXPECT_EQ(value(metrics, "volcano_queue_pod_group_inqueue_count{queue_name=\"default\"}"), kMaxJobSeries + 100);
}

TEST(SchedulerMetrics, WritesWakesAndChecks) {
  SchedulerMetrics metrics;
  metrics.triggered(CycleTrigger::Change);
  metrics.triggered(CycleTrigger::Period);
  metrics.triggered(CycleTrigger::Period);
  metrics.write_ended(CountedWrite::Bind, WriteEnd::Done);
  metrics.write_ended(CountedWrite::Bind, WriteEnd::Refused);
  metrics.write_ended(CountedWrite::PodGroup, WriteEnd::Unsure);
  metrics.events_dropped(7);
  metrics.bad_objects(3);
  metrics.watched(kNow, kNow + Duration::millis(70));
  metrics.bound(kNow, kNow + Duration::millis(80), kNow + Duration::millis(90));
  metrics.self_checked(2, Duration::millis(250));
  metrics.self_checked(1, Duration::millis(500));
  EXPECT_EQ(value(metrics, "basalt_scheduler_wakeups_total{reason=\"period\"}"), 2);
  EXPECT_EQ(value(metrics, "basalt_scheduler_binds_total"), 1);
  EXPECT_EQ(value(metrics, "basalt_scheduler_refused_writes_total{write=\"bind\"}"), 1);
  EXPECT_EQ(value(metrics, "basalt_scheduler_unsure_writes_total{write=\"podgroup\"}"), 1);
  EXPECT_EQ(value(metrics, "volcano_schedule_attempts_total{result=\"error\"}"), 1);
  EXPECT_EQ(value(metrics, "basalt_scheduler_events_dropped_total"), 7);
  EXPECT_EQ(value(metrics, "basalt_scheduler_unreadable_objects"), 3);
  EXPECT_EQ(value(metrics, "volcano_task_scheduling_latency_milliseconds_sum{stage=\"Watched\"}"), 70);
  EXPECT_EQ(value(metrics, "volcano_task_scheduling_latency_milliseconds_sum{stage=\"Bound\"}"), 90);
  EXPECT_EQ(value(metrics, "volcano_scheduling_stage_duration_milliseconds_sum{stage=\"Bind\"}"), 10);
  EXPECT_EQ(value(metrics, "basalt_scheduler_self_check_differences"), 1);
  EXPECT_EQ(value(metrics, "basalt_scheduler_self_check_differences_total"), 3);
  EXPECT_EQ(value(metrics, "basalt_scheduler_self_check_seconds"), 0.5);
}

TEST(SchedulerMetrics, ReadersAndWritersDoNotDisturbEachOther) {
  StateFixture fixture;
  for (const std::string_view yaml : whole_cluster()) fixture.apply(yaml);
  const state::ActivePolicy policy;
  SchedulerMetrics metrics;
  std::thread reader([&] {
    for (int i = 0; i < 50; ++i) EXPECT_FALSE(metrics.text().empty());
  });
  for (int i = 0; i < 200; ++i) {
    metrics.bound(kNow, kNow, kNow);
    metrics.cycle({.actions = {{"a" + std::to_string(i), {}}}}, {}, fixture.state, kNow);
    fixture.state.note_limits_changed();
    metrics.gauges(fixture.state, policy.spec(), kNow + Duration::seconds(i));
  }
  reader.join();
  EXPECT_EQ(value(metrics, "volcano_task_scheduling_latency_milliseconds_count{stage=\"Bound\"}"), 200);
}

}  // namespace
}  // namespace basalt::scheduler

#include "lab/bench/bench_case.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"
#include "engine/core/cycle.h"
#include "engine/policy/build_policy.h"
#include "lab/bench/generated_cluster.h"

namespace basalt::lab {

namespace {

using Clock = std::chrono::steady_clock;
constexpr Instant kNow = Instant::from_unix_seconds(1'800'000'000);
constexpr uint64_t kCaseSeed = 1;

double ms_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

class PhaseTimer final : public engine::CycleObserver {
 public:
  void phase(std::string_view name) override { marks_.emplace_back(std::string(name), Clock::now()); }
  [[nodiscard]] double total_ms() const { return ms_between(marks_.front().second, marks_.back().second); }
  [[nodiscard]] std::vector<std::pair<std::string, double>> phases() const {
    std::vector<std::pair<std::string, double>> out;
    for (size_t i = 0; i + 1 < marks_.size(); ++i) {
      out.emplace_back(marks_[i].first, ms_between(marks_[i].second, marks_[i + 1].second));
    }
    return out;
  }

 private:
  std::vector<std::pair<std::string, Clock::time_point>> marks_;
};

engine::Policy policy_of(const policy::PolicySpec& spec) {
  auto policy = policy::build_policy(spec);
  check(policy.has_value(), "the stock policy is valid");
  return std::move(*policy);
}
engine::Policy stock_policy() { return policy_of(policy::default_policy_spec()); }

ClusterPlan plan_of(const BenchCase& self) {
  ClusterPlan plan;
  plan.nodes = self.nodes;
  plan.jobs = self.jobs;
  plan.gang = self.gang;
  plan.templates = self.templates;
  plan.distinct = self.distinct;
  plan.all_distinct = self.all_distinct;
  return plan;
}

BenchResult timed_cycle(const BenchCase& self, model::ClusterState& state, const engine::Policy& policy) {
  Rng rng(kCaseSeed);
  PhaseTimer timer;
  const uint64_t before = engine::class_node_evaluations(state);
  const engine::CycleResult result = engine::run_cycle(state, policy, kNow, rng, {.observer = &timer});
  return {.name = self.name,
          .cycle_ms = timer.total_ms(),
          .phases_ms = timer.phases(),
          .placed = result.decisions.binds.size() + result.decisions.evicts.size(),  // no case has both
          .evaluations = engine::class_node_evaluations(state) - before,
          .nodes = self.nodes,
          .pods = self.jobs * self.gang};
}

// Everything pending, everything fits: one cycle places it all.
BenchResult place_all(const BenchCase& self) {
  model::ClusterState state;
  const ClusterPlan plan = plan_of(self);
  add_nodes(state, plan);
  add_pending_gangs(state, plan, "job");
  BenchResult result = timed_cycle(self, state, stock_policy());
  result.expected = self.jobs * self.gang;
  result.what = "all placed in one cycle";
  return result;
}

void settle(model::ClusterState& state, const engine::Policy& policy) {
  Rng rng(kCaseSeed);
  for (int i = 0; i < 3; ++i) engine::run_cycle(state, policy, kNow, rng);
}

constexpr size_t kFullPodsPerNode = 10;

// A full cluster and a crowd that cannot run, after cycles in which that became clear.
void fill_and_settle(model::ClusterState& state, const BenchCase& self, const engine::Policy& policy) {
  const ClusterPlan plan = plan_of(self);
  add_nodes(state, plan);
  fill_nodes(state, plan, kFullPodsPerNode);
  add_pending_gangs(state, plan, "job");
  settle(state, policy);
}

BenchResult stand_still(const BenchCase& self) {
  model::ClusterState state;
  const engine::Policy policy = stock_policy();
  fill_and_settle(state, self, policy);
  BenchResult result = timed_cycle(self, state, policy);
  result.what = "full nodes, unschedulable pods, nothing changed";
  return result;
}

// One running pod ends: every remembered failure must be looked at again.
BenchResult one_change(const BenchCase& self) {
  model::ClusterState state;
  const engine::Policy policy = stock_policy();
  fill_and_settle(state, self, policy);
  state.remove_task("old-000000-worker-0");
  BenchResult result = timed_cycle(self, state, policy);
  result.what = "the same, after one running pod ended";
  return result;
}

// One pod arrives in a full cluster.
BenchResult one_arrival(const BenchCase& self) {
  model::ClusterState state;
  ClusterPlan plan = plan_of(self);
  const engine::Policy policy = stock_policy();
  add_nodes(state, plan);
  plan.gang = 50;
  fill_nodes(state, plan, kFullPodsPerNode);
  settle(state, policy);
  plan.jobs = 1;
  plan.gang = 1;
  plan.only_queue = kIdleQueue;  // entitled to its share, so every node is looked at
  add_pending_gangs(state, plan, "late");
  BenchResult result = timed_cycle(self, state, policy);
  result.what = "one pod arrives, 10 running pods on every node, no room";
  return result;
}

// Eight running pods on every node, and gangs of 20 that need the place of one each.
BenchResult evict(const BenchCase& self, const char* action, const char* takers, const char* priority_class) {
  model::ClusterState state;
  policy::PolicySpec spec = policy::default_policy_spec();
  spec.actions = {"enqueue", "allocate", action, "backfill"};
  ClusterPlan plan = plan_of(self);
  plan.queues = 1;
  plan.let_in = true;
  plan.cpu_milli = 8000;
  add_nodes(state, plan);
  state.upsert_priority_class("high", 1000, false);
  plan.gang = 100;
  fill_nodes(state, plan, 8);
  plan.gang = self.gang;
  plan.priority_class = priority_class;
  plan.only_queue = takers;
  add_pending_gangs(state, plan, "taker");
  BenchResult result = timed_cycle(self, state, policy_of(spec));
  result.expected = self.jobs * self.gang;
  result.what = "full nodes, one victim for each pod that waits; placed: victims";
  return result;
}
BenchResult preempt(const BenchCase& self) { return evict(self, "preempt", nullptr, "high"); }
BenchResult reclaim(const BenchCase& self) { return evict(self, "reclaim", kIdleQueue, "high"); }
BenchResult preempt_in_vain(const BenchCase& self) {
  BenchResult result = evict(self, "preempt", nullptr, "");
  result.what = "the same with pods of equal priority: nobody may be evicted";
  result.expected = 0;
  return result;
}

}  // namespace

std::vector<BenchCase> eviction_cases() {
  std::vector<BenchCase> cases;
  using Evicting = std::pair<std::string, BenchResult (*)(const BenchCase&)>;
  for (const auto& [name, run] :
       {Evicting("preempt-", preempt), Evicting("reclaim-", reclaim), Evicting("in-vain-", preempt_in_vain)}) {
    for (const size_t nodes : {1000UL, 5000UL, 20000UL}) {
      cases.push_back({.name = name + std::to_string(nodes / 1000) + "k",
                       .run = run,
                       .nodes = nodes,
                       .jobs = nodes / 10,
                       .gang = 20});
    }
  }
  return cases;
}

std::vector<BenchCase> headline_cases() {
  return {
      {.name = "place-10k", .run = place_all, .nodes = 1000, .jobs = 200, .gang = 50, .distinct = true},
      {.name = "place-50k", .run = place_all, .nodes = 5000, .jobs = 500, .gang = 100, .distinct = true},
      {.name = "still-20k", .run = stand_still, .nodes = 5000, .jobs = 400, .gang = 50, .distinct = true},
      {.name = "change-20k", .run = one_change, .nodes = 5000, .jobs = 400, .gang = 50, .distinct = true},
      {.name = "arrival", .run = one_arrival, .nodes = 10000, .jobs = 1, .gang = 1},
  };
}

std::vector<BenchCase> growth_cases(bool all_distinct) {
  std::vector<BenchCase> cases;
  for (const size_t nodes : {1000UL, 2000UL, 5000UL, 10000UL, 20000UL, 50000UL}) {
    cases.push_back({.name = (all_distinct ? "own-class-" : "grow-") + std::to_string(nodes / 1000) + "k",
                     .run = place_all,
                     .nodes = nodes,
                     .jobs = nodes / 10,
                     .gang = 100,
                     .templates = 20,
                     .all_distinct = all_distinct});
  }
  return cases;
}

}  // namespace basalt::lab

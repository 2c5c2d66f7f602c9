// A random cluster and what happens to it, from a seed: same seed, same story.
//
// The story is told to schedulers in turns: settle() takes over what they decided, next_events() lets the world move on
// (binds are confirmed or fail, victims go, pods finish, nodes come and go, jobs arrive, queues change).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "tests/property/named_decisions.h"
#include "tests/property/random_cluster_plan.h"

namespace basalt::property {

class RandomCluster {
 public:
  explicit RandomCluster(uint64_t seed);

  [[nodiscard]] const RandomClusterPlan& plan() const { return plan_; }
  [[nodiscard]] Instant now() const { return now_; }

  // Bound pods are on their way, victims are being deleted, nominations are written.
  void settle(const NamedDecisions& decided);
  // Everything that happens before the next cycle. Each object is named once, so order does not matter.
  std::vector<PlanChange> next_events();
  // The same with nothing from outside: binds succeed and victims go.
  std::vector<PlanChange> calm_events();

 private:
  void add_node();
  void add_queue(const std::string& parent);
  void add_job();
  void add_limits();
  void start_pods();
  void add_rivals();
  void change_pods();
  void change_pod(const std::string& uid, bool eager);
  void change_one_thing();
  void remove(const std::string& uid, bool replaced);
  void change_nodes();
  void change_queues();
  void change_jobs();
  void change_priority_classes();
  void confirm_bind(const std::string& uid, PodPlan& pod, bool may_fail);
  void replace(const PodPlan& gone);
  void finish(PodPlan& pod);
  TemplatePlan random_template(const std::string& job, const std::string& role);
  void add_pod_terms(TemplatePlan& made, const std::string& job);
  void touch(PlanKind kind, const std::string& key) { pending_.insert({.kind = kind, .key = key}); }
  std::vector<PlanChange> take_changes();
  PlanAmounts random_quota(int64_t low_percent, int64_t high_percent);
  Instant at(int64_t seconds_ago) const { return {now_.nanos - Duration::seconds(seconds_ago).nanos}; }

  Rng rng_;
  RandomClusterPlan plan_;
  Instant now_ = Instant::from_unix_seconds(1'700'000'000);
  std::set<PlanChange> pending_;
  std::map<std::string, NodePlan> gone_nodes_;
  std::map<std::string, QueuePlan> gone_queues_;
  int64_t next_number_ = 0;
  bool uses_gpu_ = false;
  bool uses_terms_ = false;
  bool crowded_ = false;
};

}  // namespace basalt::property

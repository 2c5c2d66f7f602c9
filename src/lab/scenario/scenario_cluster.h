// The cluster that a scenario describes: API objects, kept beside the engine's state and fed into it as a watch would.
//
// apply() takes one line (node, queue, job, task, running, delete, advance …); settle() is what the rest of the cluster
// does after a cycle: bound pods start running, evicted ones go (with slow-deletion they stay Releasing), nominations
// are written, gates are removed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "control/scheduler/state/state_updater.h"
#include "engine/core/cycle.h"
#include "engine/model/cluster_state.h"
#include "kube/api/any_object.h"
#include "lab/scenario/line_fields.h"
#include "lab/scenario/scenario_script.h"

namespace basalt::lab::scenario {

inline constexpr int32_t kMaxPods = 20'000;   // of one line
inline constexpr int32_t kMaxNodes = 10'000;  // of one line

class ScenarioCluster {
 public:
  ScenarioCluster();
  ScenarioCluster(const ScenarioCluster&) = delete;
  ScenarioCluster& operator=(const ScenarioCluster&) = delete;

  // Errors say what is wrong and what to write instead, without the place.
  [[nodiscard]] Result<void> apply(const ScriptLine& line);
  void settle(const engine::CycleResult& result);

  [[nodiscard]] model::ClusterState& state() { return state_; }
  [[nodiscard]] Instant now() const { return clock_; }
  // Jobs in the order of their lines.
  [[nodiscard]] const std::vector<std::string>& job_names() const { return job_order_; }
  [[nodiscard]] model::JobId job_id(const std::string& name) const;
  [[nodiscard]] model::TaskId pod_id(const std::string& name) const;
  [[nodiscard]] bool has_pod(const std::string& name) const { return pods_.contains(name); }

 private:
  struct Job {
    api::PodGroup group;
    std::vector<std::string> pods;
    bool phase_given = false;
  };
  struct Verb {
    std::string_view name;
    Result<void> (ScenarioCluster::*run)(const ScriptLine&);
  };
  static const std::vector<Verb>& verbs();

  // object_lines.cc
  Result<void> add_node(const ScriptLine& line);
  Result<void> add_queue(const ScriptLine& line);
  Result<void> add_priority_class(const ScriptLine& line);
  Result<void> add_namespace(const ScriptLine& line);
  Result<void> add_budget(const ScriptLine& line);
  Result<void> add_quota(const ScriptLine& line);
  // job_lines.cc
  Result<void> add_job(const ScriptLine& line);
  Result<void> add_task(const ScriptLine& line);
  Result<void> add_pod(const ScriptLine& line);
  Result<void> add_sub_group(const ScriptLine& line);
  Result<void> add_pods(LineFields& fields, Job* job, api::Pod pod, const std::string& stem, int32_t count);
  Result<void> place(api::Pod& pod, const std::string& node, const std::string& status, Duration age);
  Result<void> read_priority(LineFields& fields, std::string_view key, api::Pod& pod);
  // event_lines.cc
  Result<void> run_pods(const ScriptLine& line);
  Result<void> finish_pods(const ScriptLine& line);
  Result<void> fail_pods(const ScriptLine& line);
  Result<void> terminate_pods(const ScriptLine& line);
  Result<void> ungate_pods(const ScriptLine& line);
  Result<void> cordon(const ScriptLine& line);
  Result<void> uncordon(const ScriptLine& line);
  Result<void> delete_object(const ScriptLine& line);
  Result<void> delete_named(const std::string& kind, const std::string& name);
  Result<void> set_now(const ScriptLine& line);
  Result<void> advance(const ScriptLine& line);
  Result<void> slow_deletion(const ScriptLine& line);
  Result<void> change_pods(const ScriptLine& line, void (*change)(api::Pod&, Instant));
  Result<void> set_unschedulable(const ScriptLine& line, bool unschedulable);
  Result<std::vector<std::string>> pods_named(const std::string& name) const;
  void forget_pod(const std::string& name);
  Result<void> settle_phase(Job& job);

  [[nodiscard]] Result<Job*> find_job(const std::string& name);
  [[nodiscard]] std::string next_uid();
  [[nodiscard]] Instant tick();

  model::ClusterState state_;
  state::StateUpdater updater_;
  std::map<std::string, api::Node> nodes_;
  std::map<std::string, api::Pod> pods_;  // by name alone: a scenario uses a name once
  std::map<std::string, Job> jobs_;
  std::vector<std::string> job_order_;
  std::map<std::string, int32_t> priority_classes_;
  Instant clock_;
  uint32_t next_uid_ = 1;
  bool slow_deletion_ = false;
};

// "n1..n3" → n1 n2 n3; "j1-0..2" → j1-0 j1-1 j1-2; anything else is itself.
[[nodiscard]] Result<std::vector<std::string>> expand_range(const std::string& name, int64_t max);

// What of a line describes a pod, as an object without a name.
[[nodiscard]] api::Pod read_pod(LineFields& fields);

// The word after the verb.
[[nodiscard]] Result<std::string> subject(const ScriptLine& line, std::string_view example);

}  // namespace basalt::lab::scenario

// The cluster that a scenario describes: API objects, kept beside the engine's state and fed into it as a watch would.
//
// apply() takes one line (node, queue, job, task, running, delete, advance …); settle() is what the rest of the world
// does after a cycle: bound pods start running, evicted ones go (with slow-deletion they stay Releasing), nominations
// are written, gates are removed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "control/scheduler/state/object_feed.h"
#include "engine/core/cycle.h"
#include "engine/model/cluster_state.h"
#include "kube/api/kinds.h"
#include "lab/scenario/fields.h"
#include "lab/scenario/script.h"

namespace basalt::lab::scenario {

inline constexpr int32_t kMaxPods = 20'000;   // of one line
inline constexpr int32_t kMaxNodes = 10'000;  // of one line

class World {
 public:
  World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Errors say what is wrong and what to write instead, without the place.
  [[nodiscard]] Result<void> apply(const Line& line);
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
    Result<void> (World::*run)(const Line&);
  };
  static const std::vector<Verb>& verbs();

  // object_lines.cc
  Result<void> add_node(const Line& line);
  Result<void> add_queue(const Line& line);
  Result<void> add_priority_class(const Line& line);
  Result<void> add_namespace(const Line& line);
  Result<void> add_budget(const Line& line);
  Result<void> add_quota(const Line& line);
  // job_lines.cc
  Result<void> add_job(const Line& line);
  Result<void> add_task(const Line& line);
  Result<void> add_pod(const Line& line);
  Result<void> add_sub_group(const Line& line);
  Result<void> add_pods(Fields& fields, Job* job, api::Pod pod, const std::string& stem, int32_t count);
  Result<void> place(api::Pod& pod, const std::string& node, const std::string& status, Duration age);
  Result<void> read_priority(Fields& fields, std::string_view key, api::Pod& pod);
  // event_lines.cc
  Result<void> run_pods(const Line& line);
  Result<void> finish_pods(const Line& line);
  Result<void> fail_pods(const Line& line);
  Result<void> terminate_pods(const Line& line);
  Result<void> ungate_pods(const Line& line);
  Result<void> cordon(const Line& line);
  Result<void> uncordon(const Line& line);
  Result<void> delete_object(const Line& line);
  Result<void> delete_named(const std::string& kind, const std::string& name);
  Result<void> set_now(const Line& line);
  Result<void> advance(const Line& line);
  Result<void> slow_deletion(const Line& line);
  Result<void> change_pods(const Line& line, void (*change)(api::Pod&, Instant));
  Result<void> set_unschedulable(const Line& line, bool unschedulable);
  Result<std::vector<std::string>> pods_named(const std::string& name) const;
  void forget_pod(const std::string& name);
  Result<void> settle_phase(Job& job);

  [[nodiscard]] Result<Job*> find_job(const std::string& name);
  [[nodiscard]] std::string next_uid();
  [[nodiscard]] Instant tick();

  model::ClusterState state_;
  state::ObjectFeed feed_;
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
[[nodiscard]] api::Pod read_pod(Fields& fields);

// The word after the verb.
[[nodiscard]] Result<std::string> subject(const Line& line, std::string_view example);

}  // namespace basalt::lab::scenario

// A cycle's report in Volcano's words: conditions, messages and events, as users and their tools know them.
//
//   ReportText text(result.report, state, *verdicts_of(state));
//   text.pod_group_condition(job)   Unschedulable / NotEnoughResources / "2/3 tasks in gang unschedulable: pod group …"
//
// Pure: the same report gives the same text. Make the texts before the next cycle: the report names rows by id.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/decisions.h"
#include "engine/core/verdict.h"
#include "engine/model/cluster_state.h"

namespace basalt::state {

// PodScheduled=False of a pod that waits.
struct PodCondition {
  std::string reason;  // Schedulable or Unschedulable
  std::string message;
  std::string nominated_node;  // "" : leave it as it is
};

struct EventText {
  std::string type;  // Normal or Warning
  std::string reason, message;
};

class ReportText {
 public:
  ReportText(const engine::CycleReport& report, const model::ClusterState& state, const engine::VerdictTable& verdicts)
      : report_(report), state_(state), verdicts_(verdicts) {}

  // "0/4 nodes are unavailable: 1 Insufficient cpu, 3 node(s) had untolerated taint(s)."
  [[nodiscard]] std::string fit_text(model::TaskId task, const engine::FitFailure& failure) const;
  // "pod group is not ready, 1 Running, 2 Pending, 3 minAvailable; Pending: 2 Unschedulable. Origin reason is p: 0/4 …"
  [[nodiscard]] std::string job_fit_text(const engine::JobReport& job) const;

  // What the gang plugin found; nothing if it did not judge the job.
  [[nodiscard]] std::optional<model::Condition> pod_group_condition(const engine::JobReport& job) const;
  // `written` with that condition in the slot of its type; a condition of the other type stays, as in Volcano.
  [[nodiscard]] std::vector<model::Condition> pod_group_conditions(const engine::JobReport& job,
                                                                   std::vector<model::Condition> written) const;

  [[nodiscard]] PodCondition pod_condition(const engine::JobReport& job, const engine::TaskReport& task) const;

  // While pods of the group wait: why. Once it runs and its status changed: that it is ready.
  [[nodiscard]] std::optional<EventText> pod_group_event(const engine::JobReport& job) const;
  [[nodiscard]] EventText refusal_event(const engine::EnqueueRefusal& refusal) const;
  [[nodiscard]] EventText bound_event(const engine::Bind& bind) const;
  [[nodiscard]] EventText evicted_pod_event(const engine::Evict& evict) const;
  [[nodiscard]] EventText evicted_group_event(const engine::Evict& evict) const;
  // Who a pod was evicted for, told beside Volcano's events: to the pod, to those who own it, and to those who get its
  // place. "preempted by job ns/x (priority 1000) in queue q".
  struct Side {
    model::JobId job;
    std::string name;  // "job ns/x"
  };
  [[nodiscard]] EventText preempted_event(const engine::Evict& evict, const Side& by) const;
  [[nodiscard]] EventText lost_pods_event(const engine::Evict& evict, size_t pods, const Side& by) const;
  [[nodiscard]] EventText won_room_event(const engine::Evict& evict, size_t pods, const Side& from) const;

 private:
  [[nodiscard]] std::string in_words(const Side& side) const;
  [[nodiscard]] std::string pod_name(model::TaskId task) const;
  [[nodiscard]] std::string node_name(model::NodeId node) const;

  const engine::CycleReport& report_;
  const model::ClusterState& state_;
  const engine::VerdictTable& verdicts_;
};

// The conditions written to a pod that is evicted by an action, before it is deleted. Types and reasons are those of
// Kubernetes and Volcano, whatever the action.
[[nodiscard]] std::vector<model::Condition> eviction_conditions(std::string_view scheduler_name,
                                                                std::string_view action);

// The texts of reasons that the state's last cycle used; nullptr before the first cycle.
[[nodiscard]] const engine::VerdictTable* verdicts_of(const model::ClusterState& state);

}  // namespace basalt::state

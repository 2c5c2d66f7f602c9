// A cluster written down with names only: what an API server would hold.
//
// Ids of a ClusterState mean nothing outside it, so tests that compare two states describe the world here and apply it
// to each. Keys: nodes, queues and priority classes by name, jobs by "namespace/name", pods by uid.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "engine/model/cluster_state.h"

namespace basalt::property {

using PlanAmounts = std::map<std::string, int64_t>;  // model units; "pods" only on nodes
using Labels = std::map<std::string, std::string>;

struct TaintPlan {
  std::string key, value;
  model::TaintEffect effect = model::TaintEffect::NoSchedule;
};

struct NodePlan {
  Labels labels;
  std::vector<TaintPlan> taints;
  bool unschedulable = false;
  PlanAmounts allocatable;
  Labels images;  // name → size in bytes, as text
  std::string revocable_zone;
};

struct QueuePlan {
  Instant created;
  int32_t weight = 1, priority = 0;
  bool reclaimable = true;
  model::QueueState state = model::QueueState::Open;
  std::string parent;
  PlanAmounts capability, guarantee, deserved;
  std::string hierarchy, hierarchy_weights;
  std::vector<std::string> groups_required, groups_avoided;
};

struct MatchPlan {
  std::string key;
  model::SelectorOp op = model::SelectorOp::In;
  std::vector<std::string> values;  // Gt and Lt: one integer
};

struct PodTermPlan {
  std::vector<MatchPlan> selector;
  std::string topology_key;
  int32_t weight = 0;
};

struct SpreadPlan {
  std::vector<MatchPlan> selector;
  std::string topology_key;
  int32_t max_skew = 1;
  bool hard = true;
};

// What pods of one role share.
struct TemplatePlan {
  PlanAmounts request;  // empty: best effort
  Labels labels, node_selector;
  std::vector<std::vector<MatchPlan>> node_terms;       // required; any of
  std::vector<std::vector<MatchPlan>> preferred_nodes;  // weight 10 each
  std::vector<TaintPlan> tolerations;                   // an empty value: Exists
  std::vector<int32_t> host_ports;
  std::vector<PodTermPlan> affinity, anti_affinity, preferred_affinity, preferred_anti_affinity;
  std::vector<SpreadPlan> spread;
  std::vector<std::string> images;
  std::string role, priority_class;
  int32_t priority = 1;
  bool preemptable = true, never_preempts = false, revocable = false;
};

struct PodPlan : TemplatePlan {
  std::string ns, name;
  std::string group;
  std::string node, nominated;
  model::TaskStatus status = model::TaskStatus::Pending;
  Instant created;
  bool gated = false;
};

struct SubGroupPlan {
  std::string name, label_key;
  int32_t size = 1, min_groups = 0;
};

struct JobPlan {
  std::string ns, name;
  std::string queue;
  int32_t min_available = 0;
  std::map<std::string, int32_t> min_task_member;
  std::string priority_class;
  std::optional<PlanAmounts> min_resources;
  Instant created;
  std::optional<Duration> waiting_time;
  bool preemptable = false;
  std::vector<SubGroupPlan> sub_groups;
  std::string topology_affinity, topology_anti_affinity;
  model::PodGroupStatus status;
};

struct QuotaPlan {
  std::string ns;
  PlanAmounts hard, used;
};
struct BudgetPlan {
  std::string ns;
  std::vector<MatchPlan> selector;
  int32_t allowed = 0;
};

struct RandomClusterPlan {
  std::map<std::string, NodePlan> nodes;
  std::map<std::string, QueuePlan> queues;
  std::map<std::string, JobPlan> jobs;
  std::map<std::string, PodPlan> pods;
  std::map<std::string, int32_t> priority_classes;
  // Given once, when a state is made; they do not change afterwards.
  std::map<std::string, QuotaPlan> quotas;
  std::map<std::string, BudgetPlan> budgets;
};

enum class PlanKind : uint8_t { Node, Queue, Job, Pod, PriorityClass };

// "This object is now as the plan says", or gone if the plan does not have it.
struct PlanChange {
  PlanKind kind = PlanKind::Node;
  std::string key;
  friend auto operator<=>(const PlanChange&, const PlanChange&) = default;
};

void apply(const RandomClusterPlan& plan, const PlanChange& change, model::ClusterState& state);
// Quotas and budgets, which have no events of their own.
void apply_limits(const RandomClusterPlan& plan, model::ClusterState& state);
// A change for every object of the plan.
std::vector<PlanChange> everything(const RandomClusterPlan& plan);

}  // namespace basalt::property

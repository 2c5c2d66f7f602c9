// nodegroup: queues own groups of nodes.
//
// A node is in the group named by its label volcano.sh/nodegroup-name. A queue's spec.affinity names groups it must or
// prefers to use, and groups it must or prefers to avoid. The annotation volcano.sh/nodegroup-resource-limits bounds
// what a queue may use in a group.
//
// Arguments:
//   strict                 nodes without the label take nobody; else they take queues without rules (true)
//   enablePreferredOrder   earlier in the preferred list scores higher (false)
// Switch enableHierarchy: a queue without spec.affinity has that of its nearest ancestor.
//
//   filter   a group is allowed if it is wanted (required or preferred; every group is, when the queue names none) and
//            not to be avoided, or if it is only preferably to be avoided; and if the queue's limit there holds
//   score    required 100, preferred 50 (ordered: 50·(n−i)/n), preferably avoided: −1 in place of all that
//   on_allocate, on_deallocate   what limited queues use in each group
//
// Invariant: used_ equals the sum of requests of the queue's allocated tasks in the group, tentative ones included.
// Cost: open O(nodes + queues · groups), plus the pods of queues that have limits. A hook looks up one cell a node.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/plugin.h"
#include "engine/model/queue.h"

namespace basalt::plugins {

class NodeGroup {
 public:
  static constexpr std::string_view kName = "nodegroup";
  static Result<NodeGroup> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

  void filter(const engine::FilterCall& call) const;
  void score(const engine::ScoreCall& call) const;
  // Where the queue has limits: a pod in a group counts on all its nodes.
  [[nodiscard]] bool reaches_cluster(model::TaskId task) const;
  void sign(model::TaskId task, engine::ClassKey& key) const;
  void sign_epoch(Fingerprint& epoch) const;
  void job_inputs(model::JobId id, Fingerprint& inputs) const;
  void on_allocate(model::TaskId task);
  void on_deallocate(model::TaskId task);

 private:
  using Group = uint32_t;
  static constexpr Group kNoGroup = UINT32_MAX;
  // What one queue may do in one group.
  struct Cell {
    engine::VerdictId verdict = engine::kFits;
    double score = 0;
    const model::Quota* limit = nullptr;
    model::ResourceVec used;  // kept only where there is a limit
  };
  struct Rules {
    engine::VerdictId outside = engine::kFits;  // on nodes of no group
    bool limited = false;
    uint64_t fingerprint = 0;
    std::vector<Cell> groups;
  };

  void find_groups(const engine::Session& session);
  void build_rules(engine::Session& session, model::QueueId id, const model::QueueSpec& affinity);
  void count_used(const engine::Session& session);
  // The queue whose affinity counts for `queue`: itself or, with hierarchy, the nearest ancestor that has one.
  [[nodiscard]] model::QueueId affinity_source(const engine::Session& session, model::QueueId queue) const;
  [[nodiscard]] const Rules* rules_of(model::TaskId task) const;
  void charge(model::TaskId task, Group group, bool add);

  bool strict_ = true;
  bool preferred_order_ = false;
  bool hierarchy_ = false;
  bool any_limit_ = false;
  const engine::Session* session_ = nullptr;
  engine::VerdictId limit_exceeded_ = engine::kFits;
  std::vector<NameId> group_names_;
  IdVector<model::NodeId, Group> group_of_;
  IdVector<model::QueueId, Rules> rules_;
  std::unordered_map<model::TaskId, Group> placed_;  // tentatively, in this cycle: where to give back
};

}  // namespace basalt::plugins

// The buckets of one job: groups of tasks that should land on the same node.
//
// Tasks of related roles are taken in order (placed ones first, by node; then by rank of their role; then by name).
// Each joins the bucket that draws it most, among equals the one with the smaller request, or founds a new one when
// every bucket repels it. Placed tasks share a bucket per node.
//
// Invariants: request is the sum over waiting members; a member either waits or is counted on a node.
// Cost: building is O(tasks · buckets); score is O(1), plus the bucket's members where it does not fit as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/fingerprint.h"
#include "engine/model/cluster_state.h"
#include "engine/plugins/task_topology/role_relations.h"

namespace basalt::plugins {

class JobBuckets {
 public:
  JobBuckets(const model::ClusterState& state, model::JobId job, RoleRelations relations);

  // The bucket of a task, or nothing.
  [[nodiscard]] std::optional<uint32_t> bucket_of(model::TaskId task) const;
  [[nodiscard]] size_t waiting(uint32_t bucket) const { return buckets_[bucket].waiting; }
  [[nodiscard]] const RoleRelations& relations() const { return relations_; }
  // The most members any bucket had when it was built.
  [[nodiscard]] int32_t largest() const { return largest_; }

  // How well the task's bucket does on the node: members there, less those of roles that want to be apart from the
  // task's, plus the waiting members that fit there together with the task. 0 if the task itself does not fit.
  [[nodiscard]] int32_t score(model::TaskId task, model::NodeId node) const;

  // Inverses of each other.
  void place(model::TaskId task, model::NodeId node);
  void take_back(model::TaskId task, model::NodeId node);

  void add_to(Fingerprint& print) const;  // everything that score() depends on, but the nodes

 private:
  struct Member {
    model::TaskId task;
    bool waiting = true;
  };
  struct Bucket {
    std::vector<Member> members;  // in the order they joined
    size_t waiting = 0;
    model::ResourceVec request;
    double weight = 0;           // of the request: m cpu + MiB + other units, for balance between buckets
    std::vector<int32_t> draws;  // by role: what the bucket's members mean to a task of that role
    std::unordered_map<model::NodeId, int32_t> on_node;
  };
  struct Place {
    uint32_t bucket = 0;
    uint32_t member = 0;
  };

  [[nodiscard]] std::vector<model::TaskId> tasks_in_order(const model::Job& job) const;
  [[nodiscard]] uint32_t choose_bucket(uint32_t role);
  uint32_t new_bucket();
  void join(uint32_t bucket, model::TaskId task);
  [[nodiscard]] int32_t repulsion(uint32_t role, model::NodeId node) const;
  [[nodiscard]] model::Amount room(model::NodeId node, model::ResourceId id) const;
  [[nodiscard]] bool fits(const model::ResourceVec& request, model::NodeId node) const;
  [[nodiscard]] int32_t surplus(const Bucket& bucket, model::ShapeId shape, model::NodeId node) const;
  void count(model::TaskId task, model::NodeId node, int32_t by);

  const model::ClusterState* state_;
  RoleRelations relations_;
  std::vector<Bucket> buckets_;
  std::unordered_map<model::TaskId, Place> places_;
  std::unordered_map<model::NodeId, std::vector<int32_t>> roles_on_node_;
  int32_t largest_ = 0;
  mutable model::ResourceVec rest_;  // scratch of surplus(): the score loop allocates nothing
};

}  // namespace basalt::plugins

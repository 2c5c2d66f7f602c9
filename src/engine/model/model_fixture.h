// For tests: a small cluster of labelled nodes and pods that look at each other.
//
//   ModelFixture fixture;
//   fixture.node({.name = "n1", .labels = {{"zone", "a"}}});
//   const TaskId pod = fixture.pod({.name = "p", .labels = {{"app", "db"}}, .node = "n1"});
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "engine/model/cluster_state.h"

namespace basalt::model {

class ModelFixture {
 public:
  using Texts = std::map<std::string, std::string>;
  struct NodeValues {
    std::string name;
    Texts labels;
    std::vector<Taint> taints;
    bool unschedulable = false;
    Amount cpu_milli = 8000, memory = Amount{8} << 30U, pods = 110;
    std::vector<ImageState> images;
  };
  struct PodValues {
    std::string name;
    std::string ns = "default";
    Texts labels;
    PodShape shape;
    std::string node;  // empty: pending
    TaskStatus status = TaskStatus::Running;
    std::string group;
  };

  ClusterState state;

  NameId name(std::string_view text) { return state.names.intern(text); }
  LabelSet labels(const Texts& texts) {
    LabelSet set;
    for (const auto& [key, value] : texts) set.push_back({.key = name(key), .value = name(value)});
    normalize(set);
    return set;
  }
  NodeId node(const NodeValues& values) {
    NodeSpec spec{.name = values.name,
                  .labels = labels(values.labels),
                  .taints = values.taints,
                  .unschedulable = values.unschedulable,
                  .max_pods = values.pods,
                  .images = values.images};
    spec.allocatable.at(kCpu) = values.cpu_milli;
    spec.allocatable.at(kMemory) = values.memory;
    spec.allocatable.at(kPods) = values.pods;
    return state.upsert_node(std::move(spec));
  }
  TaskId pod(PodValues values) {
    if (values.shape.request.empty()) values.shape.request = {{.id = kPods, .amount = 1}};
    return state.upsert_task({.ns = values.ns,
                              .name = values.name,
                              .uid = values.ns + "/" + values.name,
                              .group = values.group,
                              .node_name = values.node,
                              .status = values.node.empty() ? TaskStatus::Pending : values.status,
                              .shape = state.shapes.intern(values.shape),
                              .labels = state.label_sets.intern(labels(values.labels))});
  }
  void place(TaskId task, NodeId on) { state.move_task(task, TaskStatus::Allocated, on, /*in_view=*/true); }
  void withdraw(TaskId task) { state.move_task(task, TaskStatus::Pending, NodeId(), /*in_view=*/false); }

  Requirement require(std::string_view key, SelectorOp op, std::initializer_list<std::string_view> values = {}) {
    Requirement requirement{.key = name(key), .op = op};
    for (const std::string_view value : values) requirement.values.push_back(name(value));
    std::sort(requirement.values.begin(), requirement.values.end());
    return requirement;
  }
  Selector having(std::string_view key, std::string_view value) {
    return {.requirements = {require(key, SelectorOp::In, {value})}};
  }
  // Pods of namespace "default" with this label, near by `topology_key`.
  PodTerm term(std::string_view key, std::string_view value, std::string_view topology_key, int32_t weight = 0) {
    return {.selector = having(key, value),
            .namespaces = {name("default")},
            .topology_key = name(topology_key),
            .weight = weight};
  }
};

}  // namespace basalt::model

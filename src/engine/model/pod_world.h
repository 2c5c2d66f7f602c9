// For tests: a small cluster of labelled nodes and pods that look at each other.
//
//   PodWorld world;
//   world.node({.name = "n1", .labels = {{"zone", "a"}}});
//   const TaskId pod = world.pod({.name = "p", .labels = {{"app", "db"}}, .node = "n1"});
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "engine/model/cluster_state.h"

namespace basalt::model {

class PodWorld {
 public:
  using Texts = std::map<std::string, std::string>;
  struct NodeWords {
    std::string name;
    Texts labels;
    std::vector<Taint> taints;
    bool unschedulable = false;
    Amount cpu_milli = 8000, memory = Amount{8} << 30U, pods = 110;
    std::vector<ImageState> images;
  };
  struct PodWords {
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
  NodeId node(const NodeWords& words) {
    NodeSpec spec{.name = words.name,
                  .labels = labels(words.labels),
                  .taints = words.taints,
                  .unschedulable = words.unschedulable,
                  .max_pods = words.pods,
                  .images = words.images};
    spec.allocatable.at(kCpu) = words.cpu_milli;
    spec.allocatable.at(kMemory) = words.memory;
    spec.allocatable.at(kPods) = words.pods;
    return state.upsert_node(std::move(spec));
  }
  TaskId pod(PodWords words) {
    if (words.shape.request.empty()) words.shape.request = {{.id = kPods, .amount = 1}};
    return state.upsert_task({.ns = words.ns,
                              .name = words.name,
                              .uid = words.ns + "/" + words.name,
                              .group = words.group,
                              .node_name = words.node,
                              .status = words.node.empty() ? TaskStatus::Pending : words.status,
                              .shape = state.shapes.intern(words.shape),
                              .labels = state.label_sets.intern(labels(words.labels))});
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

// A node and what is on it.
//
// Capacity is in the ResourceMatrix tables of ClusterState (allocatable, idle, future idle, releasing), one row per
// node.
// The *view* is what per-pod rules (ports, pod count, affinity, scoring by requests) see: all pods on the node, plus
// those pipelined there in this cycle, minus those evicted in this cycle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/pod_shape.h"

namespace basalt::model {

struct ImageState {
  NameId name;
  int64_t size_bytes = 0;
  friend bool operator==(const ImageState&, const ImageState&) = default;
};

struct NodeSpec {
  std::string name;
  LabelSet labels;
  std::vector<Taint> taints;
  bool unschedulable = false;
  ResourceVec allocatable;  // includes oversubscription
  Amount max_pods = 0;      // allocatable pods; the pod-count rule reads it
  std::vector<ImageState> images;
  NameId revocable_zone = kEmptyName;
  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct Node : NodeSpec {
  bool alive = false;
  NameId name_id;
  uint64_t spec_version = 0;  // moves when labels, taints, images or allocatable change
  std::vector<TaskId> tasks;  // everything on the node, in no particular order

  // The view.
  int32_t view_pods = 0;
  Amount view_nonzero_cpu_milli = 0;
  Amount view_nonzero_memory = 0;
  std::vector<HostPort> view_ports;  // a multiset, small
};

}  // namespace basalt::model

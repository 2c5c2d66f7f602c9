// What the checker knows of a cluster: the objects of its API, cut down to what the rules ask for.
//
// A pod takes a few hundred bytes here and many thousands on the wire, so a reader adds object by object and keeps
// none. Objects that cannot be read are no objects; they are told as findings.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "kube/api/job_phase.h"
#include "kube/api/pod_phase.h"
#include "kube/api/typed_decode.h"
#include "kube/text/json.h"
#include "programs/cli/check/finding.h"

namespace basalt::cli::checkup {

struct CheckedPod {
  std::string namespace_name, name, uid;
  std::string node;     // spec.nodeName; "": not bound
  std::string group;    // "namespace/name" of its PodGroup; "": none named
  std::string job;      // name of its Volcano job; "": of none
  std::string job_uid;  // of the controlling owner of kind Job, where `job` is given
  std::string task;     // volcano.sh/task-spec
  int64_t index = -1;   // volcano.sh/task-index; -1: not told, or no number
  api::PodPhase phase = api::PodPhase::Pending;
  bool terminating = false, gated = false;
  Instant created, bound;  // bound: by its PodScheduled condition; kNever: not told
  api::ResourceList requests;

  [[nodiscard]] std::string key() const { return namespace_name + "/" + name; }
  // The node has to keep its resources for it.
  [[nodiscard]] bool alive() const { return phase != api::PodPhase::Succeeded && phase != api::PodPhase::Failed; }
  [[nodiscard]] bool is_bound() const { return !node.empty(); }
};

struct CheckedNode {
  std::string name;
  api::ResourceList allocatable;
};

struct CheckedQueue {
  std::string name, parent;  // "" of both the root and what hangs below it directly
  api::ResourceList capability;
};

struct CheckedGroup {
  std::string namespace_name, name, uid, queue, phase;
  std::string owner_kind, owner_name, owner_uid;  // of the controlling owner; "": it has none
  int64_t min_member = 0;
  bool terminating = false;

  [[nodiscard]] std::string key() const { return namespace_name + "/" + name; }
};

struct CheckedTask {
  std::string name;
  int64_t replicas = 0;
  bool waits = false;  // dependsOn: its pods come later
};

inline constexpr std::array<std::string_view, 6> kCounters = {"pending", "running",     "succeeded",
                                                              "failed",  "terminating", "unknown"};
using Counts = std::array<int64_t, kCounters.size()>;  // as kCounters

struct CheckedJob {
  std::string namespace_name, name, uid, phase;
  std::vector<CheckedTask> tasks;
  Counts counts{};            // as its status has them
  int64_t finished_lost = 0;  // finished pods that somebody took, by the controller's note in its status
  bool terminating = false;

  [[nodiscard]] std::string key() const { return namespace_name + "/" + name; }
  [[nodiscard]] bool is_over() const { return api::is_finished_job(phase); }
};

// Where the scheduler's conf is.
struct PolicyPlace {
  std::string map = "volcano-system/volcano-scheduler-configmap";  // a ConfigMap, "namespace/name"
  std::string key = {};  // "": volcano-scheduler.conf, or the first that ends in .conf
};

struct CheckedCluster {
  std::vector<CheckedNode> nodes;
  std::vector<CheckedQueue> queues;
  std::vector<CheckedGroup> groups;
  std::vector<CheckedJob> jobs;
  std::vector<CheckedPod> pods;
  std::vector<Finding> unreadable;
  PolicyPlace policy_place;
  std::string policy;          // the conf in the scheduler's ConfigMap; "": there is none
  std::string policy_refused;  // what the scheduler says of a newer one that does not load; "": nothing

  // Each adds one object, or a finding that it cannot be read. Cost: O(object).
  void add_node(const text::Value& object);
  void add_queue(const text::Value& object);
  void add_group(const text::Value& object);
  void add_job(const text::Value& object);
  void add_pod(const text::Value& object);
  // Everything of `other`, behind what is there.
  void take(CheckedCluster other);
};

}  // namespace basalt::cli::checkup

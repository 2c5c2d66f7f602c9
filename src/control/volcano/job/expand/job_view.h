// A typed, read-only look at a Job object: the fields that its expansion and its life cycle read, parsed once.
//
// 1. The views and pointers lead into the Job's JSON. Requires: that object outlives the view and does not change.
// 2. Reading never fails: what is absent or of another type reads as Go's zero value would. Negative counts read as 0.
// 3. Tasks keep the order of spec.tasks. Two with one name are told apart only by that order.
// Cost: O(tasks + volumes + plugins); nothing is copied but a few words per task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/text/json.h"

namespace basalt::volcano {

inline constexpr std::string_view kDefaultTask = "default";  // stands for a task without a name in keys and labels

struct PartitionPolicy {
  int64_t total = 0, size = 0, min = 0;
  const text::Object* network_topology = nullptr;
  // The partition of a task's index; all are in one when the size makes no sense. Division as in Go: towards zero.
  [[nodiscard]] int64_t of(int64_t index) const { return size <= 0 ? 0 : index / size; }
};

struct TaskView {
  std::string_view name;  // as written; may be empty
  int64_t replicas = 0;
  std::optional<int64_t> min_available;
  int64_t max_retry = 0;                        // 0: not given; -1: no limit
  const text::Object* pod_template = nullptr;   // never null: an empty object stands for an absent one
  const text::Object* template_spec = nullptr;  // never null, likewise
  std::string_view hostname, subdomain;         // of template_spec
  std::string_view priority_class;              // of template_spec
  std::vector<std::string_view> depends_on;     // dependsOn.name
  bool depends_on_any = false;                  // dependsOn.iteration is "any"
  std::optional<PartitionPolicy> partition;     // partitionPolicy
  std::string_view topology_policy;             // topologyPolicy
  const text::Array* policies = nullptr;        // raw; nullptr: none

  // The name in labels, annotations and counts.
  [[nodiscard]] std::string_view key() const { return name.empty() ? kDefaultTask : name; }
  // How many pods make the task as large as its group must be: minAvailable, else whole partitions, else all.
  [[nodiscard]] int64_t min_members() const;
};

struct VolumeView {
  std::string_view mount_path, claim_name;
  const text::Object* claim = nullptr;  // volumeClaim, the spec of the claim to make; nullptr: none
};

struct PluginView {
  std::string_view name;
  std::vector<std::string_view> arguments;
};

struct JobView {
  explicit JobView(const text::Object& job);

  const text::Object* object = nullptr;  // the whole Job; never null
  std::string_view name, namespace_name, uid;
  const text::Object* labels = nullptr;       // never null
  const text::Object* annotations = nullptr;  // never null
  bool deleting = false;                      // metadata.deletionTimestamp is set

  // spec
  std::string_view queue, scheduler_name, priority_class;
  int64_t min_available = 0;
  std::optional<int64_t> min_success, ttl_seconds;
  int64_t max_retry = 0;  // the CRD fills in 3 where it is absent
  std::vector<TaskView> tasks;
  std::vector<VolumeView> volumes;
  std::vector<PluginView>
      plugins;  // in the order of the object; see engine/plugins/plugin_registry.h for the order in which they run
  const text::Object* network_topology = nullptr;
  const text::Array* policies = nullptr;  // raw; nullptr: none

  // status
  std::string_view phase;  // status.state.phase; empty: never seen by the controller
  int64_t version = 0, retry_count = 0, status_min_available = 0;
  const text::Object* status = nullptr;                // never null
  const text::Object* controlled_resources = nullptr;  // never null

  // The first task of that name (as written, or by its key); nullptr when there is none.
  [[nodiscard]] const TaskView* find_task(std::string_view task_name) const;
  [[nodiscard]] int64_t total_replicas() const;
  // "<job>-<uid>": the name of its PodGroup.
  [[nodiscard]] std::string group_name() const;
};

// "<job>-<task>-<index>". The task by its name as written, even an empty one, as Volcano names pods.
[[nodiscard]] std::string pod_name(const JobView& job, const TaskView& task, int64_t index);

// "<hostname>.<subdomain>" of pod `index`: what the template fixes, else the pod's name and the job's name.
[[nodiscard]] std::string host_name(const JobView& job, const TaskView& task, int64_t index);

// The reference by which everything that a job makes is owned and removed with it.
[[nodiscard]] text::Object owner_reference(const JobView& job);
// metadata of something new in the job's namespace, owned by the job.
[[nodiscard]] text::Object owned_metadata(const JobView& job, std::string_view name);

}  // namespace basalt::volcano

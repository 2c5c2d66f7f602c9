// PodGroups (scheduling.volcano.sh/v1beta1): the scheduler's jobs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/api/metadata.h"
#include "kube/api/selector.h"

namespace basalt::api {

struct NetworkTopology {
  std::string mode;  // hard (also when "") or soft
  std::optional<int32_t> highest_tier_allowed;
  std::string highest_tier_name;
};

struct SubGroupPolicy {
  std::string name;
  std::optional<NetworkTopology> network_topology;
  std::optional<int32_t> sub_group_size;  // not given: 1
  std::optional<int32_t> min_sub_groups;  // not given: 0
  std::optional<LabelSelector> label_selector;
  std::vector<std::string> match_label_keys;
};

struct PodGroupSpec {
  int32_t min_member = 0;
  std::map<std::string, int32_t, std::less<>> min_task_member;  // role → count
  std::string queue;                                            // "": the scheduler's default queue
  std::string priority_class_name;
  std::optional<ResourceList> min_resources;  // not given and given empty differ: see enqueue
  std::optional<NetworkTopology> network_topology;
  std::vector<SubGroupPolicy> sub_group_policy;
};

struct PodGroupStatus {
  std::string phase;
  std::vector<Condition> conditions;
  int32_t running = 0, succeeded = 0, failed = 0;
};

struct PodGroup {
  ObjectMeta metadata;
  PodGroupSpec spec;
  PodGroupStatus status;
};

[[nodiscard]] Result<void> read(const text::Field& at, PodGroup& out);
[[nodiscard]] Result<PodGroup> decode_pod_group(const text::Value& value);

}  // namespace basalt::api

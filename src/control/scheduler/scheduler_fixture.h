// For the tests of this folder: objects as the API would tell them, and a state that learns them and runs cycles.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "control/scheduler/cycle_output.h"
#include "control/scheduler/decision_writes.h"
#include "control/scheduler/scheduler_cache.h"
#include "control/scheduler/state/active_policy.h"
#include "control/scheduler/state/report_text.h"
#include "engine/core/cycle.h"
#include "kube/api/object_fields.h"

namespace basalt::scheduler {

inline constexpr Instant kTestStart = Instant::from_unix_seconds(1'767'225'600);

inline client::ObjectPtr parsed(std::string_view json) {
  auto value = text::parse_json(json);
  EXPECT_TRUE(value.has_value()) << json;
  return std::make_shared<const text::Value>(value ? std::move(*value) : text::Value());
}

struct TestPod {
  std::string name = "p-t-0";
  std::string uid = "u0";
  int version = 1;
  std::string node;
  std::string phase = "Pending";
  std::string group = "g";
  std::string cpu = "1";
  std::string more_meta;    // ,"labels":{…}
  std::string more_spec;    // ,"schedulingGates":[…]
  std::string more_status;  // ,"conditions":[…]
};

inline client::ObjectPtr pod_object(const TestPod& draft) {
  return parsed(fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"default","uid":"{}","resourceVersion":"{}",
          "creationTimestamp":"2026-01-01T00:00:00Z",
          "annotations":{{"scheduling.k8s.io/group-name":"{}"}}{}}},
          "spec":{{"schedulerName":"volcano",
          "containers":[{{"name":"c","resources":{{"requests":{{"cpu":"{}"}}}}}}]{}{}}},
          "status":{{"phase":"{}"{}}}}})",
      draft.name, draft.uid, draft.version, draft.group, draft.more_meta, draft.cpu,
      draft.node.empty() ? "" : fmt::format(R"(,"nodeName":"{}")", draft.node), draft.more_spec, draft.phase,
      draft.more_status));
}

inline client::ObjectPtr node_object(std::string_view name, std::string_view cpu, int version = 1) {
  return parsed(fmt::format(R"({{"metadata":{{"name":"{}","uid":"node-{}","resourceVersion":"{}"}},
                                "status":{{"allocatable":{{"cpu":"{}","memory":"8Gi","pods":"110"}}}}}})",
                            name, name, version, cpu));
}

inline client::ObjectPtr group_object(std::string_view name, int min, std::string_view status = "{}", int version = 1,
                                      std::string_view queue = "default") {
  return parsed(fmt::format(R"({{"metadata":{{"name":"{}","namespace":"default","uid":"group-{}",
                                "resourceVersion":"{}"}},"spec":{{"minMember":{},"queue":"{}"}},"status":{}}})",
                            name, name, version, min, queue, status));
}

inline client::ObjectPtr queue_object(std::string_view name, std::string_view parent = "",
                                      std::string_view allocated = "{}", int version = 1) {
  return parsed(fmt::format(R"({{"metadata":{{"name":"{}","uid":"queue-{}","resourceVersion":"{}"}},
                                "spec":{{"weight":1,"parent":"{}"}},
                                "status":{{"state":"Open","allocated":{}}}}})",
                            name, name, version, parent, allocated));
}

// A call as one line: "patch pods/p-t-0/status {…}".
inline std::string line_of(const api::Call& call) {
  static constexpr std::string_view kVerbs[] = {"get", "list", "watch", "create", "update", "patch", "delete"};
  std::string line = fmt::format("{} {}/{}", kVerbs[static_cast<size_t>(call.verb)], call.resource.plural, call.name);
  if (!call.subresource.empty()) line += "/" + call.subresource;
  if (!call.body.is_null()) line += " " + text::to_json(call.body);
  return line;
}

inline std::vector<std::string> lines_of(const std::vector<PendingWrite>& writes) {
  std::vector<std::string> lines;
  for (const PendingWrite& write : writes) lines.push_back(line_of(write.call));
  return lines;
}

// A state with a queue, and cycles of the built-in policy.
class SchedulerFixture {
 public:
  SchedulerFixture() : cache(state, {}, [this](Severity, const std::string& line) { log.push_back(line); }), rng(1) {
    cache.learn(SchedulerKind::Queue, queue_object("default"));
  }

  engine::CycleResult cycle(Instant now = kTestStart) { return engine::run_cycle(state, policy.policy(), now, rng); }
  [[nodiscard]] state::ReportText text(const engine::CycleResult& result) const {
    return {result.report, state, *state::verdicts_of(state)};
  }
  // Task status and node, "Binding n1"; "" for none.
  [[nodiscard]] std::string task(std::string_view uid) const {
    const model::TaskId id = state.find_task(uid);
    if (!id.valid()) return "";
    const model::Task& row = state.task(id);
    return fmt::format("{} {}{}", model::to_string(row.status), row.node.valid() ? state.node(row.node).name : "-",
                       row.gated ? " gated" : "");
  }

  model::ClusterState state;
  std::vector<std::string> log;
  SchedulerCache cache;
  state::ActivePolicy policy;
  Rng rng;
};

}  // namespace basalt::scheduler

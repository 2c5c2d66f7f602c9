// Objects of a job that is followed, and a terminal of strings.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "programs/cli/follow/job_dashboard.h"
#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::follow {

inline client::ObjectPtr object(const std::string& yaml) {
  auto document = text::parse_yaml(yaml);
  EXPECT_TRUE(document.has_value()) << document.error().message;
  return std::make_shared<const text::Value>(document->value);
}

inline std::string job(const std::string& phase, int needed = 8) {
  return "{metadata: {name: train, namespace: lab, uid: u1}, spec: {queue: research, minAvailable: " +
         std::to_string(needed) + ", tasks: [{name: worker, replicas: 10}]}, status: {state: {phase: " + phase + "}}}";
}

inline std::string pod(const std::string& name, const std::string& phase, const std::string& node) {
  return "{metadata: {name: " + name + ", namespace: lab, labels: {volcano.sh/job-name: train}}, spec: {nodeName: '" +
         node + "', containers: [{name: a}]}, status: {phase: " + phase + "}}";
}

inline constexpr const char* kGroup = R"(
metadata: {name: train-u1, namespace: lab, ownerReferences: [{kind: Job, name: train}]}
status:
  phase: Inqueue
  conditions:
  - {type: Scheduled, status: "True", message: old}
  - {type: Unschedulable, status: "True", message: "8/8 tasks in gang unschedulable"}
)";
inline constexpr const char* kQueue = R"(
metadata: {name: research}
spec: {weight: 4, capability: {nvidia.com/gpu: 16}}
status: {state: Open, allocated: {cpu: "16"}}
)";

inline std::string event(const std::string& name, const std::string& about, const std::string& time) {
  return "{metadata: {name: " + name + ", namespace: lab}, involvedObject: {kind: Pod, name: " + about +
         "}, type: Warning, reason: " + name + ", message: said, lastTimestamp: '" + time + "'}";
}

struct StringTerminal {
  std::ostringstream out, err;
  std::istringstream in;
  vcctl::Terminal terminal{.out = out, .err = err, .in = in, .width = 100, .height = 40, .now = [] {
                             return *text::parse_time("2026-11-15T18:46:33Z");
                           }};
};

}  // namespace basalt::cli::follow

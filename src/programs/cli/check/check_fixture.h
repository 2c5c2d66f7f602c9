// A small healthy cluster to break: two nodes, two queues, and a gang of two that runs.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "kube/text/rfc3339.h"
#include "kube/text/yaml.h"
#include "programs/cli/check/check_rules.h"

namespace basalt::cli::checkup {

inline Instant noon() { return *text::parse_time("2026-11-16T12:00:00Z"); }

// The fields of a pod that tests vary.
struct PodText {
  std::string name = "train-worker-0";
  std::string node = "n1";  // "": not bound
  std::string phase = "Running";
  std::string task = "worker";
  std::string index = "0";
  std::string cpu = "2";
  std::string job_uid = "u1";
  std::string made = "2026-11-16T11:00:00Z";
  bool terminating = false;
  std::string gates = {};

  [[nodiscard]] std::string yaml() const {
    return "{metadata: {name: " + name + ", namespace: lab, uid: uid-" + name + ", creationTimestamp: '" + made + "'" +
           (terminating ? ", deletionTimestamp: '2026-11-16T11:30:00Z'" : "") +
           ", annotations: {scheduling.k8s.io/group-name: train-u1, volcano.sh/job-name: train, "
           "volcano.sh/task-spec: " +
           task + ", volcano.sh/task-index: '" + index +
           "'}, ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: train, controller: true, "
           "uid: " +
           job_uid + "}]}, spec: {nodeName: '" + node + "', schedulingGates: [" + gates +
           "], containers: [{name: c, resources: {requests: {cpu: '" + cpu + "'}}}]}, status: {phase: " + phase + "}}";
  }
};

inline text::Value yaml(const std::string& source) {
  auto document = text::parse_yaml(source);
  EXPECT_TRUE(document.has_value()) << source;
  return document ? document->value : text::Value();
}

// ClusterManifests by plural, as YAML; tests replace what they break.
struct ClusterManifests {
  std::map<std::string, std::vector<std::string>> of = {
      {"nodes",
       {"{metadata: {name: n1}, status: {allocatable: {cpu: '4', pods: '3'}}}",
        "{metadata: {name: n2}, status: {allocatable: {cpu: '4', pods: '3'}}}"}},
      {"queues", {"{metadata: {name: root}, spec: {}}", "{metadata: {name: default}, spec: {capability: {cpu: '6'}}}"}},
      {"podgroups",
       {"{metadata: {name: train-u1, namespace: lab, uid: g1, ownerReferences: [{kind: Job, name: train, uid: u1, "
        "controller: true}]}, spec: {minMember: 2, queue: default}, status: {phase: Running}}"}},
      {"jobs", {job("Running", "running: 2")}},
      {"pods", {PodText{}.yaml(), PodText{.name = "train-worker-1", .node = "n2", .index = "1"}.yaml()}},
  };

  static std::string job(const std::string& phase, const std::string& counts) {
    return "{metadata: {name: train, namespace: lab, uid: u1}, spec: {tasks: [{name: worker, replicas: 2}]}, status: "
           "{state: {phase: " +
           phase + "}, " + counts + "}}";
  }

  [[nodiscard]] CheckedCluster cluster() const {
    CheckedCluster out;
    for (const std::string& one : of.at("nodes")) out.add_node(yaml(one));
    for (const std::string& one : of.at("queues")) out.add_queue(yaml(one));
    for (const std::string& one : of.at("podgroups")) out.add_group(yaml(one));
    for (const std::string& one : of.at("jobs")) out.add_job(yaml(one));
    for (const std::string& one : of.at("pods")) out.add_pod(yaml(one));
    return out;
  }

  // "rule object: message" of each finding.
  [[nodiscard]] std::vector<std::string> findings(Instant now = noon()) const {
    std::vector<std::string> out;
    for (const Finding& finding : check_cluster(cluster(), {.now = now})) {
      out.push_back(std::string(finding.rule) + " " + finding.object + ": " + finding.message);
    }
    return out;
  }
};

}  // namespace basalt::cli::checkup

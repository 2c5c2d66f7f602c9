#include "control/scheduler/state/state_updater.h"

#include <gtest/gtest.h>

#include "kube/text/yaml.h"

namespace basalt::state {
namespace {

class ObjectFeedTest : public testing::Test {
 protected:
  static std::vector<api::AnyObject> decode(std::string_view yaml) {
    const auto documents = text::parse_yaml_stream(yaml);
    EXPECT_TRUE(documents.has_value()) << documents.error().message;
    auto objects = api::decode_all(*documents);
    EXPECT_TRUE(objects.has_value()) << objects.error().message;
    return *objects;
  }
  Result<void> apply(std::string_view yaml) {
    for (const api::AnyObject& object : decode(yaml)) {
      if (auto ok = updater_.apply(object); !ok) return ok;
    }
    return {};
  }
  void apply_ok(std::string_view yaml) {
    const auto ok = apply(yaml);
    ASSERT_TRUE(ok.has_value()) << ok.error().message;
    ASSERT_EQ(state_.verify(), "");
  }
  const model::Task& task(std::string_view uid) { return state_.task(state_.find_task(uid)); }

  model::ClusterState state_;
  StateUpdater updater_{state_};
};

constexpr std::string_view kNode = R"(
apiVersion: v1
kind: Node
metadata:
  name: n1
  labels: {volcano.sh/revocable-zone: rz1}
  annotations: {volcano.sh/oversubscription-cpu: "500", volcano.sh/oversubscription-memory: oops}
spec:
  taints: [{key: gpu, value: "yes", effect: NoSchedule}]
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110", storage: 1Gi}}
)";

TEST_F(ObjectFeedTest, ANodeIncludesOversubscription) {
  apply_ok(kNode);
  const model::NodeId n1 = state_.find_node("n1");
  ASSERT_TRUE(n1.valid());
  EXPECT_EQ(state_.allocatable(n1)[model::kCpu.index()], 4500);
  EXPECT_EQ(state_.allocatable(n1)[model::kMemory.index()], int64_t{8} << 30);  // an unreadable annotation adds nothing
  EXPECT_EQ(state_.node(n1).max_pods, 110);
  EXPECT_EQ(state_.names.text(state_.node(n1).revocable_zone), "rz1");
  ASSERT_EQ(state_.node(n1).taints.size(), 1U);
}

TEST_F(ObjectFeedTest, APodFindsItsGroupAndNodeInAnyOrder) {
  apply_ok(R"(
apiVersion: v1
kind: Pod
metadata:
  name: p-w-3
  namespace: ns
  uid: u1
  annotations: {scheduling.k8s.io/group-name: pg, volcano.sh/task-priority: "7", volcano.sh/preemptable: "maybe"}
  labels: {volcano.sh/task-spec: worker, volcano.sh/cooldown-time: 90s}
spec: {schedulerName: volcano, nodeName: n1, priority: 3, priorityClassName: high, preemptionPolicy: Never}
status:
  phase: Running
  conditions: [{type: PodScheduled, status: "True", lastTransitionTime: "2024-05-01T12:00:00Z"}]
)");
  apply_ok(kNode);
  apply_ok(R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata:
  name: pg
  namespace: ns
  annotations: {sla-waiting-time: 1h, volcano.sh/jdb-max-unavailable: 25%, volcano.sh/preemptable: "true"}
spec: {minMember: 2, minTaskMember: {worker: 2}, minResources: {cpu: "2", count/pods: "2"}}
status: {phase: Inqueue}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: default}
spec: {weight: 2, capability: {cpu: "8"}, guarantee: {resource: {cpu: "1"}}}
status: {state: Open}
)");
  const model::Task& row = task("u1");
  EXPECT_EQ(row.status, model::TaskStatus::Running);
  EXPECT_EQ(row.node, state_.find_node("n1"));
  EXPECT_EQ(state_.names.text(row.role), "worker");
  EXPECT_EQ(row.priority, 7);
  EXPECT_EQ(row.pod_priority, 3);
  EXPECT_FALSE(row.preemptable);  // not a boolean
  EXPECT_TRUE(row.never_preempts);
  EXPECT_EQ(row.cooldown, Duration::seconds(90));
  EXPECT_EQ(row.scheduled_at, Instant::from_unix_seconds(1714564800));

  const model::Job& job = state_.job(row.job);
  EXPECT_TRUE(job.schedulable());
  EXPECT_EQ(job.queue, "default");  // the pod group names none
  EXPECT_EQ(job.waiting_time, Duration::seconds(3600));
  EXPECT_TRUE(job.preemptable);
  EXPECT_TRUE(job.revocable);
  EXPECT_EQ(job.budget.max_unavailable, "25%");
  ASSERT_TRUE(job.min_resources.has_value());
  EXPECT_EQ((*job.min_resources)[model::kCpu], 2000);
  EXPECT_FALSE(job.min_resources->has(model::kPods));
  EXPECT_EQ(job.status.phase, model::PodGroupPhase::Inqueue);
  EXPECT_EQ(state_.queue(job.queue_id).guarantee[model::kCpu], 1000);
}

std::string pod(std::string_view uid, std::string_view scheduler, std::string_view node, std::string_view group,
                std::string_view phase) {
  std::string out = "{apiVersion: v1, kind: Pod, metadata: {name: " + std::string(uid) + ", namespace: ns, uid: ";
  out.append(uid).append(", annotations: {");
  if (!group.empty()) out.append("scheduling.k8s.io/group-name: ").append(group);
  out.append("}}, spec: {schedulerName: ").append(scheduler).append(", nodeName: '").append(node);
  return out.append("'}, status: {phase: ").append(phase).append("}}");
}

TEST_F(ObjectFeedTest, WhichPodsAreSeen) {
  apply_ok(kNode);
  apply_ok(pod("ours", "volcano", "", "pg", "Pending"));
  apply_ok(pod("ours-alone", "volcano", "", "", "Pending"));
  apply_ok(pod("theirs", "default-scheduler", "", "pg", "Pending"));
  apply_ok(pod("theirs-placed", "default-scheduler", "n1", "", "Running"));
  apply_ok(pod("theirs-member", "default-scheduler", "n1", "pg", "Running"));
  EXPECT_TRUE(state_.find_task("ours").valid());
  EXPECT_FALSE(state_.find_task("ours-alone").valid());
  EXPECT_FALSE(state_.find_task("theirs").valid());
  EXPECT_TRUE(state_.find_task("theirs-placed").valid());
  EXPECT_EQ(task("theirs-member").job, task("ours").job);
  EXPECT_EQ(state_.node(state_.find_node("n1")).tasks.size(), 2U);

  apply_ok(pod("theirs-placed", "default-scheduler", "n1", "", "Succeeded"));
  EXPECT_FALSE(state_.find_task("theirs-placed").valid());
}

TEST_F(ObjectFeedTest, AnUpdateOlderThanOurBindIsIgnored) {
  apply_ok(kNode);
  apply_ok(pod("a", "volcano", "", "pg", "Pending"));
  const model::TaskId id = state_.find_task("a");
  state_.move_task(id, model::TaskStatus::Binding, state_.find_node("n1"), /*in_view=*/true);
  apply_ok(pod("a", "volcano", "", "pg", "Pending"));
  EXPECT_EQ(task("a").status, model::TaskStatus::Binding);
  apply_ok(pod("a", "volcano", "n1", "pg", "Pending"));
  EXPECT_EQ(task("a").status, model::TaskStatus::Bound);
}

TEST_F(ObjectFeedTest, ABadObjectChangesNothing) {
  apply_ok(kNode);
  const uint64_t before = state_.hash();
  const auto bad_node = apply(R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
spec: {taints: [{key: a, effect: Sometimes}]}
status: {allocatable: {cpu: "1"}}
)");
  ASSERT_FALSE(bad_node.has_value());
  EXPECT_EQ(bad_node.error().message,
            "Node n1: spec.taints[0]: effect: unknown effect \"Sometimes\"; write NoSchedule, PreferNoSchedule or "
            "NoExecute");
  const auto bad_group = apply(R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: pg, namespace: ns}
status: {phase: Dreaming}
)");
  ASSERT_FALSE(bad_group.has_value());
  EXPECT_EQ(
      bad_group.error().message,
      "PodGroup ns/pg: status.phase: unknown phase \"Dreaming\"; it is one of Pending, Inqueue, Running, Unknown, "
      "Completed");
  EXPECT_EQ(state_.hash(), before);
}

TEST_F(ObjectFeedTest, AQueueReadsItsAnnotations) {
  apply_ok(R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata:
  name: q
  annotations:
    volcano.sh/hierarchy: root/a
    volcano.sh/hierarchy-weights: 1/2
    volcano.sh/nodegroup-resource-limits: '{"g1": {"cpu": "2"}}'
spec: {affinity: {nodeGroupAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [g1]}}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: bad, annotations: {volcano.sh/nodegroup-resource-limits: "{"}}
status: {state: Closed}
)");
  const model::Queue& q = state_.queue(state_.find_queue("q"));
  EXPECT_EQ(q.hierarchy, "root/a");
  EXPECT_EQ(q.state, model::QueueState::Unknown);  // no controller has opened it yet
  EXPECT_TRUE(q.has_affinity);
  EXPECT_EQ(q.group_affinity.required, std::vector<std::string>{"g1"});
  ASSERT_EQ(q.group_limits.size(), 1U);
  EXPECT_EQ(q.group_limits[0].second[model::kCpu], 2000);
  EXPECT_FALSE(q.group_limits_malformed);
  EXPECT_TRUE(state_.queue(state_.find_queue("bad")).group_limits_malformed);
  EXPECT_EQ(state_.queue(state_.find_queue("bad")).state, model::QueueState::Closed);
}

TEST_F(ObjectFeedTest, OnlyNodesWithOneOfTheLabels) {
  StateUpdater updater(state_, {.nodes = {{"role", "train"}, {"role", "serve"}}});
  api::Node node;
  node.metadata.name = "n";
  node.metadata.labels["role"] = "serve";
  ASSERT_TRUE(updater.apply(node));
  EXPECT_TRUE(state_.find_node("n").valid());
  node.metadata.labels["role"] = "web";  // it is not ours any more
  ASSERT_TRUE(updater.apply(node));
  EXPECT_FALSE(state_.find_node("n").valid());
  node.metadata.labels.clear();
  ASSERT_TRUE(updater.apply(node));
  EXPECT_FALSE(state_.find_node("n").valid());
}

TEST_F(ObjectFeedTest, SmallObjectsMoveTheVersion) {
  const uint64_t before = state_.version();
  apply_ok(R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: b, namespace: ns}
spec: {selector: {matchLabels: {app: db}}}
status: {disruptionsAllowed: 1, disruptedPods: {p1: "2024-05-01T12:00:00Z"}}
)");
  EXPECT_GT(state_.version(), before);
  const model::DisruptionBudgetObject& budget = state_.limits.budgets.at("ns/b");
  EXPECT_EQ(budget.disruptions_allowed, 1);
  EXPECT_TRUE(budget.disrupted_pods.contains("p1"));
  api::PodDisruptionBudget gone;
  gone.metadata.name = "b";
  gone.metadata.namespace_name = "ns";
  updater_.remove(gone);
  EXPECT_TRUE(state_.limits.budgets.empty());
}

}  // namespace
}  // namespace basalt::state

#include "control/scheduler/state/wait_text.h"

#include <gtest/gtest.h>

namespace basalt::state {
namespace {

using model::Amount;
using model::PodGroupPhase;
using model::TaskStatus;

constexpr Amount kUnit = 1000;

struct GangDraft {
  std::string name = "g";
  std::string queue = "default";
  int32_t pods = 1, min = 1;
  Amount gpus = 8;
  PodGroupPhase phase = PodGroupPhase::Inqueue;
  std::string gates;  // of all its pods
  bool wants_ssd = false;
  bool all_needed = false;  // each pod counts in the minimum of its role
  int32_t host_port = 0;    // 0: none
};

// Nodes with 8 GPUs each, and gangs that ask for them.
class WaitTextTest : public testing::Test {
 protected:
  void SetUp() override {
    queue_ = state_.upsert_queue({.name = "default"});
    for (const char* name : {"n1", "n2", "n3", "n4"}) add_node(name);
  }
  void add_node(const std::string& name, std::vector<model::Taint> taints = {}, bool cordoned = false) {
    model::NodeSpec spec{.name = name, .taints = std::move(taints), .unschedulable = cordoned, .max_pods = 100};
    spec.allocatable.at(gpu_) = 8 * kUnit;
    spec.allocatable.at(model::kPods) = 100;
    state_.upsert_node(std::move(spec));
  }
  model::ShapeId shape(const GangDraft& gang) {
    model::PodShape shape;
    shape.request = {{model::kPods, 1}, {gpu_, gang.gpus * kUnit}};
    if (gang.wants_ssd) shape.node_selector = {{state_.names.intern("disk"), state_.names.intern("ssd")}};
    if (gang.host_port != 0) {
      shape.host_ports = {{.ip = state_.names.intern("0.0.0.0"), .protocol = tcp_, .port = gang.host_port}};
    }
    return state_.shapes.intern(shape);
  }
  void add_pod(const GangDraft& gang, int index, const std::string& node = "") {
    const std::string name = gang.name + "-t-" + std::to_string(index);
    state_.upsert_task({.ns = "ns",
                        .name = name,
                        .uid = name,
                        .group = gang.name,
                        .node_name = node,
                        .status = node.empty() ? TaskStatus::Pending : TaskStatus::Running,
                        .shape = shape(gang),
                        .labels = state_.label_sets.intern({}),
                        .role = state_.names.intern("t"),
                        .gated = !gang.gates.empty(),
                        .gates = state_.names.intern(gang.gates)});
  }
  model::JobId add_gang(const GangDraft& gang) {
    model::JobSpec spec{.ns = "ns", .name = gang.name, .queue = gang.queue, .min_available = gang.min};
    spec.min_resources.emplace();
    spec.min_resources->set(gpu_, gang.min * gang.gpus * kUnit);
    if (gang.all_needed) spec.min_task_member = {{state_.names.intern("t"), gang.min}};
    spec.status.phase = gang.phase;
    const model::JobId id = state_.upsert_job(spec);
    for (int i = 0; i < gang.pods; ++i) add_pod(gang, i);
    return id;
  }
  // A pod of somebody else that runs.
  void occupy(const std::string& node, Amount gpus) {
    const GangDraft other{.name = "other-" + node, .pods = 0, .min = 0, .gpus = gpus};
    add_gang(other);
    add_pod(other, 0, node);
  }
  std::string why(model::JobId id, const LastAttempt& last = {}) {
    HeldByQueue held(state_.queue_rows());
    for (size_t j = 0; j < state_.job_rows(); ++j) {
      const model::Job& job = state_.job(model::JobId(j));
      if (job.schedulable()) held[job.queue_id].add(job.allocated);
    }
    const auto wait = WaitText(state_, limits_, held).explain(id, last);
    return wait ? std::string(to_string(wait->reason)) + " " + wait->message : "";
  }
  void limit_queue(Amount now, Amount ever) {
    engine::QueueLimit limit{.queue = queue_, .at = queue_};
    limit.now.set(gpu_, static_cast<double>(now * kUnit));
    limit.ever.set(gpu_, static_cast<double>(ever * kUnit));
    limits_.push_back(limit);
  }

  model::ClusterState state_;
  const model::ResourceId gpu_ = state_.schema.intern("nvidia.com/gpu");
  const NameId tcp_ = state_.names.intern("TCP");
  model::QueueId queue_;
  std::vector<engine::QueueLimit> limits_;
};

TEST_F(WaitTextTest, WhatIsLargerThanTheClusterNeverRuns) {
  EXPECT_EQ(why(add_gang({.pods = 5, .min = 5})),
            "NeverFits needs 40 nvidia.com/gpu, the cluster has 32: cannot ever run");
  // Before it has pods, too.
  EXPECT_EQ(why(add_gang({.name = "h", .pods = 0, .min = 5, .phase = PodGroupPhase::Pending})),
            "NeverFits needs 40 nvidia.com/gpu, the cluster has 32: cannot ever run");
}

TEST_F(WaitTextTest, WhatFitsNoNodeNeverRuns) {
  EXPECT_EQ(why(add_gang({.gpus = 16})),
            "NeverFits needs 16 nvidia.com/gpu in one pod, the largest node has 8: cannot ever run");
  EXPECT_EQ(why(add_gang({.name = "h", .pods = 6, .min = 6, .gpus = 5})),
            "NeverFits needs 6 × 5 nvidia.com/gpu, the empty cluster has room for 4 such pods: cannot ever run");
}

TEST_F(WaitTextTest, AQueueThatIsFull) {
  occupy("n1", 6);
  const model::JobId job = add_gang({});
  limit_queue(12, 24);
  EXPECT_EQ(why(job), "QueueFull needs 8 nvidia.com/gpu; queue default holds 6 of 12");
  limits_.clear();
  limit_queue(4, 4);
  EXPECT_EQ(why(job), "NeverFits needs 8 nvidia.com/gpu, queue default may hold 4: cannot ever run");
  limits_.clear();
  limit_queue(32, 32);  // the whole cluster: the queue is not in the way
  EXPECT_EQ(why(job).substr(0, 12), "WaitsItsTurn");
}

TEST_F(WaitTextTest, AClusterThatIsFull) {
  for (const char* node : {"n1", "n2", "n3", "n4"}) occupy(node, 7);
  EXPECT_EQ(why(add_gang({.pods = 2, .min = 2})), "ClusterFull needs 16 nvidia.com/gpu; the cluster has 4 of 32 free");
}

TEST_F(WaitTextTest, RoomInPiecesThatAreTooSmall) {
  for (const char* node : {"n2", "n3", "n4"}) occupy(node, 5);
  EXPECT_EQ(why(add_gang({.name = "h", .pods = 3, .min = 3, .gpus = 4})),
            "Fragmented needs 3 × 4 nvidia.com/gpu; largest free blocks 8, 3, 3");
}

// A master and workers, or the like: shapes of one gang that stand beside each other.
TEST_F(WaitTextTest, SeveralShapesThatFitOnlyApart) {
  for (const char* node : {"n3", "n4"}) occupy(node, 5);
  const model::JobId gang = add_gang({.pods = 2, .min = 3, .gpus = 8});
  add_pod({.name = "g", .gpus = 6}, 2);
  EXPECT_EQ(why(gang), "Fragmented needs 2 × 8 + 1 × 6 nvidia.com/gpu; largest free blocks 8, 8, 3");
  for (const char* node : {"n3", "n4"}) {
    state_.remove_job("ns", std::string("other-") + node);
    state_.remove_task(std::string("other-") + node + "-t-0");
  }
  EXPECT_EQ(why(gang).substr(0, 12), "WaitsItsTurn");
}

TEST_F(WaitTextTest, SeveralShapesThatNeverFitTogether) {
  const model::JobId gang = add_gang({.pods = 4, .min = 5, .gpus = 5});
  add_pod({.name = "g", .gpus = 8}, 4);
  EXPECT_EQ(why(gang),
            "NeverFits needs 1 × 8 + 4 × 5 nvidia.com/gpu, 4 empty nodes with up to 8 have no room for all of them: "
            "cannot ever run");
  add_node("n5", {}, /*cordoned=*/true);  // one day
  EXPECT_EQ(why(gang), "Fragmented needs 1 × 8 + 4 × 5 nvidia.com/gpu; largest free blocks 8, 8, 8");
  add_node("n5");
  EXPECT_EQ(why(gang).substr(0, 12), "WaitsItsTurn");
}

TEST_F(WaitTextTest, NodesThatAreAwayForAWhileCountAsNodes) {
  const model::JobId gang = add_gang({.pods = 4, .min = 4});
  const std::string later =
      "ClusterFull needs 32 nvidia.com/gpu; the 3 nodes that match have 24 of 24 free, 1 more is cordoned or not ready";
  add_node("n4", {}, /*cordoned=*/true);
  EXPECT_EQ(why(gang), later);
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable",
                          "node.cloudprovider.kubernetes.io/uninitialized", "ToBeDeletedByClusterAutoscaler"}) {
    add_node("n4", {{.key = state_.names.intern(key), .value = kEmptyName}});
    EXPECT_EQ(why(gang), later) << key;
  }
  EXPECT_EQ(why(add_gang({.name = "h", .pods = 5, .min = 5})),
            "NeverFits needs 40 nvidia.com/gpu, the cluster has 32: cannot ever run");
  // A node for others stays one.
  add_node("n4", {{.key = state_.names.intern("team"), .value = state_.names.intern("a")}});
  EXPECT_EQ(why(gang), "NeverFits needs 32 nvidia.com/gpu, the 3 nodes that match have 24: cannot ever run");
}

TEST_F(WaitTextTest, AJobWithoutPodsYetThatNeedsTooMuchInOne) {
  for (const char* node : {"n1", "n2", "n3", "n4"}) occupy(node, 8);
  const model::JobId one =
      add_gang({.pods = 0, .min = 1, .gpus = 16, .phase = PodGroupPhase::Pending, .all_needed = true});
  EXPECT_EQ(why(one, {.minimum_is_exact = true}),
            "NeverFits needs 16 nvidia.com/gpu in one pod, the largest node has 8: cannot ever run");
  EXPECT_EQ(why(one), "ClusterFull needs 16 nvidia.com/gpu; the cluster has 0 of 32 free");  // a minimum may be a wish
  const model::JobId two =
      add_gang({.name = "h", .pods = 0, .min = 2, .gpus = 9, .phase = PodGroupPhase::Pending, .all_needed = true});
  EXPECT_EQ(why(two, {.minimum_is_exact = true}),
            "NeverFits needs 18 nvidia.com/gpu in 2 pods, the largest node has 8: cannot ever run");
  // Where any pods make up the gang, smaller ones may.
  const model::JobId any = add_gang({.name = "k", .pods = 0, .min = 2, .gpus = 9, .phase = PodGroupPhase::Pending});
  EXPECT_EQ(why(any, {.minimum_is_exact = true}).substr(0, 11), "ClusterFull");
}

// A gang that is not let in has no pods; its job's templates say what they will be.
TEST_F(WaitTextTest, BeforeItHasPodsAGangSaysWhatItsPodsWould) {
  for (const char* node : {"n1", "n2", "n3", "n4"}) occupy(node, 8);
  const auto outside = [&](GangDraft gang) {
    gang.pods = 0;
    gang.phase = PodGroupPhase::Pending;
    return add_gang(gang);
  };
  const auto planned = [&](const GangDraft& gang, int32_t count) {
    return LastAttempt{.planned = {{.role = "t", .count = count, .shape = shape(gang)}}};
  };
  const model::JobId picky = outside({.name = "picky"});
  EXPECT_EQ(why(picky), "ClusterFull needs 8 nvidia.com/gpu; the cluster has 0 of 32 free");
  EXPECT_EQ(why(picky, planned({.wants_ssd = true}, 1)),
            "NoNodeMatches no node matches: 4 of 4 have other labels than the node selector or affinity asks for: "
            "cannot ever run");
  EXPECT_EQ(why(outside({.name = "large", .gpus = 16}), planned({.gpus = 16}, 1)),
            "NeverFits needs 16 nvidia.com/gpu in one pod, the largest node has 8: cannot ever run");
  EXPECT_EQ(why(outside({.name = "full", .min = 2}), planned({}, 2)),
            "ClusterFull needs 16 nvidia.com/gpu; the cluster has 0 of 32 free");
  LastAttempt gated = planned({}, 1);
  gated.planned[0].gates = "example.com/hold";
  EXPECT_EQ(why(outside({.name = "gated"}), gated), "Gated held by scheduling gate example.com/hold: 1 of 1 pods");
  LastAttempt stray = planned({}, 1);
  stray.planned[0].node_name = "n9";
  const model::JobId on_n9 = outside({.name = "stray"});
  EXPECT_EQ(why(on_n9, stray), "NoNodeMatches 1 of 1 pods are for a node that does not exist: cannot ever run");
  // Its pods win over what was planned.
  add_pod({.name = "picky"}, 0);
  EXPECT_EQ(why(picky, planned({.wants_ssd = true}, 1)).substr(0, 11), "ClusterFull");
}

TEST_F(WaitTextTest, PodsForANodeThatDoesNotExist) {
  const GangDraft gang{.pods = 0, .min = 2};
  const model::JobId job = add_gang(gang);
  add_pod(gang, 0, "n1");
  state_.upsert_task({.ns = "ns",
                      .name = "g-t-1",
                      .uid = "g-t-1",
                      .group = "g",
                      .node_name = "n9",
                      .status = TaskStatus::Bound,
                      .shape = shape(gang),
                      .labels = state_.label_sets.intern({}),
                      .role = state_.names.intern("t"),
                      .gates = kEmptyName});
  EXPECT_EQ(why(job), "NoNodeMatches 1 of 2 pods are for a node that does not exist: cannot ever run");
  add_node("n9");
  EXPECT_EQ(why(job), "");
}

TEST_F(WaitTextTest, HostPortsTakeANodeForEachPod) {
  EXPECT_EQ(why(add_gang({.name = "web", .pods = 5, .min = 5, .gpus = 1, .host_port = 80})),
            "NeverFits needs host port 80 on 5 nodes, 4 match: cannot ever run");
  const GangDraft other{.name = "other", .pods = 0, .min = 0, .gpus = 1, .host_port = 80};
  add_gang(other);
  for (int i = 0; i < 3; ++i) add_pod(other, i, "n" + std::to_string(i + 1));
  EXPECT_EQ(why(add_gang({.name = "small", .pods = 2, .min = 2, .gpus = 1, .host_port = 80})),
            "NoNodeMatches needs host port 80 on 2 nodes; it is free on 1 of 4");
  EXPECT_EQ(why(add_gang({.name = "one", .gpus = 1, .host_port = 80})).substr(0, 12), "WaitsItsTurn");
}

TEST_F(WaitTextTest, GatesAreNamedOnce) {
  EXPECT_EQ(why(add_gang({.pods = 2, .min = 2, .gates = "b, a"})), "Gated held by scheduling gates a, b: 2 of 2 pods");
}

TEST_F(WaitTextTest, NodesThatDoNotMatch) {
  EXPECT_EQ(why(add_gang({.wants_ssd = true})),
            "NoNodeMatches no node matches: 4 of 4 have other labels than the node selector or affinity asks for: "
            "cannot ever run");
  for (const char* node : {"n1", "n2", "n3", "n4"}) state_.remove_node(node);
  add_node("t1", {{.key = state_.names.intern("k"), .value = kEmptyName}});
  EXPECT_EQ(why(add_gang({.name = "h"})),
            "NoNodeMatches no node matches: 1 of 1 has a taint that the pods do not tolerate: cannot ever run");
  add_node("t1", {}, /*cordoned=*/true);
  EXPECT_EQ(why(state_.find_job("ns", "h")), "NoNodeMatches no node matches: 1 of 1 is cordoned");
  add_node("t1", {{.key = state_.names.intern("node.kubernetes.io/not-ready"), .value = kEmptyName}});
  EXPECT_EQ(why(state_.find_job("ns", "h")),
            "NoNodeMatches no node matches: 1 of 1 has a taint that the pods do not tolerate");
  // Of two causes the lasting one is told.
  add_node("t1", {{.key = state_.names.intern("k"), .value = kEmptyName}}, /*cordoned=*/true);
  EXPECT_EQ(why(state_.find_job("ns", "h")),
            "NoNodeMatches no node matches: 1 of 1 has a taint that the pods do not tolerate: cannot ever run");
  state_.remove_node("t1");
  EXPECT_EQ(why(state_.find_job("ns", "h")), "NoNodeMatches the cluster has no nodes");
}

TEST_F(WaitTextTest, QueuesThatTakeNothingAndPodsThatAreNotThere) {
  EXPECT_EQ(why(add_gang({.queue = "dev"})), "QueueMissing queue dev does not exist");
  state_.upsert_queue({.name = "dev", .state = model::QueueState::Closed});
  EXPECT_EQ(why(state_.find_job("ns", "g")), "QueueClosed queue dev is Closed and takes no jobs");
  EXPECT_EQ(why(add_gang({.name = "h", .pods = 1, .min = 3})), "PodsMissing has 1 of the 3 pods that it needs");
}

TEST_F(WaitTextTest, WhatOnlyTheCycleKnows) {
  const model::JobId job = add_gang({.pods = 2, .min = 2});
  EXPECT_EQ(why(job, {.room_on = "n1"}),
            "RoomBeingFreed needs 8 nvidia.com/gpu; waits for pods that are leaving node n1");
  EXPECT_EQ(why(job, {.failure = "0/4 nodes are unavailable: 4 x."}), "NoNodeMatches 0/4 nodes are unavailable: 4 x.");
  EXPECT_EQ(why(job, {.refused_by = "resourcequota", .refusal = "quota"}), "QuotaFull quota");
  EXPECT_EQ(why(job, {.failure = "0/4 nodes are unavailable: 4 Insufficient x."}),
            "Fragmented 0/4 nodes are unavailable: 4 Insufficient x.");
  EXPECT_EQ(why(job, {.failure = "queue default has no room left", .queue_refused = true}),
            "QueueFull queue default has no room left");
}

TEST_F(WaitTextTest, WhoHasItsPlacesDoesNotWait) {
  const GangDraft gang{.pods = 0, .min = 1};
  const model::JobId job = add_gang(gang);
  add_pod(gang, 0, "n1");
  EXPECT_EQ(why(job), "");
}

}  // namespace
}  // namespace basalt::state

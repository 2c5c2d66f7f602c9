#include "engine/plugins/nodeorder/nodeorder.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/core/node_search.h"
#include "engine/model/pod_world.h"
#include "engine/plugins/plugin_test_world.h"

namespace basalt::plugins {
namespace {

using model::NodeId;
using model::PodShape;
using model::TaskId;

struct NodeOrderWorld : model::PodWorld {
  engine::CycleMemory memory;
  engine::Policy policy;
  Rng rng{1};
  std::unique_ptr<engine::Session> session;

  // Only the named parts count, each with weight 1.
  void open(std::initializer_list<const char*> parts) {
    engine::ArgumentMap arguments;
    for (const char* key : {"leastrequested", "mostrequested", "balancedresource", "imagelocality", "nodeaffinity",
                            "tainttoleration", "podaffinity", "podtopologyspread"}) {
      arguments[std::string(key) + ".weight"] = {int64_t{0}};
    }
    for (const char* part : parts) arguments[std::string(part) + ".weight"] = {int64_t{1}};
    policy = {};
    engine::Policy::Plugin plugin{.name = "nodeorder"};
    plugin.flags.fill(true);
    plugin.make = *engine::plugin_entry<NodeOrder>().configure(engine::Arguments(std::move(arguments)));
    policy.plugins.push_back(std::move(plugin));
    session = std::make_unique<engine::Session>(state, policy, Instant(), rng, memory);
    session->open();
  }
  std::vector<double> scores(TaskId task) { return engine::score_nodes(*session, task, state.nodes_by_name()); }
};

using Scores = std::vector<double>;

TEST(NodeOrder, ResourcePartsReadTheView) {
  NodeOrderWorld world;
  world.node({.name = "a", .cpu_milli = 4000, .memory = 4 * kGi});
  world.node({.name = "b", .cpu_milli = 4000, .memory = 4 * kGi});
  PodShape two{.request = {{.id = model::kCpu, .amount = 2000}}, .nonzero_cpu_milli = 2000, .nonzero_memory = kGi};
  world.pod({.name = "there", .shape = two, .node = "a"});
  PodShape one{.request = {{.id = model::kCpu, .amount = 1000}}, .nonzero_cpu_milli = 1000, .nonzero_memory = 0};
  const TaskId pod = world.pod({.name = "in", .shape = one});
  PodShape nothing{.nonzero_cpu_milli = 100, .nonzero_memory = kGi / 5, .best_effort = true};
  const TaskId idler = world.pod({.name = "idler", .shape = nothing});
  world.open({"leastrequested"});
  EXPECT_EQ(world.scores(pod), (Scores{50, 87}));  // a: (25 + 75) / 2; b: (75 + 100) / 2
  world.open({"balancedresource"});
  // a: 0.5 → 0.75 cpu against 0 memory: 75 before, 62 with; b: 0 → 0.25: 100 before, 87 with. (50 − 13) / 2 = 18.
  EXPECT_EQ(world.scores(pod), (Scores{68, 68}));
  EXPECT_EQ(world.scores(idler), (Scores{0, 0})) << "nothing asked for, no opinion";
}

TEST(NodeOrder, ImagesCountByTheShareOfNodes) {
  NodeOrderWorld world;
  const model::ImageState app{.name = world.name("app:1"), .size_bytes = int64_t{1000} << 20U};
  world.node({.name = "a", .images = {app}});
  world.node({.name = "b"});
  PodShape shape{.images = {app.name}, .containers = 1};
  const TaskId pod = world.pod({.name = "in", .shape = shape});
  world.open({"imagelocality"});
  EXPECT_EQ(world.scores(pod), (Scores{48, 0}));  // 1000 MiB · 1/2 = 500 MiB: 100 · 477 / 977
}

TEST(NodeOrder, ScaledPartsCompareTheCandidates) {
  NodeOrderWorld world;
  const model::Taint soft{.key = world.name("k"), .value = kEmptyName, .effect = model::TaintEffect::PreferNoSchedule};
  world.node({.name = "a", .labels = {{"disk", "ssd"}, {"host", "a"}}, .taints = {soft, soft}});
  world.node({.name = "b", .labels = {{"host", "b"}}, .taints = {soft}});
  world.node({.name = "c"});
  PodShape shape;
  shape.preferred_node_terms = {{.weight = 10, .term = {.labels = {world.require("disk", model::SelectorOp::Exists)}}},
                                {.weight = 20, .term = {.labels = {world.require("host", model::SelectorOp::Exists)}}}};
  shape.preferred_anti_affinity = {world.term("app", "db", "host", 40)};
  shape.spread = {{.topology_key = world.name("host"), .hard = false, .selector = world.having("app", "db")}};
  world.pod({.name = "there", .labels = {{"app", "db"}}, .node = "a"});
  const TaskId pod = world.pod({.name = "in", .shape = shape});
  const TaskId plain = world.pod({.name = "plain"});
  world.open({"nodeaffinity"});
  EXPECT_EQ(world.scores(pod), (Scores{100, 66, 0}));
  EXPECT_EQ(world.scores(plain), (Scores{0, 0, 0}));
  world.open({"tainttoleration"});
  EXPECT_EQ(world.scores(pod), (Scores{0, 50, 100}));
  world.open({"podaffinity"});
  EXPECT_EQ(world.scores(pod), (Scores{0, 100, 100}));  // −40, 0, 0
  EXPECT_EQ(world.scores(plain), (Scores{0, 0, 0}));
  world.open({"podtopologyspread"});
  EXPECT_EQ(world.scores(pod), (Scores{0, 100, 0})) << "c lacks the key";
  EXPECT_EQ(world.scores(plain), (Scores{0, 0, 0})) << "no constraints, no opinion";
}

}  // namespace
}  // namespace basalt::plugins

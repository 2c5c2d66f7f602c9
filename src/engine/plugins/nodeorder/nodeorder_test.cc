#include "engine/plugins/nodeorder/nodeorder.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/core/node_search.h"
#include "engine/model/model_fixture.h"
#include "engine/plugins/plugin_fixture.h"

namespace basalt::plugins {
namespace {

using model::NodeId;
using model::PodShape;
using model::TaskId;

struct NodeOrderWorld : model::ModelFixture {
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
  NodeOrderWorld fixture;
  fixture.node({.name = "a", .cpu_milli = 4000, .memory = 4 * kGi});
  fixture.node({.name = "b", .cpu_milli = 4000, .memory = 4 * kGi});
  PodShape two{.request = {{.id = model::kCpu, .amount = 2000}}, .nonzero_cpu_milli = 2000, .nonzero_memory = kGi};
  fixture.pod({.name = "there", .shape = two, .node = "a"});
  PodShape one{.request = {{.id = model::kCpu, .amount = 1000}}, .nonzero_cpu_milli = 1000, .nonzero_memory = 0};
  const TaskId pod = fixture.pod({.name = "in", .shape = one});
  PodShape nothing{.nonzero_cpu_milli = 100, .nonzero_memory = kGi / 5, .best_effort = true};
  const TaskId idler = fixture.pod({.name = "idler", .shape = nothing});
  fixture.open({"leastrequested"});
  EXPECT_EQ(fixture.scores(pod), (Scores{50, 87}));  // a: (25 + 75) / 2; b: (75 + 100) / 2
  fixture.open({"balancedresource"});
  // a: 0.5 → 0.75 cpu against 0 memory: 75 before, 62 with; b: 0 → 0.25: 100 before, 87 with. (50 − 13) / 2 = 18.
  EXPECT_EQ(fixture.scores(pod), (Scores{68, 68}));
  EXPECT_EQ(fixture.scores(idler), (Scores{0, 0})) << "nothing asked for, no opinion";
}

TEST(NodeOrder, ImagesCountByTheShareOfNodes) {
  NodeOrderWorld fixture;
  const model::ImageState app{.name = fixture.name("app:1"), .size_bytes = int64_t{1000} << 20U};
  fixture.node({.name = "a", .images = {app}});
  fixture.node({.name = "b"});
  PodShape shape{.images = {app.name}, .containers = 1};
  const TaskId pod = fixture.pod({.name = "in", .shape = shape});
  fixture.open({"imagelocality"});
  EXPECT_EQ(fixture.scores(pod), (Scores{48, 0}));  // 1000 MiB · 1/2 = 500 MiB: 100 · 477 / 977
}

TEST(NodeOrder, ScaledPartsCompareTheCandidates) {
  NodeOrderWorld fixture;
  const model::Taint soft{
      .key = fixture.name("k"), .value = kEmptyName, .effect = model::TaintEffect::PreferNoSchedule};
  fixture.node({.name = "a", .labels = {{"disk", "ssd"}, {"host", "a"}}, .taints = {soft, soft}});
  fixture.node({.name = "b", .labels = {{"host", "b"}}, .taints = {soft}});
  fixture.node({.name = "c"});
  PodShape shape;
  shape.preferred_node_terms = {
      {.weight = 10, .term = {.labels = {fixture.require("disk", model::SelectorOp::Exists)}}},
      {.weight = 20, .term = {.labels = {fixture.require("host", model::SelectorOp::Exists)}}}};
  shape.preferred_anti_affinity = {fixture.term("app", "db", "host", 40)};
  shape.spread = {{.topology_key = fixture.name("host"), .hard = false, .selector = fixture.having("app", "db")}};
  fixture.pod({.name = "there", .labels = {{"app", "db"}}, .node = "a"});
  const TaskId pod = fixture.pod({.name = "in", .shape = shape});
  const TaskId plain = fixture.pod({.name = "plain"});
  fixture.open({"nodeaffinity"});
  EXPECT_EQ(fixture.scores(pod), (Scores{100, 66, 0}));
  EXPECT_EQ(fixture.scores(plain), (Scores{0, 0, 0}));
  fixture.open({"tainttoleration"});
  EXPECT_EQ(fixture.scores(pod), (Scores{0, 50, 100}));
  fixture.open({"podaffinity"});
  EXPECT_EQ(fixture.scores(pod), (Scores{0, 100, 100}));  // −40, 0, 0
  EXPECT_EQ(fixture.scores(plain), (Scores{0, 0, 0}));
  fixture.open({"podtopologyspread"});
  EXPECT_EQ(fixture.scores(pod), (Scores{0, 100, 0})) << "c lacks the key";
  EXPECT_EQ(fixture.scores(plain), (Scores{0, 0, 0})) << "no constraints, no opinion";
}

}  // namespace
}  // namespace basalt::plugins

#include "engine/plugins/binpack.h"

#include <gtest/gtest.h>

#include "engine/core/node_search.h"
#include "engine/plugins/plugin_fixture.h"

namespace basalt::plugins {
namespace {

using engine::Argument;
using model::NodeId;
using model::TaskId;

class BinpackTest : public testing::Test {
 protected:
  void SetUp() override {
    half_ = world_.node({.name = "half", .cpu = 4000, .memory = 8 * kGi});
    empty_ = world_.node({.name = "empty", .cpu = 4000, .memory = 8 * kGi});
    full_ = world_.node({.name = "full", .cpu = 4000, .memory = 8 * kGi});
    world_.task({.name = "a", .node_name = "half"}, 2000, 2 * kGi);
    world_.task({.name = "b", .node_name = "full"}, 3500, 2 * kGi);
    task_ = world_.task({.name = "new", .group = "j"}, 1000, 2 * kGi);
  }
  std::vector<double> scores() {
    return engine::score_nodes(world_.session(), task_, std::vector{half_, empty_, full_});
  }

  PluginFixture world_;
  NodeId half_, empty_, full_;
  TaskId task_;
};

TEST_F(BinpackTest, fuller_nodes_score_higher_and_those_without_room_nothing) {
  world_.open<Binpack>();
  // half: cpu 3000/4000, memory 4/8: (0.75 + 0.5) / 2 · 100. empty: (0.25 + 0.25) / 2 · 100. full: 4500 > 4000.
  EXPECT_EQ(scores(), (std::vector<double>{62.5, 25, 0}));
}

TEST_F(BinpackTest, weights_scale_resources_and_the_whole) {
  world_.open<Binpack>({{"binpack.weight", Argument{int64_t{10}}},
                        {"binpack.cpu", Argument{int64_t{3}}},
                        {"binpack.memory", Argument{int64_t{-4}}}});  // −4 means 1
  // half: (0.75 · 3 + 0.5 · 1) / 4 · 1000. empty: (0.25 · 3 + 0.25) / 4 · 1000.
  EXPECT_EQ(scores(), (std::vector<double>{687.5, 250, 0}));
}

TEST_F(BinpackTest, listed_resources_count_and_an_absent_one_dilutes) {
  world_.open<Binpack>({{"binpack.resources", Argument{std::string("nvidia.com/gpu, pods")}},
                        {"binpack.resources.pods", Argument{int64_t{2}}},
                        {"binpack.memory", Argument{int64_t{0}}}});
  // pods 2/110 · 2; cpu as before; memory weighs 0.
  EXPECT_DOUBLE_EQ(scores()[0], (0.75 + 2.0 * 2 / 110) / 3 * 100);
}

TEST_F(BinpackTest, weight_zero_turns_it_off) {
  world_.open<Binpack>({{"binpack.weight", Argument{int64_t{0}}}});
  EXPECT_TRUE(world_.session().hooks.score.entries.empty());
  EXPECT_FALSE(Binpack::make(engine::Arguments({{"binpack.cpu", Argument{std::string("5")}}})));
}

}  // namespace
}  // namespace basalt::plugins

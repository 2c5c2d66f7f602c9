#include "engine/model/pod_classes.h"

#include <gtest/gtest.h>

#include "engine/model/pod_world.h"

namespace basalt::model {
namespace {

TEST(PodClasses, LabelsMatterOnlyWhereATermSeesThem) {
  PodWorld world;
  const TaskId first = world.pod({.name = "a", .labels = {{"index", "0"}, {"app", "web"}}});
  const TaskId second = world.pod({.name = "b", .labels = {{"index", "1"}, {"app", "web"}}});
  const TaskId other = world.pod({.name = "c", .labels = {{"index", "2"}, {"app", "db"}}});
  const TaskId foreign = world.pod({.name = "d", .ns = "x", .labels = {{"app", "db"}}});
  {
    PodClasses classes(world.state);
    EXPECT_FALSE(classes.concerns(world.state.shape_of(first)));
    EXPECT_EQ(classes.index_of(first), classes.index_of(other)) << "no terms anywhere: the shape says all";
  }
  PodShape shape;
  shape.required_anti_affinity = {world.term("app", "db", "host")};
  world.pod({.name = "picky", .shape = shape});
  PodClasses classes(world.state);
  EXPECT_NE(classes.epoch(), 0U);
  EXPECT_EQ(classes.index_of(first), classes.index_of(second));
  EXPECT_NE(classes.index_of(first), classes.index_of(other));
  EXPECT_EQ(classes.index_of(first), classes.index_of(foreign)) << "the term looks at its own namespace";
}

TEST(PodClasses, SpreadCountsInItsNamespace) {
  PodWorld world;
  PodShape shape;
  shape.spread = {{.topology_key = world.name("zone"), .selector = world.having("app", "web")}};
  const TaskId a = world.pod({.name = "a", .labels = {{"app", "web"}, {"index", "0"}}, .shape = shape});
  const TaskId b = world.pod({.name = "b", .labels = {{"app", "web"}, {"index", "1"}}, .shape = shape});
  const TaskId stranger = world.pod({.name = "c", .labels = {{"index", "2"}}, .shape = shape});
  const TaskId elsewhere = world.pod({.name = "a", .ns = "x", .labels = {{"app", "web"}}, .shape = shape});
  PodClasses classes(world.state);
  EXPECT_TRUE(classes.concerns(shape));
  EXPECT_EQ(classes.index_of(a), classes.index_of(b));
  EXPECT_NE(classes.index_of(a), classes.index_of(stranger));
  EXPECT_NE(classes.index_of(a), classes.index_of(elsewhere));
}

}  // namespace
}  // namespace basalt::model

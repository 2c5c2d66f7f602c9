#include "engine/model/pod_classes.h"

#include <gtest/gtest.h>

#include "engine/model/model_fixture.h"

namespace basalt::model {
namespace {

TEST(PodClasses, LabelsMatterOnlyWhereATermSeesThem) {
  ModelFixture fixture;
  const TaskId first = fixture.pod({.name = "a", .labels = {{"index", "0"}, {"app", "web"}}});
  const TaskId second = fixture.pod({.name = "b", .labels = {{"index", "1"}, {"app", "web"}}});
  const TaskId other = fixture.pod({.name = "c", .labels = {{"index", "2"}, {"app", "db"}}});
  const TaskId foreign = fixture.pod({.name = "d", .ns = "x", .labels = {{"app", "db"}}});
  {
    PodClasses classes(fixture.state);
    EXPECT_FALSE(classes.concerns(fixture.state.shape_of(first)));
    EXPECT_EQ(classes.index_of(first), classes.index_of(other)) << "no terms anywhere: the shape says all";
  }
  PodShape shape;
  shape.required_anti_affinity = {fixture.term("app", "db", "host")};
  fixture.pod({.name = "picky", .shape = shape});
  PodClasses classes(fixture.state);
  EXPECT_NE(classes.epoch(), 0U);
  EXPECT_EQ(classes.index_of(first), classes.index_of(second));
  EXPECT_NE(classes.index_of(first), classes.index_of(other));
  EXPECT_EQ(classes.index_of(first), classes.index_of(foreign)) << "the term looks at its own namespace";
}

TEST(PodClasses, SpreadCountsInItsNamespace) {
  ModelFixture fixture;
  PodShape shape;
  shape.spread = {{.topology_key = fixture.name("zone"), .selector = fixture.having("app", "web")}};
  const TaskId a = fixture.pod({.name = "a", .labels = {{"app", "web"}, {"index", "0"}}, .shape = shape});
  const TaskId b = fixture.pod({.name = "b", .labels = {{"app", "web"}, {"index", "1"}}, .shape = shape});
  const TaskId stranger = fixture.pod({.name = "c", .labels = {{"index", "2"}}, .shape = shape});
  const TaskId elsewhere = fixture.pod({.name = "a", .ns = "x", .labels = {{"app", "web"}}, .shape = shape});
  PodClasses classes(fixture.state);
  EXPECT_TRUE(classes.concerns(shape));
  EXPECT_EQ(classes.index_of(a), classes.index_of(b));
  EXPECT_NE(classes.index_of(a), classes.index_of(stranger));
  EXPECT_NE(classes.index_of(a), classes.index_of(elsewhere));
}

}  // namespace
}  // namespace basalt::model

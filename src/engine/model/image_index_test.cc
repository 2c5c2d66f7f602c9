#include "engine/model/image_index.h"

#include <gtest/gtest.h>

#include "engine/model/pod_world.h"

namespace basalt::model {
namespace {

TEST(ImageIndex, CountsNodesThroughTheirLives) {
  PodWorld world;
  const ImageState app{.name = world.name("app:1"), .size_bytes = 5};
  const ImageState other{.name = world.name("other:1"), .size_bytes = 7};
  const ImageIndex& images = world.state.images;
  world.node({.name = "a", .images = {app, other, app}});
  world.node({.name = "b", .images = {app}});
  EXPECT_EQ(images.nodes_with(app.name), 2);
  EXPECT_EQ(images.nodes_with(other.name), 1);
  const uint64_t before = images.version();
  world.node({.name = "b", .labels = {{"x", "y"}}, .images = {app}});
  EXPECT_EQ(images.version(), before) << "labels are no images";
  world.node({.name = "b"});
  EXPECT_EQ(images.nodes_with(app.name), 1);
  world.state.remove_node("a");
  EXPECT_TRUE(images.empty());
  EXPECT_NE(images.version(), before);
}

}  // namespace
}  // namespace basalt::model

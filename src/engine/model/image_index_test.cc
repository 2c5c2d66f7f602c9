#include "engine/model/image_index.h"

#include <gtest/gtest.h>

#include "engine/model/model_fixture.h"

namespace basalt::model {
namespace {

TEST(ImageIndex, CountsNodesThroughTheirLives) {
  ModelFixture fixture;
  const ImageState app{.name = fixture.name("app:1"), .size_bytes = 5};
  const ImageState other{.name = fixture.name("other:1"), .size_bytes = 7};
  const ImageIndex& images = fixture.state.images;
  fixture.node({.name = "a", .images = {app, other, app}});
  fixture.node({.name = "b", .images = {app}});
  EXPECT_EQ(images.nodes_with(app.name), 2);
  EXPECT_EQ(images.nodes_with(other.name), 1);
  const uint64_t before = images.version();
  fixture.node({.name = "b", .labels = {{"x", "y"}}, .images = {app}});
  EXPECT_EQ(images.version(), before) << "labels are no images";
  fixture.node({.name = "b"});
  EXPECT_EQ(images.nodes_with(app.name), 1);
  fixture.state.remove_node("a");
  EXPECT_TRUE(images.empty());
  EXPECT_NE(images.version(), before);
}

}  // namespace
}  // namespace basalt::model

#include "control/node/local/image_mappings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basalt::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

ImageMappings parsed(std::string_view yaml) {
  auto images = ImageMappings::parse(yaml);
  EXPECT_TRUE(images) << images.error().message;
  return images ? *images : ImageMappings();
}

Words argv(const ImageMappings& images, std::string_view image, const Words& command, const Words& args) {
  auto start = images.start_of(image, command, args);
  EXPECT_TRUE(start) << start.error().message;
  return start ? start->argv : Words();
}

TEST(ImagesTest, PatternsHaveStars) {
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("*/torch:*", "docker.io/x/torch:2"));
  EXPECT_TRUE(matches_pattern("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(matches_pattern("a*b*c", "a-c-b"));
  EXPECT_FALSE(matches_pattern("torch", "torch:2"));
  EXPECT_TRUE(matches_pattern("torch", "torch"));
  EXPECT_FALSE(matches_pattern("", "x"));
}

TEST(ImagesTest, WithoutAnEntryTheCommandRunsOnTheHost) {
  const ImageMappings none;
  EXPECT_THAT(argv(none, "busybox", {"sleep"}, {"1"}), ElementsAre("sleep", "1"));
  EXPECT_THAT(argv(none, "busybox", {}, {"env"}), ElementsAre("env"));
  const auto start = none.start_of("busybox", {}, {});
  ASSERT_FALSE(start);
  EXPECT_THAT(start.error().message, HasSubstr("image \"busybox\""));
  EXPECT_THAT(start.error().message, HasSubstr("- image: busybox\n  entrypoint: [PROGRAM]"));
}

TEST(ImagesTest, RootPrefixAndDefaults) {
  const ImageMappings images = parsed(R"(
images:
- image: torch:*
  root: /srv/torch
  entrypoint: [python3]
  cmd: [--version]
  env: {THREADS: 4, EMPTY: ~}
  workingDir: /w
- image: "*mpi*"
  prefix: [apptainer, exec, /srv/mpi.sif]
- image: "*"
  entrypoint: [echo]
)");
  EXPECT_THAT(argv(images, "torch:2", {}, {}), ElementsAre("python3", "--version"));
  EXPECT_THAT(argv(images, "torch:2", {}, {"train.py"}), ElementsAre("python3", "train.py"));
  EXPECT_THAT(argv(images, "docker.io/library/torch:2", {"sh"}, {}), ElementsAre("sh"));
  EXPECT_THAT(argv(images, "org/mpi:1", {"mpirun"}, {"-n", "2"}),
              ElementsAre("apptainer", "exec", "/srv/mpi.sif", "mpirun", "-n", "2"));
  EXPECT_THAT(argv(images, "any", {}, {}), ElementsAre("echo"));
  const auto start = images.start_of("torch:2", {}, {});
  ASSERT_TRUE(start);
  EXPECT_EQ(start->root, "/srv/torch");
  EXPECT_EQ(start->working_directory, "/w");
  EXPECT_THAT(start->environment, ElementsAre(testing::Pair("EMPTY", ""), testing::Pair("THREADS", "4")));
}

TEST(ImagesTest, ABareListAndAnEmptyFile) {
  EXPECT_EQ(parsed("- image: a\n- image: b\n").size(), 2U);
  EXPECT_EQ(parsed("").size(), 0U);
  EXPECT_NE(parsed("- image: nginx\n").find("nginx:latest"), nullptr);
}

struct Wrong {
  const char* yaml;
  const char* message;
};

TEST(ImagesTest, MistakesAreNamedWithTheirLine) {
  const Wrong wrongs[] = {
      {"images:\n- root: /x\n", "line 2: images[0].image: is required"},
      {"- image: a\n  rot: /x\n", "line 2: [0].rot: unknown field"},
      {"- image: a\n  root: x\n", "line 2: [0].root: must be an absolute path"},
      {"- image: a\n  root: /x\n  prefix: [p]\n", "line 3: [0].prefix: an image has a root or a prefix"},
      {"- image: a\n  prefix: []\n", "must have a program"},
      {"- image: a\n  entrypoint: python\n", "expected a list"},
      {"- image: a\n  env: {A=B: c}\n", "is no name of a variable"},
      {"imagess: []\n", "expected a list of images"},
      {"images: []\nmore: 1\n", "line 2: more: unknown field"},
      {"- just text\n", "expected an object"},
      {"a: [", "line"},
      {"7", "expected"},
  };
  for (const Wrong& wrong : wrongs) {
    const auto images = ImageMappings::parse(wrong.yaml);
    ASSERT_FALSE(images) << wrong.yaml;
    EXPECT_THAT(images.error().message, HasSubstr(wrong.message)) << wrong.yaml;
  }
  EXPECT_THAT(ImageMappings::read("/no/such/file").error().message, HasSubstr("/no/such/file"));
}

}  // namespace
}  // namespace basalt::node

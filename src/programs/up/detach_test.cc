#include "programs/up/detach.h"

#include <gmock/gmock.h>

namespace basalt::up {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> child(std::vector<std::string> texts, const DetachOptions& plan) {
  std::vector<char*> words;
  for (std::string& text : texts) words.push_back(text.data());
  return words_of_child(words, plan, 7);
}

TEST(Detach, TheNewProcessDoesNotDetachAgain) {
  const DetachOptions plan{.state = "/var/b"};
  const auto expected = ElementsAre("basalt", "up", "--port", "0", "--state", "/var/b", "--ready-descriptor=7");
  EXPECT_THAT(child({"--detach", "--port", "0"}, plan), expected);
  EXPECT_THAT(child({"--port", "0", "--detach=true"}, plan), expected);
  EXPECT_THAT(child({"--detach", "--state", "s"}, {.state = "s", .state_given = true}),
              ElementsAre("basalt", "up", "--state", "s", "--ready-descriptor=7"));
}

TEST(Detach, TheHintsNameTheStateThatWasGiven) {
  EXPECT_EQ(state_flag("/var/b", false), "");
  EXPECT_EQ(state_flag("./lab", true), " --state ./lab");
  EXPECT_EQ(state_flag("my lab's", true), R"( --state 'my lab'\''s')");
}

}  // namespace
}  // namespace basalt::up

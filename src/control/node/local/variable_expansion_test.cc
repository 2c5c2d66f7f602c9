#include "control/node/local/variable_expansion.h"

#include <gtest/gtest.h>

namespace basalt::node {
namespace {

const Variables kVariables = {{"A", "one"}, {"B", "$(A)"}, {"EMPTY", ""}, {"a.b-c", "dotted"}};

TEST(Expansion, PutsValuesInOnce) {
  struct Case {
    std::string_view text, expanded;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"", ""},
           {"plain", "plain"},
           {"$(A)", "one"},
           {"x$(A)y$(A)z", "xoneyonez"},
           {"$(B)", "$(A)"},
           {"[$(EMPTY)]", "[]"},
           {"$(a.b-c)", "dotted"},
           {"$(NONE)", "$(NONE)"},
           {"$$(A)", "$(A)"},
           {"$$$(A)", "$one"},
           {"$$$$(A)", "$$(A)"},
           {"$$", "$"},
           {"$", "$"},
           {"a$", "a$"},
           {"$A", "$A"},
           {"$(A", "$(A"},
           {"$($(A))", "$($(A))"},
           {"$()", "$()"},
           {"$(A)$", "one$"},
           {"5$ and $(A)", "5$ and one"},
       }) {
    EXPECT_EQ(expand(one.text, kVariables).value(), one.expanded) << one.text;
  }
}

TEST(Expansion, DoublingEndsAtTheBound) {
  Variables variables = {{"V0", std::string(1000, 'x')}};
  Result<std::string> last = std::string();
  for (int i = 1; i < 40 && last; ++i) {
    const std::string former = "$(V" + std::to_string(i - 1) + ")";
    last = expand(former + former, variables);
    if (last) variables["V" + std::to_string(i)] = *last;
  }
  ASSERT_FALSE(last);
  EXPECT_NE(last.error().message.find("131071 bytes"), std::string::npos) << last.error().message;
  EXPECT_FALSE(expand(std::string(kMaxExpandedBytes + 1, 'x'), variables));
  EXPECT_TRUE(expand(std::string(kMaxExpandedBytes, 'x'), variables));
}

}  // namespace
}  // namespace basalt::node

#include "engine/model/taints.h"

#include <gtest/gtest.h>

namespace basalt::model {
namespace {

TEST(Tolerates, FollowsKubernetes) {
  StringPool names;
  const NameId gpu = names.intern("gpu");
  const NameId yes = names.intern("yes");
  const Taint taint{.key = gpu, .value = yes, .effect = TaintEffect::NoSchedule};
  struct Case {
    const char* what;
    Toleration toleration;
    bool expected;
  };
  const Case cases[] = {
      {"equal", {.key = gpu, .value = yes, .effect = TaintEffect::NoSchedule}, true},
      {"another value", {.key = gpu, .value = names.intern("no"), .effect = TaintEffect::NoSchedule}, false},
      {"another key", {.key = names.intern("tpu"), .value = yes}, false},
      {"another effect", {.key = gpu, .value = yes, .effect = TaintEffect::NoExecute}, false},
      {"any effect", {.key = gpu, .value = yes, .effect = TaintEffect::Any}, true},
      {"exists", {.key = gpu, .exists = true}, true},
      {"exists, another key", {.key = names.intern("tpu"), .exists = true}, false},
      {"everything", {.key = kEmptyName, .exists = true}, true},
      {"everything of another effect",
       {.key = kEmptyName, .exists = true, .effect = TaintEffect::PreferNoSchedule},
       false},
      {"no key without exists", {.key = kEmptyName, .value = yes}, false},
  };
  for (const Case& c : cases) EXPECT_EQ(tolerates(c.toleration, taint), c.expected) << c.what;
}

TEST(Tolerates, OneOfSeveralSuffices) {
  StringPool names;
  const Taint taint{.key = names.intern("a"), .value = kEmptyName};
  const std::vector<Toleration> tolerations = {{.key = names.intern("b"), .exists = true},
                                               {.key = names.intern("a"), .exists = true}};
  EXPECT_TRUE(tolerates(tolerations, taint));
  EXPECT_FALSE(tolerates(std::span(tolerations).first(1), taint));
  EXPECT_FALSE(tolerates(std::span<const Toleration>(), taint));
}

}  // namespace
}  // namespace basalt::model

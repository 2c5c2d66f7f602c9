#include "control/kubernetes/watched_kinds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace basalt::kubernetes {
namespace {

text::Value definition(std::string_view versions) {
  return text::parse_json(fmt::format(R"({{"spec":{{"group":"play.io","scope":"Cluster","names":{{"plural":"toys",)"
                                      R"("kind":"Toy"}},"versions":[{}]}}}})",
                                      versions))
      .value();
}

TEST(WatchedKinds, BuiltInOnesAreStoredOnesAndHaveOneNameEach) {
  const WatchedKinds kinds;
  EXPECT_EQ(kinds.builtin("", "Pod").storage_name, "pods");
  EXPECT_EQ(kinds.find_owner("apps/v1beta9", "ReplicaSet")->replicas_path.back(), "replicas");
  EXPECT_NE(kinds.find("", "Event"), nullptr);
  EXPECT_EQ(kinds.find("events.k8s.io", "Event"), nullptr) << "the same objects";
  EXPECT_EQ(kinds.find("authentication.k8s.io", "TokenReview"), nullptr) << "never stored";
}

TEST(WatchedKinds, DefinitionsComeChangeAndGo) {
  WatchedKinds kinds;
  const text::Value one = definition(R"({"name":"v1","served":true,"storage":true})");
  const WatchedKind* toy = kinds.define(one.get_object());
  ASSERT_NE(toy, nullptr);
  EXPECT_FALSE(toy->namespaced);
  EXPECT_EQ(kinds.define(one.get_object()), nullptr) << "nothing new";
  const text::Value two =
      definition(R"({"name":"v1","served":false,"storage":true},{"name":"v2","served":true,"storage":false})");
  ASSERT_EQ(kinds.define(two.get_object()), toy);
  EXPECT_EQ(toy->resource.version, "v2");
  EXPECT_FALSE(WatchedKinds::is_served(definition(R"({"name":"v1","served":false,"storage":true})").get_object()));
  EXPECT_EQ(kinds.forget(two.get_object()), toy);
  EXPECT_EQ(kinds.find("play.io", "Toy"), nullptr);
  const KindId old = toy->id;
  EXPECT_NE(kinds.define(one.get_object())->id, old);
}

}  // namespace
}  // namespace basalt::kubernetes

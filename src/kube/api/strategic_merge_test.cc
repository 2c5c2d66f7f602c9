#include "kube/api/strategic_merge.h"

#include <gtest/gtest.h>

#include <string>

#include "kube/api/api_test_values.h"

namespace basalt::api {
namespace {

using text::Value;

// The object after the patch, or the code of the refusal.
std::string merged(std::string_view kind, std::string_view live, std::string_view patch) {
  const auto result = strategic_merge(*builtin_schemas().find(kind), json(live), json(patch));
  return result ? text::to_json(*result) : std::to_string(result.error().code);
}
std::string in_pod(std::string_view live, std::string_view patch) {
  return merged("io.k8s.api.core.v1.Pod", live, patch);
}

TEST(StrategicMerge, MergesMapsAndReplacesScalars) {
  EXPECT_EQ(in_pod(R"({"metadata":{"labels":{"a":"1","b":"2"}}})", R"({"metadata":{"labels":{"a":null,"c":"3"}}})"),
            R"({"metadata":{"labels":{"b":"2","c":"3"}}})");
  EXPECT_EQ(in_pod("{}", R"({"spec":{"nodeName":null,"hostname":"h"}})"), R"({"spec":{"hostname":"h"}})");
  EXPECT_EQ(in_pod(R"({"spec":{"tolerations":[{"key":"a"}]}})", R"({"spec":{"tolerations":[{"key":"b"}]}})"),
            R"({"spec":{"tolerations":[{"key":"b"}]}})");  // no merge key: replaced
}

TEST(StrategicMerge, MergesListsByKey) {
  const std::string live = R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}})";
  EXPECT_EQ(in_pod(live, R"({"spec":{"containers":[{"name":"b","image":"3"},{"name":"c","image":"4"}]}})"),
            R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"3"},{"name":"c","image":"4"}]}})");
  EXPECT_EQ(in_pod(live, R"({"spec":{"containers":[{"name":"a","$patch":"delete"}]}})"),
            R"({"spec":{"containers":[{"name":"b","image":"2"}]}})");
  EXPECT_EQ(in_pod(live, R"({"spec":{"containers":[{"name":"z","image":"9"},{"$patch":"replace"}]}})"),
            R"({"spec":{"containers":[{"name":"z","image":"9"}]}})");
  EXPECT_EQ(in_pod(live, R"({"spec":{"containers":[{"image":"3"}]}})"), "500");  // no merge key
}

TEST(StrategicMerge, OrdersElements) {
  const std::string live = R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})";
  EXPECT_EQ(in_pod(live, R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}]}})"),
            R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"name":"a"}]}})");
  EXPECT_EQ(in_pod(live, R"({"spec":{"$setElementOrder/containers":[{"name":"n"},{"name":"a"}],
                                     "containers":[{"name":"n"}]}})"),
            R"({"spec":{"containers":[{"name":"n"},{"name":"a"},{"name":"b"},{"name":"c"}]}})");
  EXPECT_EQ(in_pod(live, R"({"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"n"}]}})"),
            "500");
  EXPECT_EQ(in_pod(live, R"({"spec":{"$setElementOrder":[]}})"), "400");
  EXPECT_EQ(in_pod(live, R"({"spec":{"$setElementOrder/containers":"x"}})"), "500");
}

TEST(StrategicMerge, MergesPlainValuesAsSets) {
  const std::string live = R"({"metadata":{"finalizers":["a","b"]}})";
  EXPECT_EQ(in_pod(live, R"({"metadata":{"finalizers":["c","b"]}})"), R"({"metadata":{"finalizers":["c","a","b"]}})");
  EXPECT_EQ(in_pod(live, R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})"),
            R"({"metadata":{"finalizers":["b"]}})");
  EXPECT_EQ(in_pod(live, R"({"metadata":{"$deleteFromPrimitiveList":["a"]}})"), "400");
  EXPECT_EQ(in_pod(live, R"({"metadata":{"finalizers":[1]}})"), "500");
}

TEST(StrategicMerge, HonoursDirectivesOfMaps) {
  const std::string live = R"({"metadata":{"labels":{"a":"1"}},"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})";
  EXPECT_EQ(in_pod(live, R"({"metadata":{"labels":{"$patch":"replace","b":"2"}}})"),
            R"({"metadata":{"labels":{"b":"2"}},"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})");
  EXPECT_EQ(in_pod(live, R"({"metadata":{"labels":{"$patch":"delete"}}})"),
            R"({"metadata":{"labels":{}},"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})");
  EXPECT_EQ(in_pod(live, R"({"metadata":{"labels":{"$patch":"frob"}}})"), "500");
  EXPECT_EQ(
      in_pod(live, R"({"spec":{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/"}}]}})"),
      R"({"metadata":{"labels":{"a":"1"}},"spec":{"volumes":[{"name":"v","hostPath":{"path":"/"}}]}})");
  EXPECT_EQ(in_pod(live, R"({"spec":{"volumes":[{"name":"v","$retainKeys":["name"],"hostPath":{}}]}})"), "400");
  EXPECT_EQ(in_pod(live, "[]"), "400");
}

// A patch that names one element often merges the lists below it as often.
TEST(StrategicMerge, IsBoundedInTheElementsItMerges) {
  std::string variables;
  for (int i = 0; i < 10'000; ++i) variables += R"({"name":"e)" + std::to_string(i) + "\"},";
  const std::string live = R"({"spec":{"containers":[{"name":"c","env":[)" + variables + R"({"name":"last"}]}]}})";
  const auto often = [](int times) {
    std::string patch = R"({"spec":{"containers":[)";
    for (int i = 0; i < times; ++i) patch += R"({"name":"c","env":[{"name":"x"}]},)";
    return patch + R"({"name":"c","env":[{"name":"x"}]}]}})";
  };
  EXPECT_EQ(in_pod(live, often(30)), "413");
  EXPECT_NE(in_pod(live, often(3)), "413");
  EXPECT_NE(in_pod(live, R"({"spec":{"containers":[{"name":"c","env":[)" + variables + R"({"name":"new"}]}]}})"),
            "413");
}

}  // namespace
}  // namespace basalt::api

#include "kube/api/typed_decode.h"

#include <gtest/gtest.h>

#include "kube/api/any_object.h"
#include "kube/api/api_test_values.h"

namespace basalt::api {
namespace {

template <class T>
std::string message(const Result<T>& result) {
  return result ? "no error" : result.error().message;
}

TEST(Decode, ErrorsNameObjectAndField) {
  EXPECT_EQ(message(decode_pod(json(R"({"metadata":{"name":"web-0","namespace":"shop"},
                "spec":{"containers":[{"resources":{"requests":{"cpu":"1x"}}}]}})"))),
            "Pod shop/web-0: spec.containers[0].resources.requests.cpu: quantity \"1x\" is not a number with an "
            "optional suffix: write it like \"500m\", \"2\", \"1.5Gi\" or \"1e3\"");
  EXPECT_EQ(message(decode_pod(json(R"({"metadata":{"name":"p"},"spec":"x"})"))),
            "Pod p: spec: expected an object, got string \"x\"");
  EXPECT_EQ(message(decode_pod(json(R"({"metadata":{"name":"p","labels":{"a/b":1}}})"))),
            "Pod p: metadata.labels[a/b]: expected a string, got number 1");
  EXPECT_EQ(message(decode_node(json(R"({"metadata":{"name":"n"},"status":{"capacity":{"cpu":true}}})"))),
            "Node n: status.capacity.cpu: expected a quantity, got boolean true");
  EXPECT_EQ(message(decode_pod_group(json(R"({"metadata":{"name":"g"},"spec":{"minMember":3000000000}})"))),
            "PodGroup g: spec.minMember: expected an integer of 32 bits, got number 3000000000");
  EXPECT_EQ(message(decode_pod(json(R"({"metadata":{"name":"p","creationTimestamp":"yesterday"}})"))),
            "Pod p: metadata.creationTimestamp: time \"yesterday\" is not RFC 3339: write it like "
            "\"2024-05-01T12:00:00Z\"");
  EXPECT_EQ(message(decode_queue(json("{}"))), "Queue (no name): metadata: is required: give the object a name");
  EXPECT_EQ(message(decode_queue(json("[]"))), "Queue: expected an object, got a list");
}

TEST(Decode, QuantitiesMayBeNumbersOrEmpty) {
  const Node node = decode_node(json(R"({"metadata":{"name":"n"},"status":{"allocatable":
      {"cpu": 2, "memory": " 1Gi ", "a": 0.5, "b": "", "c": 1e3, "d": null, "big": 18446744073709551615}}})"))
                        .value();
  const ResourceList& a = node.status.allocatable;
  EXPECT_EQ(a.at("cpu").milli_value(), 2000);
  EXPECT_EQ(a.at("memory").value(), 1 << 30);
  EXPECT_EQ(a.at("a").milli_value(), 500);
  EXPECT_TRUE(a.at("b").is_zero());
  EXPECT_EQ(a.at("c").value(), 1000);
  EXPECT_TRUE(a.at("d").is_zero());
  EXPECT_EQ(a.at("big").value(), INT64_MAX);
}

TEST(Decode, NullAndUnknownFieldsAreIgnored) {
  const Pod pod = decode_pod(json(R"({"metadata":{"name":"p","labels":null,"managedFields":[1]},
      "spec":{"containers":[null],"affinity":null,"nodeName":null,"x":{"y":[]}},"status":null})"))
                      .value();
  EXPECT_EQ(pod.metadata.namespace_name, "default");
  EXPECT_EQ(pod.spec.containers.size(), 1U);
}

}  // namespace
}  // namespace basalt::api

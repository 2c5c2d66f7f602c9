#include "control/node/local/downward_api.h"

#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

const char* const kPod = R"({
  "metadata": {"name": "web-0", "namespace": "blue", "uid": "u-1",
               "labels": {"b": "2", "a": "say \"hi\""}, "annotations": {"x.io/note": "line\nline", "Any Key": "v"}},
  "spec": {"nodeName": "here", "serviceAccountName": "robot",
    "initContainers": [{"name": "init", "resources": {"limits": {"memory": "1Gi"}}}],
    "containers": [{"name": "main",
      "resources": {"requests": {"cpu": "250m", "memory": "100Mi"}, "limits": {"cpu": "1500m"}}}]}})";

PodPlacement place() {
  PodPlacement place{.host_address = "192.0.2.7", .pod_address = "127.64.0.9"};
  place.allocatable = {{"cpu", text::Quantity::from_units(8)},
                       {"memory", text::Quantity::parse("16Gi").value()},
                       {"hugepages-2Mi", text::Quantity::parse("1Gi").value()}};
  return place;
}

TEST(Downward, Fields) {
  const text::Object pod = json(kPod);
  struct Case {
    std::string_view path, value;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"metadata.name", "web-0"},
           {"metadata.namespace", "blue"},
           {"metadata.uid", "u-1"},
           {"metadata.labels", "a=\"say \\\"hi\\\"\"\nb=\"2\""},
           {"metadata.labels['b']", "2"},
           {"metadata.labels['none']", ""},
           {"metadata.annotations['x.io/note']", "line\nline"},
           {"metadata.annotations['Any Key']", "v"},
           {"spec.nodeName", "here"},
           {"spec.serviceAccountName", "robot"},
           {"status.hostIP", "192.0.2.7"},
           {"status.podIP", "127.64.0.9"},
           {"status.podIPs", "127.64.0.9"},
       }) {
    const auto value = field_value(pod, one.path, place());
    ASSERT_TRUE(value) << one.path << ": " << value.error().message;
    EXPECT_EQ(*value, one.value) << one.path;
  }
}

TEST(Downward, RefusesOtherPaths) {
  const text::Object pod = json(kPod);
  EXPECT_EQ(field_value(pod, "spec.containers", place()).error().message, "unsupported fieldPath: spec.containers");
  EXPECT_EQ(field_value(pod, "spec.x['y']", place()).error().message,
            "fieldPath \"spec.x['y']\" does not support subscript");
  for (const std::string_view path : {"", "['']", "metadata.labels['']", "metadata.labels['", "']", "['",
                                      "metadata.labels['a b']", "metadata.labels[\"a\"]"}) {
    EXPECT_FALSE(field_value(pod, path, place())) << path;
  }
}

std::string resource(const char* selector) {
  const text::Object pod = json(kPod);
  const text::Object written = json(selector);
  const api::ContainerView container(pod.at("spec").at("containers").at(0));
  const auto value = resource_value(pod, container, api::ResourceFieldSelectorView(written), place());
  return value ? *value : value.error().message;
}

TEST(Downward, Resources) {
  EXPECT_EQ(resource(R"({"resource": "limits.cpu"})"), "2");
  EXPECT_EQ(resource(R"({"resource": "limits.cpu", "divisor": "1m"})"), "1500");
  EXPECT_EQ(resource(R"({"resource": "limits.cpu", "divisor": "0"})"), "2");
  EXPECT_EQ(resource(R"({"resource": "limits.cpu", "divisor": "1u"})"), "1500");
  EXPECT_EQ(resource(R"({"resource": "requests.cpu", "divisor": "100m"})"), "3");
  EXPECT_EQ(resource(R"({"resource": "requests.memory", "divisor": "1Mi"})"), "100");
  EXPECT_EQ(resource(R"({"resource": "limits.memory", "divisor": "1Gi"})"), "16") << "no limit: what the node has";
  EXPECT_EQ(resource(R"({"resource": "limits.hugepages-2Mi"})"), "0");
  EXPECT_EQ(resource(R"({"resource": "requests.ephemeral-storage"})"), "0");
  EXPECT_EQ(resource(R"({"resource": "requests.memory", "containerName": "init", "divisor": "1Mi"})"), "1024")
      << "no request: the limit";
  EXPECT_EQ(resource(R"({"resource": "limits.cpu", "containerName": "nobody"})"), "container nobody not found");
  EXPECT_EQ(resource(R"({"resource": "limits.nvidia.com/gpu"})"),
            "unsupported container resource : limits.nvidia.com/gpu");
  EXPECT_EQ(resource(R"({"resource": "cpu"})"), "unsupported container resource : cpu");
  EXPECT_EQ(resource(R"({})"), "unsupported container resource : ");
  const text::Object limit = json(R"({"resource": "limits.cpu"})");
  EXPECT_FALSE(resource_value(json(kPod), {}, api::ResourceFieldSelectorView(limit), place()));
}

TEST(Downward, HostNames) {
  EXPECT_EQ(hostname_of(json(kPod)), "web-0");
  EXPECT_EQ(hostname_of(json(R"({"metadata": {"name": "x"}, "spec": {"hostname": "given"}})")), "given");
  text::Object pod;
  api::metadata_of(pod)["name"] = std::string(62, 'a') + "--" + std::string(100, 'b');
  EXPECT_EQ(hostname_of(pod), std::string(62, 'a'));
  EXPECT_EQ(hostname_of({}), "");
}

}  // namespace
}  // namespace basalt::node

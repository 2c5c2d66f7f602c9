#include "kube/api/pod_requests.h"

#include <gtest/gtest.h>

#include "kube/text/yaml.h"

namespace basalt::api {
namespace {

Pod pod(const std::string& spec, const std::string& status = "{}") {
  const auto doc = text::parse_yaml("{metadata: {name: p}, spec: " + spec + ", status: " + status + "}");
  return decode_pod(doc.value().value).value();
}

std::string text_of(const ResourceList& list) {
  std::string out;
  for (const auto& [name, quantity] : list) out += name + "=" + quantity.to_string() + " ";
  return out;
}

std::string requests(const std::string& spec, const std::string& status = "{}") {
  return text_of(pod_requests(pod(spec, status)));
}

TEST(PodRequests, SumsContainers) {
  EXPECT_EQ(requests("{containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}},"
                     "{resources: {requests: {cpu: 500m, nvidia.com/gpu: 1}}}]}"),
            "cpu=1500m memory=1Gi nvidia.com/gpu=1 ");
  EXPECT_EQ(requests("{containers: [{resources: {limits: {cpu: 1}}}]}"), "");
}

TEST(PodRequests, InitContainersCountAsAPeak) {
  EXPECT_EQ(requests("{containers: [{resources: {requests: {cpu: 1}}}],"
                     "initContainers: [{resources: {requests: {cpu: 3}}}, {resources: {requests: {cpu: 2}}}]}"),
            "cpu=3 ");
}

TEST(PodRequests, SidecarsRunBesideTheContainersAndLaterInits) {
  // The sidecar of 1 cpu is started before the second init container (2), not before the first (4).
  const std::string inits =
      "initContainers: [{resources: {requests: {cpu: 4}}},"
      "{restartPolicy: Always, resources: {requests: {cpu: 1}}}, {resources: {requests: {cpu: 2}}}]";
  EXPECT_EQ(requests("{containers: [{resources: {requests: {cpu: 1}}}], " + inits + "}"), "cpu=4 ");
  EXPECT_EQ(requests("{containers: [{resources: {requests: {cpu: 5}}}], " + inits + "}"), "cpu=6 ");
}

TEST(PodRequests, PodLevelReplacesAndOverheadAdds) {
  EXPECT_EQ(requests("{containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}], overhead: {cpu: 100m},"
                     "resources: {requests: {cpu: 4, nvidia.com/gpu: 8}}}"),
            "cpu=4100m memory=1Gi ");
}

TEST(PodRequests, ResizeCountsTheMost) {
  const std::string spec = "{containers: [{name: c, resources: {requests: {cpu: 1}}}]}";
  const std::string reported =
      "containerStatuses: [{name: c, allocatedResources: {cpu: 2}, resources: "
      "{requests: {cpu: 1500m}}}]";
  EXPECT_EQ(requests(spec, "{" + reported + "}"), "cpu=2 ");
  const std::string larger = "{containers: [{name: c, resources: {requests: {cpu: 5}}}]}";
  EXPECT_EQ(requests(larger, "{" + reported + "}"), "cpu=5 ");
  EXPECT_EQ(requests(larger, "{" + reported +
                                 ", conditions: [{type: PodResizePending, status: \"True\", "
                                 "reason: Infeasible}]}"),
            "cpu=2 ");
  EXPECT_EQ(requests(spec, "{containerStatuses: [{name: c, allocatedResources: {cpu: 2}}]}"), "cpu=1 ");
}

TEST(PodRequests, NonZeroFillsEachContainer) {
  const NonZeroRequests none = pod_nonzero_requests(pod("{containers: [{}, {resources: {requests: {cpu: 0}}}]}"));
  EXPECT_EQ(none.cpu_milli, 100);
  EXPECT_EQ(none.memory_bytes, 2 * kDefaultMemoryBytes);
  const NonZeroRequests sidecar =
      pod_nonzero_requests(pod("{containers: [{}], initContainers: [{restartPolicy: Always}], overhead: {cpu: 50m}}"));
  EXPECT_EQ(sidecar.cpu_milli, 250);
  const NonZeroRequests whole = pod_nonzero_requests(pod("{containers: [{}], resources: {requests: {cpu: 2}}}"));
  EXPECT_EQ(whole.cpu_milli, 2000);
  EXPECT_EQ(whole.memory_bytes, kDefaultMemoryBytes);
}

}  // namespace
}  // namespace basalt::api

#include "control/volcano/malformed_objects.h"

#include <gmock/gmock.h>

#include "kube/text/yaml.h"

namespace basalt::volcano {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MalformedTest : public testing::Test {
 protected:
  bool refuses(VolcanoKind kind, std::string_view yaml) {
    return malformed_.refuses(kind, text::parse_yaml(yaml).value().value.as_object());
  }
  std::vector<std::string> told() {
    std::vector<std::string> lines;
    for (const loop::EventNote& note : malformed_.take_notes()) {
      lines.push_back(note.reason + " " + std::string(note.regarding.at("name").as_string()) + ": " + note.message);
    }
    return lines;
  }

  MalformedObjects malformed_;
};

TEST_F(MalformedTest, AnObjectThatCannotBeDecodedIsToldOncePerVersion) {
  const std::string_view first =
      "{metadata: {name: j, namespace: ns, resourceVersion: '1'}, spec: {minAvailable: '2'}}";
  EXPECT_TRUE(refuses(VolcanoKind::Job, first));
  EXPECT_THAT(told(), ElementsAre("FailedDecode j: json: cannot unmarshal string into Go struct field "
                                  "spec.minAvailable of type int32; this state is ignored until it changes"));
  EXPECT_TRUE(refuses(VolcanoKind::Job, first));
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_TRUE(
      refuses(VolcanoKind::Job, "{metadata: {name: j, namespace: ns, resourceVersion: '2'}, spec: {queue: 5}}"));
  EXPECT_EQ(told().size(), 1U);
  EXPECT_FALSE(
      refuses(VolcanoKind::Job, "{metadata: {name: j, namespace: ns, resourceVersion: '3'}, spec: {queue: q}}"));
  EXPECT_TRUE(refuses(VolcanoKind::Job, first));
  EXPECT_EQ(told().size(), 1U);
}

TEST_F(MalformedTest, OnlyVolcanosKindsAreLookedAt) {
  EXPECT_TRUE(refuses(VolcanoKind::Queue, "{metadata: {name: q}, spec: {weight: 1.5}}"));
  EXPECT_TRUE(refuses(VolcanoKind::PodGroup, "{metadata: {name: g}, spec: {minResources: {cpu: [1]}}}"));
  EXPECT_FALSE(refuses(VolcanoKind::Pod, "{metadata: {name: p}, spec: {priority: high}}"));
  EXPECT_FALSE(refuses(VolcanoKind::ConfigMap, "{metadata: {name: c}, data: 5}"));
}

}  // namespace
}  // namespace basalt::volcano

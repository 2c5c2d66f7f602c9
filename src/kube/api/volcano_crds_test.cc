#include "kube/api/volcano_crds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "kube/api/schema/structural.h"
#include "kube/text/json.h"

namespace basalt::api {
namespace {

using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::UnorderedElementsAre;

// What stands at `path`, keys and indices with '/' between them; null when there is nothing.
text::Value at(const text::Value& value, std::string_view path) {
  boost::system::error_code error;
  const text::Value* found = value.find_pointer(path, error);
  return found == nullptr ? text::Value() : *found;
}

std::map<std::string, text::Value, std::less<>> by_name() {
  std::map<std::string, text::Value, std::less<>> crds;
  for (text::Value& crd : volcano_crds()) {
    std::string name(at(crd, "/metadata/name").as_string());
    crds.emplace(std::move(name), std::move(crd));
  }
  return crds;
}

const std::string kSchema = "/spec/versions/0/schema/openAPIV3Schema";
const std::string kSpec = kSchema + "/properties/spec/properties";

TEST(VolcanoCrds, AllKinds) {
  EXPECT_THAT(by_name(),
              UnorderedElementsAre(Key("jobs.batch.volcano.sh"), Key("cronjobs.batch.volcano.sh"),
                                   Key("commands.bus.volcano.sh"), Key("podgroups.scheduling.volcano.sh"),
                                   Key("queues.scheduling.volcano.sh"), Key("jobflows.flow.volcano.sh"),
                                   Key("jobtemplates.flow.volcano.sh"), Key("hypernodes.topology.volcano.sh"),
                                   Key("numatopologies.nodeinfo.volcano.sh"), Key("nodeshards.shard.volcano.sh"),
                                   Key("colocationconfigurations.config.volcano.sh")));
}

TEST(VolcanoCrds, EachCompiles) {
  for (const auto& [name, crd] : by_name()) {
    SchemaSet set;
    Causes causes;
    const Schema* schema = compile_structural(at(crd, kSchema), set, causes, "schema");
    for (const Cause& cause : causes.list()) ADD_FAILURE() << name << ": " << cause.field << ": " << cause.message;
    ASSERT_NE(schema, nullptr) << name;
    EXPECT_NE(schema->find("metadata"), nullptr) << name;
  }
}

TEST(VolcanoCrds, Subresources) {
  const auto crds = by_name();
  EXPECT_EQ(at(crds.at("jobs.batch.volcano.sh"), "/spec/versions/0/subresources"),
            text::parse_json(R"({"status":{}})"));
  // Its status is written with the object: whoever gives it a status subresource breaks schedulers.
  EXPECT_EQ(at(crds.at("podgroups.scheduling.volcano.sh"), "/spec/versions/0/subresources"), text::parse_json("{}"));
  EXPECT_TRUE(at(crds.at("commands.bus.volcano.sh"), "/spec/versions/0/subresources").is_null());
}

TEST(VolcanoCrds, JobSchema) {
  const auto crds = by_name();
  const text::Value& job = crds.at("jobs.batch.volcano.sh");
  EXPECT_EQ(at(job, kSpec + "/queue/default"), "default");
  EXPECT_EQ(at(job, kSpec + "/queue/maxLength"), 253);
  EXPECT_EQ(at(job, kSpec + "/maxRetry/default"), 3);
  EXPECT_EQ(at(job, kSpec + "/tasks/minItems"), 1);
  EXPECT_EQ(at(job, kSpec + "/networkTopology/properties/highestTierAllowed"),
            text::parse_json(R"({"type":"integer","minimum":0,
              "description":"The highest tier that the placement may span."})"));
  EXPECT_EQ(at(job, kSpec + "/volumes/items/required"), text::parse_json(R"(["mountPath"])"));
  EXPECT_EQ(at(job, "/spec/versions/0/additionalPrinterColumns/4"),
            text::parse_json(R"({"name":"QUEUE","type":"string","jsonPath":".spec.queue","priority":1})"));
  EXPECT_EQ(at(job, "/spec/names/shortNames"), text::parse_json(R"(["vcjob","vj"])"));
}

// A CRD carries its own defaults: none of those that Kubernetes gives to its own pods.
TEST(VolcanoCrds, PodTemplatesHaveOnlyTheDefaultsOfCrds) {
  const auto crds = by_name();
  const text::Value pod = at(crds.at("jobs.batch.volcano.sh"), kSpec + "/tasks/items/properties/template/properties");
  const std::string spec = "/spec/properties";
  const std::string container = spec + "/containers/items/properties";
  EXPECT_TRUE(at(pod, spec + "/restartPolicy/default").is_null());
  EXPECT_TRUE(at(pod, spec + "/schedulerName/default").is_null());
  EXPECT_EQ(at(pod, container + "/ports/items/properties/protocol/default"), "TCP");
  EXPECT_EQ(at(pod, container + "/ports/x-kubernetes-list-map-keys"),
            text::parse_json(R"(["containerPort","protocol"])"));
  EXPECT_EQ(at(pod, container + "/resources/properties/limits/additionalProperties/x-kubernetes-int-or-string"), true);
  std::vector<std::string> metadata;
  const text::Value fields = at(pod, "/metadata/properties");
  for (const auto& field : fields.as_object()) metadata.emplace_back(field.key());
  EXPECT_THAT(metadata, ElementsAre("annotations", "finalizers", "labels", "name", "namespace"));
}

TEST(VolcanoCrds, SelectorsOfHyperNodesHaveRules) {
  const auto crds = by_name();
  const text::Value rules = at(crds.at("hypernodes.topology.volcano.sh"),
                               kSpec + "/members/items/properties/selector/x-kubernetes-validations");
  ASSERT_TRUE(rules.is_array());
  EXPECT_EQ(rules.as_array().size(), 2U);
}

}  // namespace
}  // namespace basalt::api

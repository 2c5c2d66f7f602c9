#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::vcctl {
namespace {

class FlowCommands : public VcctlTest {
 protected:
  void SetUp() override {
    api.put("jobflows", R"(
metadata: {name: nightly, namespace: default, creationTimestamp: "2026-11-15T18:41:33Z", managedFields: [{manager: x}]}
spec: {flows: [{name: a}]}
status: {state: {phase: Running}, runningJobs: [a, b]}
)");
    api.put("jobtemplates", "{metadata: {name: train, namespace: default}, spec: {queue: default, minAvailable: 2}}");
  }
};

TEST_F(FlowCommands, List) {
  EXPECT_EQ(vcctl({"jobflow", "list"}).out,
            "Name       Namespace    Phase      Age    \n"
            "nightly    default      Running    5m     \n");
  EXPECT_EQ(vcctl({"jobtemplate", "list"}).out,
            "Name     Namespace    \n"
            "train    default      \n");
  EXPECT_EQ(vcctl({"jobflow", "list", "-n", "nowhere"}).out, "No resources found\n");
  EXPECT_NE(vcctl({"jobflow", "list", "--all-namespaces", "-o", "wide"}).out.find("Pending    Running    Completed"),
            std::string::npos);
}

TEST_F(FlowCommands, Get) {
  EXPECT_EQ(vcctl({"jobflow", "get", "-N", "nightly"}).out, vcctl({"jobflow", "list"}).out);
  EXPECT_EQ(vcctl({"jobtemplate", "get", "-N", "train"}).out, vcctl({"jobtemplate", "list"}).out);
  EXPECT_EQ(vcctl({"jobflow", "get"}).out,
            "Failed to get jobflow: name is mandatory to get the particular jobflow details\n");
  EXPECT_EQ(vcctl({"jobtemplate", "get", "-N", "x"}).out,
            "Failed to get jobtemplate: jobtemplates.flow.volcano.sh \"x\" not found\n");
}

TEST_F(FlowCommands, Describe) {
  EXPECT_EQ(vcctl({"jobtemplate", "describe", "-N", "train"}).out,
            "apiVersion: flow.volcano.sh/v1alpha1\n"
            "kind: JobTemplate\n"
            "metadata:\n"
            "  name: train\n"
            "  namespace: default\n"
            "  resourceVersion: \"102\"\n"
            "spec:\n"
            "  minAvailable: 2\n"
            "  queue: default\n");
  const auto json = text::parse_json(vcctl({"jobflow", "describe", "-o", "json"}).out);
  ASSERT_TRUE(json.has_value());
  EXPECT_FALSE(json->at("metadata").as_object().contains("managedFields"));
  const CommandResult wrong = vcctl({"jobflow", "describe", "-o", "xml"});
  EXPECT_EQ(wrong.code, 255);
  EXPECT_EQ(wrong.out, "Failed to describe jobflow: Unsupported format: xml\n");
  api.put("jobflows", "{metadata: {name: weekly, namespace: default}}");
  const auto both = text::parse_yaml_stream(vcctl({"jobflow", "describe"}).out);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->size(), 2U);
}

TEST_F(FlowCommands, CreateEachDocument) {
  input = "metadata: {name: a, annotations: {x: 'y---z'}}\n---\nmetadata: {name: b, namespace: research}\n";
  const CommandResult result = vcctl({"jobflow", "create", "-f", "-"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "Created JobFlow: default/a\nCreated JobFlow: research/b\n");
  EXPECT_EQ(api.created("jobflows").at("apiVersion"), "flow.volcano.sh/v1alpha1");
}

TEST_F(FlowCommands, AFailureAmongOthersIsAFailure) {
  input = "metadata: {name: nightly}\n---\nmetadata: {name: b}\n";
  const CommandResult result = vcctl({"jobflow", "create", "-f", "-"});
  EXPECT_EQ(result.code, 255);
  EXPECT_EQ(result.out,
            "Failed to create JobFlow: jobflows.flow.volcano.sh \"nightly\" already exists\n"
            "Created JobFlow: default/b\n"
            "Failed to create jobflow: 1 of 2 failed\n");
  EXPECT_EQ(vcctl({"jobtemplate", "create"}).code, 255);
}

TEST_F(FlowCommands, Delete) {
  EXPECT_EQ(vcctl({"jobflow", "delete", "-N", "nightly"}).out, "Deleted JobFlow: default/nightly\n");
  EXPECT_EQ(vcctl({"jobflow", "delete"}).out, "Failed to delete jobflow: jobflow name must be specified\n");
  input = "metadata: {name: train}\n---\nmetadata: {name: gone}\n---\nmetadata: {}\n";
  const CommandResult result = vcctl({"jobtemplate", "delete", "-f", "-"});
  EXPECT_EQ(result.code, 255);
  EXPECT_EQ(result.out,
            "Deleted JobTemplate: default/train\n"
            "Failed to delete JobTemplate: jobtemplates.flow.volcano.sh \"gone\" not found\n"
            "Failed to delete JobTemplate: standard input: document 3: metadata.name: is required\n"
            "Failed to delete jobtemplate: 2 of 3 failed\n");
}

}  // namespace
}  // namespace basalt::cli::vcctl

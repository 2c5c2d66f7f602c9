#include "programs/cli/apply/apply.h"

#include <gmock/gmock.h>

#include "programs/cli/apply/rest_mapper.h"
#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::apply {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kJobDefinition = R"(
metadata: {name: jobs.batch.volcano.sh}
spec:
  group: batch.volcano.sh
  scope: Namespaced
  names: {plural: jobs, kind: Job}
  versions: [{name: v1alpha1}]
)";

class ApplyTest : public ::testing::Test {
 protected:
  // Answers every apply with its body, as a server would.
  class Applied : public vcctl::FakeApi {
   public:
    void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
      if (call.verb != api::Verb::Patch) return FakeApi::send(std::move(call), std::move(done));
      calls.push_back(call);
      if (call.name == "refused") return done(std::unexpected(api::bad_request("not this one")));
      done(client::Reply{.object = std::make_shared<const text::Value>(call.body), .created = call.name == "new"});
    }
  };

  Result<std::vector<ApplyManifest>> read(std::string input) {
    std::istringstream in(std::move(input));
    vcctl::Terminal terminal{.out = out_, .err = err_, .in = in};
    return read_objects({.files = {"-"}}, terminal);
  }

  size_t apply(std::string input, ApplyOptions options = {}) {
    std::istringstream in;
    vcctl::Terminal terminal{.out = out_, .err = err_, .in = in};
    auto manifests = read(std::move(input));
    EXPECT_TRUE(manifests.has_value()) << manifests.error().message;
    return apply_objects(api_, options, manifests ? std::move(*manifests) : std::vector<ApplyManifest>{}, terminal);
  }

  Applied api_;
  std::ostringstream out_, err_;
};

TEST_F(ApplyTest, EveryDocumentIsAppliedInItsOrderAndOneThatIsRefusedKeepsNoneBack) {
  const size_t refused = apply(R"(
apiVersion: v1
kind: Namespace
metadata: {name: new}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: refused}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: lab}
)");
  EXPECT_EQ(refused, 1U);
  EXPECT_EQ(out_.str(), "namespace/new created\nconfigmap/settings applied\n");
  EXPECT_EQ(err_.str(), "basalt apply: standard input: document 2: not this one\n");
  ASSERT_EQ(api_.calls.size(), 3U);
  EXPECT_EQ(api_.calls[0].namespace_name, "");
  EXPECT_EQ(api_.calls[1].namespace_name, "default");
  EXPECT_EQ(api_.calls[2].namespace_name, "lab");
  EXPECT_EQ(api_.calls[2].patch, api::PatchType::Apply);
}

TEST_F(ApplyTest, NamespaceAndForceComeFromTheOptions) {
  EXPECT_EQ(apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
                  {.namespace_name = "lab", .force = true, .dry_run = true}),
            0U);
  EXPECT_EQ(api_.calls[0].namespace_name, "lab");
  EXPECT_EQ(api::namespace_of(api_.calls[0].body.get_object()), "lab");
  EXPECT_TRUE(api_.calls[0].force);
  EXPECT_TRUE(api_.calls[0].dry_run);
  EXPECT_EQ(out_.str(), "configmap/a applied (server dry run)\n");
}

TEST_F(ApplyTest, KindsThatAreNotBuiltInAreAskedOfTheServer) {
  api_.put("customresourcedefinitions", std::string(kJobDefinition));
  EXPECT_EQ(apply("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: train}}"), 0U);
  EXPECT_EQ(out_.str(), "job.batch.volcano.sh/train applied\n");
  EXPECT_EQ(api_.calls.back().resource.plural, "jobs");
  EXPECT_EQ(apply("{apiVersion: batch.volcano.sh/v1alpha1, kind: Jobb, metadata: {name: train}}"), 1U);
  EXPECT_THAT(err_.str(), HasSubstr("the server has no kind \"Jobb\" of \"batch.volcano.sh/v1alpha1\""));
}

TEST_F(ApplyTest, DefinitionsThatAreNonsenseAreNoKinds) {
  api_.put("customresourcedefinitions", "{metadata: {name: a}, spec: 5}");
  api_.put("customresourcedefinitions", "{metadata: {name: b}, spec: {versions: [1, {name: [x]}]}}");
  RestMapper kinds(api_);
  EXPECT_FALSE(kinds.find("x/v1", "X").has_value());
}

TEST_F(ApplyTest, AnObjectWithAGeneratedNameIsCreated) {
  EXPECT_EQ(apply("{apiVersion: v1, kind: ConfigMap, metadata: {generateName: run-}}"), 0U);
  EXPECT_EQ(api_.calls[0].verb, api::Verb::Create);
  EXPECT_EQ(out_.str(), "configmap/run-abcde created\n");
}

TEST_F(ApplyTest, AListIsItsItems) {
  const auto read_back = read(R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Service, metadata: {name: a}}
- {apiVersion: v1, kind: Service, metadata: {name: b}}
)");
  ASSERT_TRUE(read_back.has_value()) << read_back.error().message;
  ASSERT_EQ(read_back->size(), 2U);
  EXPECT_EQ(api::name_of((*read_back)[1].object), "b");
}

TEST_F(ApplyTest, FaultsAreNamedWithTheirPlaceAndNothingIsSent) {
  const std::string good = "{apiVersion: v1, kind: Service, metadata: {name: a}}\n---\n";
  EXPECT_THAT(read(good + "kind: Service\n").error().message,
              HasSubstr("standard input: document 2: line 3: apiVersion"));
  EXPECT_THAT(read(good + "{apiVersion: v1, kind: Service}").error().message, HasSubstr("metadata: is missing"));
  EXPECT_THAT(read("{apiVersion: v1, kind: 5, metadata: {name: a}}").error().message, HasSubstr("kind: expected"));
  EXPECT_THAT(read("{apiVersion: v1, kind: A, metadata: a}").error().message, HasSubstr("metadata"));
  EXPECT_THAT(read("{apiVersion: v1, kind: List, items: [5]}").error().message, HasSubstr("items[0]"));
  EXPECT_THAT(read("").error().message, HasSubstr("there is no object in it"));
  EXPECT_THAT(read("[1, 2]").error().message, HasSubstr("standard input"));
  EXPECT_TRUE(api_.calls.empty());
}

}  // namespace
}  // namespace basalt::cli::apply

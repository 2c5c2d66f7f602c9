// Nobody may ask for more pods than a job can have, at any door.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/admission/admission_fixture.h"

namespace basalt::admission {
namespace {

using testing::HasSubstr;

std::string tasks(const std::vector<std::string>& replicas) {
  std::string text = "tasks:";
  for (size_t i = 0; i < replicas.size(); ++i) {
    text += fmt::format(
        "\n  - {{name: t{}, replicas: {}, minAvailable: 1, template: {{spec: {{containers: [{{name: main, image: "
        "busybox}}]}}}}}}",
        i, replicas[i]);
  }
  return text;
}

std::string job_with_replicas(const std::vector<std::string>& replicas) {
  return "metadata: {name: train, namespace: team}\nspec:\n  queue: default\n  minAvailable: 1\n  " + tasks(replicas);
}

TEST(JobSize, IsBoundedWhenAJobIsNew) {
  AdmissionFixture world;
  EXPECT_EQ(world.create("/jobs/validate", job_with_replicas({"100000"})), "");
  EXPECT_EQ(world.create("/jobs/validate", job_with_replicas({"60000", "40000"})), "");
  EXPECT_EQ(world.create("/jobs/validate", job_with_replicas({"2", "100001"})),
            "a job may have up to 100000 pods (spec.tasks[1].replicas is 100001)");
  EXPECT_EQ(world.create("/jobs/validate", job_with_replicas({"2147483647"})),
            "a job may have up to 100000 pods (spec.tasks[0].replicas is 2147483647)");
  EXPECT_EQ(world.create("/jobs/validate", job_with_replicas({"60000", "0", "40001"})),
            "a job may have up to 100000 pods (spec.tasks[*].replicas are 100001 together: 60000 + 40001)");
  const std::vector<std::string> many(50, "2147483647");
  EXPECT_THAT(world.create("/jobs/validate", job_with_replicas(many)),
              HasSubstr("spec.tasks[0].replicas is 2147483647"));
  EXPECT_THAT(world.create("/jobs/validate", job_with_replicas(std::vector<std::string>(1000, "9999"))),
              HasSubstr("9999 + …"));
}

TEST(JobSize, IsBoundedWhenAJobGrows) {
  AdmissionFixture world;
  EXPECT_THAT(world.update("/jobs/validate", job_with_replicas({"100001"}), job_with_replicas({"2"})),
              HasSubstr("spec.tasks[0].replicas is 100001"));
  EXPECT_EQ(world.update("/jobs/validate", job_with_replicas({"200000"}), job_with_replicas({"200000"})), "")
      << "its finalizers must still go";
  EXPECT_EQ(world.update("/jobs/validate", job_with_replicas({"200000"}), job_with_replicas({"300000"})), "")
      << "one that came in without us can shrink";
}

TEST(JobSize, IsBoundedInTemplates) {
  AdmissionFixture world;
  const auto cron = [](const std::string& replicas) {
    return "metadata: {name: nightly, namespace: team}\nspec: {schedule: '0 3 * * *', jobTemplate: {spec: {tasks: "
           "[{name: w, replicas: " +
           replicas + "}]}}}";
  };
  EXPECT_EQ(world.create("/cronjobs/validate", cron("100000")), "");
  EXPECT_EQ(world.create("/cronjobs/validate", cron("100001")),
            "a job may have up to 100000 pods (spec.jobTemplate.spec.tasks[0].replicas is 100001)");
  EXPECT_THAT(world.update("/cronjobs/validate", cron("2147483647"), cron("1")), HasSubstr("2147483647"));
  EXPECT_EQ(world.update("/cronjobs/validate", cron("100001"), cron("100001")), "");
  const auto flow = [](const std::string& replicas) {
    return "metadata: {name: f, namespace: team}\nspec: {flows: [{name: a}, {name: b, patch: {jobSpec: {tasks: [{name: "
           "w, replicas: " +
           replicas + "}]}}}]}";
  };
  EXPECT_EQ(world.create("/jobflows/validate", flow("100000")), "");
  EXPECT_EQ(world.create("/jobflows/validate", flow("100001")),
            "a job may have up to 100000 pods (spec.flows[1].patch.jobSpec.tasks[0].replicas is 100001)");
  EXPECT_EQ(world.update("/jobflows/validate", flow("100001"), flow("100001")), "");
}

TEST(JobSize, IsBoundedInPodGroups) {
  AdmissionFixture world;
  const auto group = [](const std::string& spec) {
    return "metadata: {name: g, namespace: team}\nspec: {queue: default, " + spec + "}";
  };
  EXPECT_EQ(world.create("/podgroups/validate", group("minMember: 100000")), "");
  EXPECT_EQ(world.create("/podgroups/validate", group("minMember: 2147483647")),
            "a PodGroup may have up to 100000 members (spec.minMember is 2147483647)");
  EXPECT_EQ(world.create("/podgroups/validate", group("minTaskMember: {a: 1, b: 100001}")),
            "a PodGroup may have up to 100000 members (spec.minTaskMember.b is 100001)");
}

}  // namespace
}  // namespace basalt::admission

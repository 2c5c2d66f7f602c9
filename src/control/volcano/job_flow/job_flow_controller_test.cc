#include "control/volcano/job_flow/job_flow_controller.h"

#include <gmock/gmock.h>

#include "control/volcano/controllers_test_world.h"
#include "control/volcano/job_flow/flow_view.h"
#include "control/volcano/job_template/job_template_controller.h"

namespace basalt::volcano {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Controller kFlow = job_flow_controller();

std::string flow(std::string_view flows, std::string_view more = "", std::string_view status = "{}") {
  return fmt::format(R"({{"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobFlow","metadata":{{"name":"f",
      "namespace":"ns","uid":"u-f"}},"spec":{{"flows":{}{}}},"status":{}}})",
                     flows, more, status);
}
std::string job_template(std::string_view name) {
  return fmt::format(R"({{"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobTemplate","metadata":{{"name":"{}",
      "namespace":"ns"}},"spec":{{"queue":"q","maxRetry":5,"tasks":[{{"name":"t","replicas":2}}]}}}})",
                     name);
}
std::string job_of_flow(std::string_view name, std::string_view phase) {
  return fmt::format(R"({{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{{"name":"{}",
      "namespace":"ns","creationTimestamp":"2023-11-14T22:00:00Z",
      "annotations":{{"volcano.sh/createdByJobFlow":"ns.f","volcano.sh/createdByJobTemplate":"ns.{}"}},
      "ownerReferences":[{{"kind":"JobFlow","apiVersion":"flow.volcano.sh/v1alpha1","name":"f","uid":"u-f",
      "controller":true}}]}},"spec":{{"tasks":[{{"name":"t","replicas":1}}]}},
      "status":{{"state":{{"phase":"{}","lastTransitionTime":"2023-11-14T22:10:00Z"}},"retryCount":1}}}})",
                     name, name.substr(2), phase);
}

constexpr std::string_view kTwo = R"([{"name":"a"},{"name":"b","dependsOn":{"targets":["a"]}}])";

TEST(JobFlow, StartsEachStepWhenItsTargetsAreCompleted) {
  ControllersTestWorld world;
  world.see(job_template("a"));
  world.see(job_template("b"));
  EXPECT_THAT(world.see(flow(kTwo), kFlow), ElementsAre("ns/f"));
  EXPECT_THAT(
      world.run(kFlow, "ns/f"),
      ElementsAre("create jobs/ns/f-a", R"(patch jobflows/ns/f/status {"status":{"state":{"phase":"Pending"}}})",
                  "event Normal Created: create a job named f-a with namespace ns"));
  EXPECT_EQ(world.json(Kind::Job, "ns/f-a", {"metadata", "labels"}),
            R"({"volcano.sh/createdByJobTemplate":"ns.a","volcano.sh/createdByJobFlow":"ns.f"})");
  EXPECT_EQ(world.json(Kind::Job, "ns/f-a", {"spec", "queue"}), R"("q")");
  EXPECT_THAT(world.see(job_of_flow("f-a", "Running"), kFlow), ElementsAre("ns/f"));
  world.run(kFlow, "ns/f");
  EXPECT_EQ(world.json(Kind::JobFlow, "ns/f", {"status", "state", "phase"}), R"("Running")");
  EXPECT_EQ(world.json(Kind::JobFlow, "ns/f", {"status", "runningJobs"}), R"(["f-a"])");
  world.see(job_of_flow("f-a", "Completed"));
  EXPECT_THAT(world.run(kFlow, "ns/f"), Contains("create jobs/ns/f-b"));
  world.see(job_of_flow("f-b", "Completed"));
  world.run(kFlow, "ns/f");
  EXPECT_EQ(world.json(Kind::JobFlow, "ns/f", {"status", "state", "phase"}), R"("Succeed")");
  EXPECT_EQ(world.json(Kind::JobFlow, "ns/f", {"status", "completedJobs"}), R"(["f-a","f-b"])");
  EXPECT_EQ(world.json(Kind::JobFlow, "ns/f", {"status", "runningJobs"}), "");
  EXPECT_THAT(world.run(kFlow, "ns/f"), IsEmpty()) << "nothing is written twice";
}

TEST(JobFlow, KeepsTheHistoryOfItsJobs) {
  ControllersTestWorld world;
  world.see(flow(R"([{"name":"a"}])"));
  world.see(job_of_flow("f-a", "Running"));
  world.run(kFlow, "ns/f");
  world.now = world.now + Duration::seconds(60);
  world.see(job_of_flow("f-a", "Restarting"));
  world.run(kFlow, "ns/f");
  EXPECT_EQ(
      world.json(Kind::JobFlow, "ns/f", {"status", "jobStatusList"}),
      R"([{"name":"f-a","state":"Restarting","startTimestamp":"2023-11-14T22:00:00Z","restartCount":1,)"
      R"("runningHistories":[{"startTimestamp":"2023-11-14T22:13:20Z","state":"Running",)"
      R"("endTimestamp":"2023-11-14T22:14:20Z"},{"startTimestamp":"2023-11-14T22:14:20Z","state":"Restarting"}]}])");
  EXPECT_EQ(world.json(Kind::JobFlow, "ns/f", {"status", "unKnowJobs"}), R"(["f-a"])");
}

TEST(JobFlow, AFailedStepFailsTheFlowUntilItIsResumed) {
  ControllersTestWorld world;
  world.see(job_template("b"));
  world.see(job_of_flow("f-a", "Failed"));
  world.see(flow(R"([{"name":"a"},{"name":"b"}])"));
  EXPECT_THAT(world.run(kFlow, "ns/f"), ElementsAre(HasSubstr(R"("state":{"phase":"Failed"})")));
  world.see(job_of_flow("f-a", "Running"));
  EXPECT_THAT(world.run(kFlow, "ns/f"), Contains("create jobs/ns/f-b"));
  EXPECT_EQ(world.json(Kind::JobFlow, "ns/f", {"status", "state", "phase"}), R"("Running")");
}

TEST(JobFlow, WaitsForATemplateAndSaysSo) {
  ControllersTestWorld world;
  world.see(flow(R"([{"name":"a"}])"));
  EXPECT_THAT(world.plan(kFlow, "ns/f"), Contains(HasSubstr("Warning SyncJobFlow: JobTemplate ns/a is not there")));
  EXPECT_THAT(world.see(job_template("a"), kFlow), ElementsAre("ns/f"));
  EXPECT_THAT(world.plan(kFlow, "ns/f"), Contains("create jobs/ns/f-a"));
}

TEST(JobFlow, DeletesItsJobsAfterSuccessWhenToldTo) {
  ControllersTestWorld world;
  world.see(job_of_flow("f-a", "Completed"));
  world.see(flow(R"([{"name":"a"}])", R"(,"jobRetainPolicy":"delete")", R"({"state":{"phase":"Succeed"}})"));
  EXPECT_THAT(world.run(kFlow, "ns/f"), ElementsAre("delete jobs/ns/f-a Background"));
  EXPECT_THAT(world.run(kFlow, "ns/f"), IsEmpty()) << "and does not make them again";
}

TEST(JobFlow, AProbeLetsAStepStartBeforeItsTargetIsDone) {
  ControllersTestWorld world;
  world.see(job_template("b"));
  world.see(job_of_flow("f-a", "Running"));
  world.see(flow(R"([{"name":"a"},{"name":"b","dependsOn":{"targets":["a"],"probe":{
      "taskStatusList":[{"taskName":"t","phase":"Running"}],
      "httpGetList":[{"taskName":"t","path":"/ready","port":8080}]}}}])"));
  EXPECT_THAT(world.plan(kFlow, "ns/f"), testing::Not(Contains("create jobs/ns/f-b"))) << "no pod yet";
  world.see(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"f-a-t-0","namespace":"ns",
      "annotations":{"volcano.sh/task-spec":"t","scheduling.k8s.io/group-name":"g"},
      "ownerReferences":[{"kind":"Job","apiVersion":"batch.volcano.sh/v1alpha1","uid":"uid-f-a","controller":true}]},
      "status":{"phase":"Running","podIP":"10.0.0.7"}})");
  const Plan asking = kFlow.plan(world.world(), "ns/f", world.now);
  ASSERT_EQ(asking.asks.size(), 1U);
  const auto& probe = std::get<loop::Probe>(asking.asks[0]);
  EXPECT_EQ(probe, (loop::Probe{.host = "10.0.0.7", .port = 8080, .http = true, .path = "/ready"}));
  EXPECT_EQ(asking.again, world.now + Duration::seconds(5));
  world.probes[probe] = world.now;
  EXPECT_THAT(world.plan(kFlow, "ns/f"), Contains("create jobs/ns/f-b"));
}

TEST(JobFlow, APatchChangesTheTemplatesSpec) {
  const auto of = [](std::string_view json) { return text::parse_json(json).value().get_object(); };
  const text::Object spec = of(R"({"queue":"q","maxRetry":5,"tasks":[{"name":"t","replicas":2,"template":{"spec":{
      "containers":[{"name":"c","image":"old","env":[{"name":"A","value":"1"}]}]}}}],"plugins":{"env":[]}})");
  const text::Object patch = of(R"({"queue":"default","maxRetry":3,"minAvailable":1,"tasks":[{"name":"t","template":{
      "spec":{"containers":[{"name":"c","image":"new","env":[{"name":"B","value":"2"}]}]}}}],
      "plugins":{"svc":["x"]}})");
  EXPECT_EQ(text::Value(patched_spec(spec, &patch)),
            text::Value(of(R"({"queue":"q","maxRetry":5,"minAvailable":1,"tasks":[{"name":"t","replicas":2,"template":{
      "spec":{"containers":[{"name":"c","image":"new","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}]}}}],
      "plugins":{"env":[],"svc":["x"]}})")));
}

TEST(JobTemplate, ListsTheJobsMadeFromIt) {
  const Controller controller = job_template_controller();
  ControllersTestWorld world;
  world.see(job_template("a"));
  EXPECT_THAT(world.see(job_of_flow("f-a", "Running"), controller), ElementsAre("ns/a"));
  EXPECT_THAT(world.run(controller, "ns/a"),
              ElementsAre(R"(patch jobtemplates/ns/a/status {"status":{"jobDependsOnList":["f-a"]}})"));
  EXPECT_THAT(world.run(controller, "ns/a"), IsEmpty());
  EXPECT_THAT(world.lose(Kind::Job, "ns/f-a", controller), ElementsAre("ns/a"));
  EXPECT_THAT(world.run(controller, "ns/a"), ElementsAre(HasSubstr(R"({"jobDependsOnList":[]})")));
}

}  // namespace
}  // namespace basalt::volcano

#include "control/volcano/job_flow/job_flow_controller.h"

#include <gmock/gmock.h>

#include "control/volcano/controllers_fixture.h"
#include "control/volcano/job_flow/flow_view.h"
#include "control/volcano/job_template/job_template_controller.h"

namespace basalt::volcano {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const VolcanoController kFlow = job_flow_controller();

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
  ControllersFixture fixture;
  fixture.see(job_template("a"));
  fixture.see(job_template("b"));
  EXPECT_THAT(fixture.see(flow(kTwo), kFlow), ElementsAre("ns/f"));
  EXPECT_THAT(
      fixture.run(kFlow, "ns/f"),
      ElementsAre("create jobs/ns/f-a", R"(patch jobflows/ns/f/status {"status":{"state":{"phase":"Pending"}}})",
                  "event Normal Created: create a job named f-a with namespace ns"));
  EXPECT_EQ(fixture.json(VolcanoKind::Job, "ns/f-a", {"metadata", "labels"}),
            R"({"volcano.sh/createdByJobTemplate":"ns.a","volcano.sh/createdByJobFlow":"ns.f"})");
  EXPECT_EQ(fixture.json(VolcanoKind::Job, "ns/f-a", {"spec", "queue"}), R"("q")");
  EXPECT_THAT(fixture.see(job_of_flow("f-a", "Running"), kFlow), ElementsAre("ns/f"));
  fixture.run(kFlow, "ns/f");
  EXPECT_EQ(fixture.json(VolcanoKind::JobFlow, "ns/f", {"status", "state", "phase"}), R"("Running")");
  EXPECT_EQ(fixture.json(VolcanoKind::JobFlow, "ns/f", {"status", "runningJobs"}), R"(["f-a"])");
  fixture.see(job_of_flow("f-a", "Completed"));
  EXPECT_THAT(fixture.run(kFlow, "ns/f"), Contains("create jobs/ns/f-b"));
  fixture.see(job_of_flow("f-b", "Completed"));
  fixture.run(kFlow, "ns/f");
  EXPECT_EQ(fixture.json(VolcanoKind::JobFlow, "ns/f", {"status", "state", "phase"}), R"("Succeed")");
  EXPECT_EQ(fixture.json(VolcanoKind::JobFlow, "ns/f", {"status", "completedJobs"}), R"(["f-a","f-b"])");
  EXPECT_EQ(fixture.json(VolcanoKind::JobFlow, "ns/f", {"status", "runningJobs"}), "");
  EXPECT_THAT(fixture.run(kFlow, "ns/f"), IsEmpty()) << "nothing is written twice";
}

TEST(JobFlow, KeepsTheHistoryOfItsJobs) {
  ControllersFixture fixture;
  fixture.see(flow(R"([{"name":"a"}])"));
  fixture.see(job_of_flow("f-a", "Running"));
  fixture.run(kFlow, "ns/f");
  fixture.now = fixture.now + Duration::seconds(60);
  fixture.see(job_of_flow("f-a", "Restarting"));
  fixture.run(kFlow, "ns/f");
  EXPECT_EQ(
      fixture.json(VolcanoKind::JobFlow, "ns/f", {"status", "jobStatusList"}),
      R"([{"name":"f-a","state":"Restarting","startTimestamp":"2023-11-14T22:00:00Z","restartCount":1,)"
      R"("runningHistories":[{"startTimestamp":"2023-11-14T22:13:20Z","state":"Running",)"
      R"("endTimestamp":"2023-11-14T22:14:20Z"},{"startTimestamp":"2023-11-14T22:14:20Z","state":"Restarting"}]}])");
  EXPECT_EQ(fixture.json(VolcanoKind::JobFlow, "ns/f", {"status", "unKnowJobs"}), R"(["f-a"])");
}

TEST(JobFlow, AFailedStepFailsTheFlowUntilItIsResumed) {
  ControllersFixture fixture;
  fixture.see(job_template("b"));
  fixture.see(job_of_flow("f-a", "Failed"));
  fixture.see(flow(R"([{"name":"a"},{"name":"b"}])"));
  EXPECT_THAT(fixture.run(kFlow, "ns/f"), ElementsAre(HasSubstr(R"("state":{"phase":"Failed"})")));
  fixture.see(job_of_flow("f-a", "Running"));
  EXPECT_THAT(fixture.run(kFlow, "ns/f"), Contains("create jobs/ns/f-b"));
  EXPECT_EQ(fixture.json(VolcanoKind::JobFlow, "ns/f", {"status", "state", "phase"}), R"("Running")");
}

TEST(JobFlow, WaitsForATemplateAndSaysSo) {
  ControllersFixture fixture;
  fixture.see(flow(R"([{"name":"a"}])"));
  EXPECT_THAT(fixture.plan(kFlow, "ns/f"), Contains(HasSubstr("Warning SyncJobFlow: JobTemplate ns/a is not there")));
  EXPECT_THAT(fixture.see(job_template("a"), kFlow), ElementsAre("ns/f"));
  EXPECT_THAT(fixture.plan(kFlow, "ns/f"), Contains("create jobs/ns/f-a"));
}

TEST(JobFlow, AJobThatIsRefusedIsToldAndNeverCreated) {
  ControllersFixture fixture;
  fixture.see(job_template("a"));
  fixture.see(flow(R"([{"name":"a"}])"));
  const WritePlan plan = kFlow.plan(fixture.context(), "ns/f", fixture.now);
  ASSERT_EQ(plan.stages.size(), 1U);
  EXPECT_THAT(plan.notes, IsEmpty()) << "nothing is told before the write is answered";
  std::vector<EventNote> notes;
  kFlow.refused(fixture.context(), "ns/f", plan.stages[0][0],
                {.code = 403, .reason = "Forbidden", .message = "unable to find job queue q"}, notes);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(notes[0].warning);
  EXPECT_EQ(notes[0].reason + ": " + notes[0].message, "FailedCreate: Error creating job: unable to find job queue q");
}

TEST(JobFlow, DeletesItsJobsAfterSuccessWhenToldTo) {
  ControllersFixture fixture;
  fixture.see(job_of_flow("f-a", "Completed"));
  fixture.see(flow(R"([{"name":"a"}])", R"(,"jobRetainPolicy":"delete")", R"({"state":{"phase":"Succeed"}})"));
  EXPECT_THAT(fixture.run(kFlow, "ns/f"), ElementsAre("delete jobs/ns/f-a Background"));
  EXPECT_THAT(fixture.run(kFlow, "ns/f"), IsEmpty()) << "and does not make them again";
}

TEST(JobFlow, AProbeLetsAStepStartBeforeItsTargetIsDone) {
  ControllersFixture fixture;
  fixture.see(job_template("b"));
  fixture.see(job_of_flow("f-a", "Running"));
  fixture.see(flow(R"([{"name":"a"},{"name":"b","dependsOn":{"targets":["a"],"probe":{
      "taskStatusList":[{"taskName":"t","phase":"Running"}],
      "httpGetList":[{"taskName":"t","path":"/ready","port":8080}]}}}])"));
  EXPECT_THAT(fixture.plan(kFlow, "ns/f"), testing::Not(Contains("create jobs/ns/f-b"))) << "no pod yet";
  fixture.see(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"f-a-t-0","namespace":"ns",
      "annotations":{"volcano.sh/task-spec":"t","scheduling.k8s.io/group-name":"g"},
      "ownerReferences":[{"kind":"Job","apiVersion":"batch.volcano.sh/v1alpha1","uid":"uid-f-a","controller":true}]},
      "status":{"phase":"Running","podIP":"10.0.0.7"}})");
  const WritePlan asking = kFlow.plan(fixture.context(), "ns/f", fixture.now);
  ASSERT_EQ(asking.asks.size(), 1U);
  const auto& probe = std::get<loop::Probe>(asking.asks[0]);
  EXPECT_EQ(probe, (loop::Probe{.host = "10.0.0.7", .port = 8080, .http = true, .path = "/ready"}));
  EXPECT_EQ(asking.again, fixture.now + Duration::seconds(5));
  fixture.probes[probe] = fixture.now;
  EXPECT_THAT(fixture.plan(kFlow, "ns/f"), Contains("create jobs/ns/f-b"));
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
  const VolcanoController controller = job_template_controller();
  ControllersFixture fixture;
  fixture.see(job_template("a"));
  EXPECT_THAT(fixture.see(job_of_flow("f-a", "Running"), controller), ElementsAre("ns/a"));
  EXPECT_THAT(fixture.run(controller, "ns/a"),
              ElementsAre(R"(patch jobtemplates/ns/a/status {"status":{"jobDependsOnList":["f-a"]}})"));
  EXPECT_THAT(fixture.run(controller, "ns/a"), IsEmpty());
  EXPECT_THAT(fixture.lose(VolcanoKind::Job, "ns/f-a", controller), ElementsAre("ns/a"));
  EXPECT_THAT(fixture.run(controller, "ns/a"), ElementsAre(HasSubstr(R"({"jobDependsOnList":[]})")));
}

}  // namespace
}  // namespace basalt::volcano

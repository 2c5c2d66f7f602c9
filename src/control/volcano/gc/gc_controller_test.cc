#include "control/volcano/gc/gc_controller.h"

#include <gmock/gmock.h>

#include "control/volcano/controllers_fixture.h"

namespace basalt::volcano {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string job_with_ttl(const std::string& phase, const std::string& ttl,
                         const std::string& ended = "2023-11-14T22:13:00Z", const std::string& metadata = "") {
  return fmt::format(
      R"({{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{{"namespace":"n","name":"j"{}}},
          "spec":{{"ttlSecondsAfterFinished":{}}},
          "status":{{"state":{{"phase":"{}","lastTransitionTime":"{}"}}}}}})",
      metadata, ttl, phase, ended);
}

class GcController : public ::testing::Test {
 protected:
  ControllersFixture fixture;  // it is 22:13:20
  const VolcanoController controller = gc_controller();
};

TEST_F(GcController, DeletesWhenTheTimeIsUp) {
  for (const std::string phase : {"Completed", "Failed", "Terminated"}) {
    EXPECT_THAT(fixture.see(job_with_ttl(phase, "60"), controller), ElementsAre("n/j"));
    EXPECT_THAT(fixture.plan(controller, "n/j"), ElementsAre("again in 40 s")) << phase;
    EXPECT_THAT(fixture.see(job_with_ttl(phase, "20"), controller), ElementsAre("n/j"));
    EXPECT_THAT(fixture.plan(controller, "n/j"), ElementsAre("delete jobs/n/j Foreground")) << phase;
  }
  fixture.run(controller, "n/j");
  EXPECT_THAT(fixture.plan(controller, "n/j"), IsEmpty());
}

TEST_F(GcController, TheDeletionNamesWhatWasJudged) {
  fixture.see(job_with_ttl("Completed", "0"));
  const WritePlan plan = controller.plan(fixture.context(), "n/j", fixture.now);
  ASSERT_EQ(plan.stages.size(), 1U);
  const text::Object& options = plan.stages[0][0].body.get_object();
  EXPECT_EQ(api::string_at(options, {"preconditions", "uid"}), "uid-j");
  EXPECT_EQ(api::string_at(options, {"preconditions", "resourceVersion"}),
            api::string_at(*fixture.seen().find(VolcanoKind::Job, "n/j"), {"metadata", "resourceVersion"}));
}

TEST_F(GcController, AFlowCountsItsJobsUntilItSucceeded) {
  const auto flow = [](const std::string& phase) {
    return fmt::format(R"({{"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobFlow","metadata":{{"namespace":"n",
                           "name":"f"}},"status":{{"state":{{"phase":"{}"}}}}}})",
                       phase);
  };
  fixture.see(job_with_ttl("Completed", "0", "2023-11-14T22:13:00Z",
                           R"(,"ownerReferences":[{"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobFlow","name":"f",
                    "uid":"uid-f","controller":true}])"));
  for (const std::string phase : {"Pending", "Running", "Failed"}) {
    EXPECT_THAT(fixture.see(flow(phase), controller), ElementsAre("n/j"));
    EXPECT_THAT(fixture.plan(controller, "n/j"), IsEmpty()) << phase;
  }
  EXPECT_THAT(fixture.see(flow("Succeed"), controller), ElementsAre("n/j"));
  EXPECT_THAT(fixture.plan(controller, "n/j"), ElementsAre("delete jobs/n/j Foreground"));
  fixture.lose(VolcanoKind::JobFlow, "n/f");
  EXPECT_THAT(fixture.plan(controller, "n/j"), ElementsAre("delete jobs/n/j Foreground"));
}

TEST_F(GcController, OthersStay) {
  for (const std::string phase :
       {"", "Pending", "Running", "Restarting", "Completing", "Terminating", "Aborting", "Aborted", "Odd"}) {
    EXPECT_THAT(fixture.see(job_with_ttl(phase, "0"), controller), IsEmpty()) << phase;
    EXPECT_THAT(fixture.plan(controller, "n/j"), IsEmpty()) << phase;
  }
  for (const std::string ttl : {"null", "\"7\"", "1.5", "{}"}) {
    fixture.see(job_with_ttl("Completed", ttl));
    EXPECT_THAT(fixture.plan(controller, "n/j"), IsEmpty()) << ttl;
  }
  for (const std::string ended : {"", "yesterday", "0001-01-01T00:00:00Z"}) {
    fixture.see(job_with_ttl("Completed", "0", ended));
    EXPECT_THAT(fixture.plan(controller, "n/j"), IsEmpty()) << ended;
  }
  fixture.see(job_with_ttl("Completed", "0", "2023-11-14T22:13:00Z", R"(,"deletionTimestamp":"2023-11-14T22:13:10Z")"));
  EXPECT_THAT(fixture.plan(controller, "n/j"), IsEmpty());
  EXPECT_THAT(fixture.plan(controller, "n/gone"), IsEmpty());
}

TEST_F(GcController, ExtremeTtlsAreHarmless) {
  fixture.see(job_with_ttl("Completed", "-5"));
  EXPECT_THAT(fixture.plan(controller, "n/j"), ElementsAre("delete jobs/n/j Foreground"));
  fixture.see(job_with_ttl("Completed", "9223372036854775807"));
  EXPECT_THAT(fixture.plan(controller, "n/j"), ElementsAre("again in 3153599980 s"));
  fixture.see(job_with_ttl("Completed", "9223372036854775807", "2260-01-01T00:00:00Z"));
  EXPECT_THAT(fixture.plan(controller, "n/j"), IsEmpty());
}

TEST_F(GcController, AnEndInTheFutureDefers) {
  fixture.see(job_with_ttl("Completed", "10", "2023-11-14T22:14:20Z"));
  EXPECT_THAT(fixture.plan(controller, "n/j"), ElementsAre("again in 70 s"));
}

}  // namespace
}  // namespace basalt::volcano

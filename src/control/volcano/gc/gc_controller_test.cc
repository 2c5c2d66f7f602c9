#include "control/volcano/gc/gc_controller.h"

#include <gmock/gmock.h>

#include "control/volcano/controllers_test_world.h"

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
  ControllersTestWorld world;  // it is 22:13:20
  const Controller controller = gc_controller();
};

TEST_F(GcController, DeletesWhenTheTimeIsUp) {
  for (const std::string phase : {"Completed", "Failed", "Terminated"}) {
    EXPECT_THAT(world.see(job_with_ttl(phase, "60"), controller), ElementsAre("n/j"));
    EXPECT_THAT(world.plan(controller, "n/j"), ElementsAre("again in 40 s")) << phase;
    EXPECT_THAT(world.see(job_with_ttl(phase, "20"), controller), ElementsAre("n/j"));
    EXPECT_THAT(world.plan(controller, "n/j"), ElementsAre("delete jobs/n/j Foreground")) << phase;
  }
  world.run(controller, "n/j");
  EXPECT_THAT(world.plan(controller, "n/j"), IsEmpty());
}

TEST_F(GcController, TheDeletionNamesWhatWasJudged) {
  world.see(job_with_ttl("Completed", "0"));
  const Plan plan = controller.plan(world.world(), "n/j", world.now);
  ASSERT_EQ(plan.stages.size(), 1U);
  const text::Object& options = plan.stages[0][0].body.get_object();
  EXPECT_EQ(api::string_at(options, {"preconditions", "uid"}), "uid-j");
  EXPECT_EQ(api::string_at(options, {"preconditions", "resourceVersion"}),
            api::string_at(*world.seen().find(Kind::Job, "n/j"), {"metadata", "resourceVersion"}));
}

TEST_F(GcController, AFlowCountsItsJobsUntilItSucceeded) {
  const auto flow = [](const std::string& phase) {
    return fmt::format(R"({{"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobFlow","metadata":{{"namespace":"n",
                           "name":"f"}},"status":{{"state":{{"phase":"{}"}}}}}})",
                       phase);
  };
  world.see(job_with_ttl("Completed", "0", "2023-11-14T22:13:00Z",
                         R"(,"ownerReferences":[{"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobFlow","name":"f",
                    "uid":"uid-f","controller":true}])"));
  for (const std::string phase : {"Pending", "Running", "Failed"}) {
    EXPECT_THAT(world.see(flow(phase), controller), ElementsAre("n/j"));
    EXPECT_THAT(world.plan(controller, "n/j"), IsEmpty()) << phase;
  }
  EXPECT_THAT(world.see(flow("Succeed"), controller), ElementsAre("n/j"));
  EXPECT_THAT(world.plan(controller, "n/j"), ElementsAre("delete jobs/n/j Foreground"));
  world.lose(Kind::JobFlow, "n/f");
  EXPECT_THAT(world.plan(controller, "n/j"), ElementsAre("delete jobs/n/j Foreground"));
}

TEST_F(GcController, OthersStay) {
  for (const std::string phase :
       {"", "Pending", "Running", "Restarting", "Completing", "Terminating", "Aborting", "Aborted", "Odd"}) {
    EXPECT_THAT(world.see(job_with_ttl(phase, "0"), controller), IsEmpty()) << phase;
    EXPECT_THAT(world.plan(controller, "n/j"), IsEmpty()) << phase;
  }
  for (const std::string ttl : {"null", "\"7\"", "1.5", "{}"}) {
    world.see(job_with_ttl("Completed", ttl));
    EXPECT_THAT(world.plan(controller, "n/j"), IsEmpty()) << ttl;
  }
  for (const std::string ended : {"", "yesterday", "0001-01-01T00:00:00Z"}) {
    world.see(job_with_ttl("Completed", "0", ended));
    EXPECT_THAT(world.plan(controller, "n/j"), IsEmpty()) << ended;
  }
  world.see(job_with_ttl("Completed", "0", "2023-11-14T22:13:00Z", R"(,"deletionTimestamp":"2023-11-14T22:13:10Z")"));
  EXPECT_THAT(world.plan(controller, "n/j"), IsEmpty());
  EXPECT_THAT(world.plan(controller, "n/gone"), IsEmpty());
}

TEST_F(GcController, ExtremeTtlsAreHarmless) {
  world.see(job_with_ttl("Completed", "-5"));
  EXPECT_THAT(world.plan(controller, "n/j"), ElementsAre("delete jobs/n/j Foreground"));
  world.see(job_with_ttl("Completed", "9223372036854775807"));
  EXPECT_THAT(world.plan(controller, "n/j"), ElementsAre("again in 3153599980 s"));
  world.see(job_with_ttl("Completed", "9223372036854775807", "2260-01-01T00:00:00Z"));
  EXPECT_THAT(world.plan(controller, "n/j"), IsEmpty());
}

TEST_F(GcController, AnEndInTheFutureDefers) {
  world.see(job_with_ttl("Completed", "10", "2023-11-14T22:14:20Z"));
  EXPECT_THAT(world.plan(controller, "n/j"), ElementsAre("again in 70 s"));
}

}  // namespace
}  // namespace basalt::volcano

#include "control/volcano/cron_job/cron_job_controller.h"

#include <gmock/gmock.h>

#include "control/volcano/controllers_fixture.h"

namespace basalt::volcano {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const VolcanoController kCron = cron_job_controller();

// Created at 22:00, every hour at 13 minutes past: due at 22:13:00, twenty seconds ago.
std::string cron_job(std::string_view more, std::string_view status = "{}") {
  return fmt::format(R"({{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"CronJob",
      "metadata":{{"name":"c","namespace":"ns","uid":"u-c","creationTimestamp":"2023-11-14T22:00:00Z"}},
      "spec":{{"schedule":"13 * * * *","jobTemplate":{{"metadata":{{"labels":{{"a":"b"}}}},"spec":{{"queue":"q"}}}}{}}},
      "status":{}}})",
                     more, status);
}

std::string job_of_cron(std::string_view name, std::string_view phase, std::string_view scheduled,
                        std::string_view created = "2023-11-14T22:00:00Z") {
  return fmt::format(R"({{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{{"name":"{}",
      "namespace":"ns","creationTimestamp":"{}","annotations":{{"volcano.sh/cronjob-scheduled-timestamp":"{}"}},
      "ownerReferences":[{{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"CronJob","name":"c","uid":"u-c",
      "controller":true}}]}},"status":{{"state":{{"phase":"{}","lastTransitionTime":"2023-11-14T22:05:00Z"}}}}}})",
                     name, created, scheduled, phase);
}

struct CronWorld : ControllersFixture {
  CronWorld() {
    system_services.time_zone = [](std::string_view name) -> std::shared_ptr<const text::TimeZone> {
      if (name == "UTC") return std::make_shared<const text::TimeZone>();
      if (name == "East/One") return std::make_shared<const text::TimeZone>(text::TimeZone::fixed(3600));
      return nullptr;
    };
  }
};

TEST(CronJob, MakesTheJobOfTheLatestTimeOnceAndNotesIt) {
  CronWorld fixture;
  EXPECT_THAT(fixture.see(cron_job(""), kCron), ElementsAre("ns/c"));
  EXPECT_THAT(fixture.run(kCron, "ns/c"),
              ElementsAre("create jobs/ns/c-28333333", "event Normal SuccessfulCreate: Created job c-28333333",
                          "again in 3580 s"));
  EXPECT_EQ(fixture.json(VolcanoKind::Job, "ns/c-28333333", {"metadata", "labels"}), R"({"a":"b"})");
  EXPECT_EQ(fixture.json(VolcanoKind::Job, "ns/c-28333333", {"metadata", "annotations"}),
            R"({"volcano.sh/cronjob-scheduled-timestamp":"2023-11-14T22:13:00Z"})");
  EXPECT_EQ(fixture.json(VolcanoKind::Job, "ns/c-28333333", {"spec", "queue"}), R"("q")");
  // The status follows from the job that is there, also in another process.
  EXPECT_THAT(fixture.run(kCron, "ns/c"),
              ElementsAre(HasSubstr(R"("lastScheduleTime":"2023-11-14T22:13:00Z")"), "again in 3580 s"));
  EXPECT_THAT(fixture.run(kCron, "ns/c"), ElementsAre("again in 3580 s"));
}

TEST(CronJob, WritesTimesInItsZone) {
  CronWorld fixture;
  fixture.see(cron_job(R"(,"timeZone":"East/One")"));
  fixture.run(kCron, "ns/c");
  EXPECT_EQ(fixture.json(VolcanoKind::Job, "ns/c-28333333", {"metadata", "annotations"}),
            R"({"volcano.sh/cronjob-scheduled-timestamp":"2023-11-14T23:13:00+01:00"})");
  EXPECT_THAT(fixture.run(kCron, "ns/c"),
              ElementsAre(HasSubstr(R"("lastScheduleTime":"2023-11-14T22:13:00Z")"), "again in 3580 s"));
}

TEST(CronJob, NamesWhatIsWrongWithItsTimes) {
  CronWorld fixture;
  fixture.see(cron_job(R"(,"timeZone":"Mars/Olympus")"));
  EXPECT_THAT(fixture.plan(kCron, "ns/c"),
              ElementsAre(HasSubstr("Warning InvalidTimeZone: spec.timeZone \"Mars/Olympus\"")));
  fixture.see(cron_job(R"(,"schedule":"99 * * * *")"));
  EXPECT_THAT(fixture.plan(kCron, "ns/c"), ElementsAre(HasSubstr("Warning UnParseableCronJobSchedule")));
  fixture.see(cron_job(R"(,"schedule":"0 0 30 2 *")"));
  EXPECT_THAT(fixture.plan(kCron, "ns/c"), ElementsAre(HasSubstr("Warning InvalidSchedule")));
  fixture.see(cron_job(R"(,"suspend":true)"));
  EXPECT_THAT(fixture.plan(kCron, "ns/c"), IsEmpty());
}

TEST(CronJob, ObeysItsConcurrencyPolicy) {
  for (const std::string_view policy : {"Allow", "Forbid", "Replace"}) {
    CronWorld fixture;
    fixture.see(job_of_cron("c-1", "Running", "2023-11-14T21:13:00Z"));
    fixture.see(cron_job(fmt::format(R"(,"concurrencyPolicy":"{}")", policy),
                         R"({"active":[{"name":"c-1","uid":"uid-c-1"}],"lastScheduleTime":"2023-11-14T21:13:00Z"})"));
    const Lines lines = fixture.plan(kCron, "ns/c");
    if (policy == "Forbid") {
      EXPECT_THAT(lines, ElementsAre(HasSubstr("ForbidConcurrent"), "again in 3580 s"));
    } else if (policy == "Allow") {
      EXPECT_THAT(lines, ElementsAre("create jobs/ns/c-28333333", HasSubstr("SuccessfulCreate"), "again in 3580 s"));
    } else {
      EXPECT_THAT(lines, ElementsAre("delete jobs/ns/c-1 Background", "then", "create jobs/ns/c-28333333",
                                     HasSubstr("ReplaceConcurrent"), HasSubstr("SuccessfulCreate"), "again in 3580 s"));
    }
  }
}

TEST(CronJob, KeepsAsManyFinishedJobsAsItSays) {
  CronWorld fixture;
  fixture.see(job_of_cron("c-1", "Completed", "2023-11-14T22:13:00Z", "2023-11-14T22:01:00Z"));
  fixture.see(job_of_cron("c-2", "Completed", "2023-11-14T22:13:00Z", "2023-11-14T22:02:00Z"));
  fixture.see(job_of_cron("c-3", "Failed", "2023-11-14T22:13:00Z", "2023-11-14T22:01:00Z"));
  fixture.see(job_of_cron("c-4", "Terminated", "2023-11-14T22:13:00Z", "2023-11-14T22:02:00Z"));
  fixture.see(cron_job(R"(,"successfulJobsHistoryLimit":1,"suspend":true)",
                       R"({"active":[{"name":"c-1","uid":"uid-c-1"},{"name":"gone","uid":"x"}]})"));
  EXPECT_THAT(
      fixture.run(kCron, "ns/c"),
      ElementsAre(
          "delete jobs/ns/c-1 Background", "delete jobs/ns/c-3 Background",
          HasSubstr(
              R"({"active":[],"lastScheduleTime":"2023-11-14T22:13:00Z","lastSuccessfulTime":"2023-11-14T22:05:00Z"})"),
          HasSubstr("SuccessfulDelete: Deleted job c-1"), HasSubstr("SuccessfulDelete: Deleted job c-3"),
          HasSubstr("SawCompletedJob: Saw completed job: c-1"), HasSubstr("StaleReference")));
  EXPECT_THAT(fixture.run(kCron, "ns/c"), IsEmpty());
}

TEST(CronJob, ForgetsTimesBeyondItsDeadline) {
  CronWorld fixture;
  fixture.see(cron_job(R"(,"startingDeadlineSeconds":10)"));
  EXPECT_THAT(fixture.plan(kCron, "ns/c"), ElementsAre("again in 3580 s"));
  fixture.see(cron_job(R"(,"startingDeadlineSeconds":30)"));
  EXPECT_THAT(fixture.plan(kCron, "ns/c"), testing::Contains("create jobs/ns/c-28333333"));
}

TEST(CronJob, LeavesOthersJobsAlone) {
  CronWorld fixture;
  fixture.see(
      R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"c-28333333","namespace":"ns"}})");
  fixture.see(cron_job(""));
  EXPECT_THAT(fixture.plan(kCron, "ns/c"), ElementsAre(HasSubstr("ForeignJob"), "again in 3580 s"));
  EXPECT_THAT(fixture.see(job_of_cron("c-1", "Running", ""), kCron), ElementsAre("ns/c"));
}

}  // namespace
}  // namespace basalt::volcano

// A controller that stops after any write, and the one that goes on in its place, come to the same end.
#include <gtest/gtest.h>

#include <functional>

#include "control/volcano/job/job_fixture.h"

namespace basalt::volcano {
namespace {

constexpr std::string_view kTemplate = "template: {spec: {containers: [{name: c, image: i}]}}";

using Step = std::function<void(JobFixture&)>;

struct Story {
  std::string spec;
  std::vector<Step> steps;  // after each the controller works until it is quiet
};

// The writes of the whole story, with the controller stopping after `stop` of them and a new one going on.
size_t play(JobFixture& fixture, const Story& story, size_t stop) {
  size_t done = 0;
  bool stopped = false;
  const auto work = [&] {
    const size_t left = stopped ? JobFixture::kEndless : stop - done;
    done += fixture.settle(left).size();
    if (!stopped && done >= stop) {
      stopped = true;
      fixture.restart();
      done += fixture.settle().size();
    }
    EXPECT_TRUE(fixture.plan().empty()) << "a plan that was carried out is planned again";
  };
  fixture.put_job(story.spec);
  work();
  for (const Step& step : story.steps) {
    step(fixture);
    work();
  }
  return done;
}

void expect_the_same_end(const Story& story) {
  JobFixture whole;
  const size_t writes = play(whole, story, JobFixture::kEndless);
  EXPECT_GT(writes, 5U);
  for (size_t stop = 1; stop <= writes; ++stop) {
    JobFixture fixture;
    play(fixture, story, stop);
    EXPECT_EQ(fixture.summary(), whole.summary()) << "stopped after " << stop << " of " << writes << " writes";
  }
}

const Step kAdmit = [](JobFixture& fixture) { fixture.admit(); };
const Step kRun = [](JobFixture& fixture) { fixture.all_pods("Running"); };
const Step kBury = [](JobFixture& fixture) { fixture.bury(); };
Step fails(std::string pod, int exit_code) {
  return [=](JobFixture& fixture) { fixture.pod(pod, "Failed", exit_code); };
}
Step order(std::string action) {
  return [=](JobFixture& fixture) { fixture.command("c-" + action, action); };
}

std::string spec_with(std::string_view policies, std::string_view more = "") {
  return fmt::format(
      "{{minAvailable: 3, {} policies: [{}], tasks: [{{name: a, replicas: 2, {}}}, {{name: b, replicas: 1, {}}}]}}",
      more, policies, kTemplate, kTemplate);
}

TEST(JobCrash, RestartJob) {
  expect_the_same_end({.spec = spec_with("{event: PodFailed, action: RestartJob}", "plugins: {svc: [], ssh: []},"),
                       .steps = {kAdmit, kRun, fails("j-a-1", 1), kAdmit, kRun, fails("j-b-0", 1), kAdmit, kRun}});
}

TEST(JobCrash, RestartJobWithSlowPods) {
  expect_the_same_end({.spec = spec_with("{event: PodFailed, action: RestartJob}"),
                       .steps = {kAdmit, kRun, [](JobFixture& fixture) { fixture.slow_pods = true; }, fails("j-a-1", 1),
                                 kBury, kAdmit, kRun}});
}

TEST(JobCrash, RestartTaskCountsOneRetry) {
  expect_the_same_end({.spec = spec_with("{event: PodFailed, action: RestartTask}"),
                       .steps = {kAdmit, kRun, fails("j-a-1", 1), kRun, fails("j-a-0", 1), kRun}});
}

TEST(JobCrash, RestartPodUntilFailed) {
  expect_the_same_end({.spec = spec_with("{event: PodFailed, action: RestartPod}"),
                       .steps = {kAdmit, kRun, fails("j-a-1", 1), kRun, fails("j-a-1", 1), kRun, fails("j-a-1", 1)}});
}

TEST(JobCrash, SuspendAndResume) {
  expect_the_same_end({.spec = spec_with("", "plugins: {svc: [], ssh: []},"),
                       .steps = {kAdmit, kRun, order("AbortJob"), order("ResumeJob"), kAdmit, kRun}});
}

TEST(JobCrash, SeveralCommandsAtOnce) {
  expect_the_same_end({.spec = spec_with(""),
                       .steps = {kAdmit, kRun,
                                 [](JobFixture& fixture) {
                                   fixture.command("1", "RestartJob");
                                   fixture.command("2", "AbortJob");
                                   fixture.command("3", "ResumeJob");
                                 },
                                 kAdmit, kRun}});
}

TEST(JobCrash, ScaleAndComplete) {
  expect_the_same_end(
      {.spec = spec_with(""),
       .steps = {
           kAdmit, kRun,
           [](JobFixture& fixture) {
             fixture.change_spec(fmt::format(
                 R"({{"minAvailable":1,"tasks":[{{"name":"a","replicas":1,{0}}},{{"name":"b","replicas":3,{0}}}]}})",
                 R"("template":{"spec":{"containers":[{"name":"c","image":"i"}]}})"));
           },
           kRun, [](JobFixture& fixture) { fixture.all_pods("Succeeded"); }}});
}

TEST(JobCrash, Claims) {
  expect_the_same_end(
      {.spec = spec_with("", "volumes: [{mountPath: /a, volumeClaim: {accessModes: [ReadWriteOnce]}}],"),
       .steps = {kAdmit, kRun, order("TerminateJob")}});
}

TEST(JobCrash, DelayedEviction) {
  expect_the_same_end({.spec = spec_with("{event: PodEvicted, action: RestartJob, timeout: 30s}"),
                       .steps = {kAdmit, kRun, [](JobFixture& fixture) { fixture.lose("pods/ns/j-a-0"); },
                                 [](JobFixture& fixture) { fixture.pass(Duration::seconds(31)); }, kAdmit, kRun}});
}

}  // namespace
}  // namespace basalt::volcano

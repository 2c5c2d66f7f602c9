// --wait with jobs of more than one container, with failing init containers, and with jobs that vanish.
#include "programs/cli/vcctl/job_wait.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::vcctl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kJobText = "{metadata: {name: train, namespace: default}, status: {state: {phase: Completed}}}";

class JobWaitTest : public VcctlTest {
 protected:
  void SetUp() override { environment.clear(); }

  void job_is(const std::string& phase) {
    api.put("jobs", "{metadata: {name: train, namespace: default}, status: {state: {phase: " + phase + "}}}");
  }
  // `rest`: spec and status.
  void pod_is(const std::string& name, const std::string& rest) {
    api.put("pods", "{metadata: {name: " + name + ", namespace: default, uid: u-" + name +
                        ", labels: {volcano.sh/job-name: train}}, " + rest + "}");
  }
  CommandResult wait() { return vcctl({"job", "run", "-N", "train", "--wait"}); }
  [[nodiscard]] size_t log_calls() const {
    return static_cast<size_t>(
        std::ranges::count_if(api.calls, [](const api::Call& call) { return call.subresource == "log"; }));
  }
};

TEST_F(JobWaitTest, EveryContainerIsFollowedWithItsName) {
  while_waiting = [&] {
    job_is("Completed");
    pod_is("train-0",
           "spec: {initContainers: [{name: fetch}], containers: [{name: main}, {name: side}]}, status: {phase: "
           "Succeeded}");
    api.logs["default/train-0/fetch"] = "2026-11-15T18:46:30Z got it\n";
    api.logs["default/train-0/main"] = "2026-11-15T18:46:31Z step 1\n";
    api.logs["default/train-0/side"] = "2026-11-15T18:46:31Z synced\n";
  };
  const CommandResult result = wait();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "run job train successfully\n[fetch] got it\n[main] step 1\n[side] synced\n");
  EXPECT_EQ(result.err, "job default/train is Completed\n");
}

TEST_F(JobWaitTest, SeveralPodsOfSeveralContainersSayBoth) {
  while_waiting = [&] {
    job_is("Completed");
    for (const char* name : {"train-0", "train-1"}) {
      pod_is(name, "spec: {containers: [{name: a}, {name: b}]}, status: {phase: Succeeded}");
      api.logs[std::string("default/") + name + "/b"] = "2026-11-15T18:46:31Z hello\n";
    }
  };
  EXPECT_EQ(wait().out, "run job train successfully\n[train-0/b] hello\n[train-1/b] hello\n");
}

TEST_F(JobWaitTest, TheCodeOfAnInitContainerThatFailed) {
  while_waiting = [&] {
    job_is("Failed");
    pod_is("train-0",
           "spec: {initContainers: [{name: fetch}], containers: [{name: main}]}, status: {phase: Failed, "
           "initContainerStatuses: [{name: fetch, state: {terminated: {exitCode: 11}}}], containerStatuses: [{name: "
           "main, state: {waiting: {reason: PodInitializing}}}]}");
    api.logs["default/train-0/fetch"] = "2026-11-15T18:46:31Z no such host\n";
  };
  const CommandResult result = wait();
  EXPECT_EQ(result.code, 11);
  EXPECT_EQ(result.out, "run job train successfully\n[fetch] no such host\n");
  EXPECT_EQ(log_calls(), 1U) << "a container that never started has no log";
}

// sinceTime has whole seconds on its way through kube-apiserver, so lines come again and are not shown again.
TEST_F(JobWaitTest, ALookAsksForWhatIsNew) {
  std::string log;
  for (int i = 0; i < 1000; ++i) log += "2026-11-15T18:46:30.000001Z early\n";
  int looks = 0;
  while_waiting = [&] {
    job_is("Running");
    pod_is("train-0", "spec: {containers: [{name: main}]}, status: {phase: Running}");
    if (++looks == 1) log += "2026-11-15T18:46:31.5Z one\n2026-11-15T18:46:31.5Z two\n";
    if (looks == 2) log += "2026-11-15T18:46:31.5Z three\n2026-11-15T18:46:31.7Z fo";
    if (looks == 3) log += "ur\n";
    if (looks == 4) {
      job_is("Completed");
      pod_is("train-0", "spec: {containers: [{name: main}]}, status: {phase: Succeeded}");
    }
    api.logs["default/train-0"] = log;
  };
  const CommandResult result = wait();
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, ::testing::EndsWith("early\none\ntwo\nthree\nfour\n"));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 1 + 1000 + 4);
  EXPECT_LT(api.bytes_of_logs, log.size() + 1000) << "the whole log was read more than once";
  EXPECT_EQ(api.calls.back().log->since_time, "2026-11-15T18:46:31.7Z");
}

TEST_F(JobWaitTest, ARestartedContainerIsReadToTheEndOfItsFormerRun) {
  int looks = 0;
  while_waiting = [&] {
    job_is(++looks == 2 ? "Completed" : "Running");
    pod_is("train-0", std::string("spec: {containers: [{name: main}]}, status: {phase: ") +
                          (looks == 2 ? "Succeeded" : "Running") + ", containerStatuses: [{name: main, restartCount: " +
                          (looks == 2 ? "1" : "0") + ", state: {running: {}}}]}");
    api.logs["default/train-0/main"] = looks == 2 ? "2026-11-15T18:46:32Z again\n" : "2026-11-15T18:46:31Z begin\n";
    api.logs["default/train-0/main/previous"] = "2026-11-15T18:46:31Z begin\n2026-11-15T18:46:31.2Z out of memory\n";
  };
  EXPECT_EQ(wait().out, "run job train successfully\nbegin\nout of memory\nagain\n");
}

// ttlSecondsAfterFinished: 0: the job is gone at the next look.
TEST_F(JobWaitTest, AJobThatVanishedAfterItCompletedIsASuccess) {
  while_waiting = [&] {
    EXPECT_EQ(vcctl({"job", "delete", "train"}).code, 0);
    api.watches = {{FakeApi::event(client::WatchEventType::Modified, kJobText),
                    FakeApi::event(client::WatchEventType::Deleted, kJobText)}};
  };
  const CommandResult result = wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err,
            "job default/train is Completed\n"
            "job default/train is gone with its pods; the end of their logs may be missing\n");
}

TEST_F(JobWaitTest, AJobThatVanishedBeforeItsEndIsAnErrorThatSaysWhatWasSeen) {
  int looks = 0;
  while_waiting = [&] {
    if (++looks == 1) return job_is("Running");
    EXPECT_EQ(vcctl({"job", "delete", "train"}).code, 0);
  };
  const CommandResult result = wait();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("job default/train was deleted before it was over; it was last Running\n"));
  EXPECT_THAT(result.err, Not(HasSubstr("missing")));
}

}  // namespace
}  // namespace basalt::cli::vcctl

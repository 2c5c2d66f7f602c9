#include "programs/up/run_file.h"

#include <sys/wait.h>

#include "kube/net/private_file.h"
#include "programs/up/up_fixture.h"

namespace basalt::up {
namespace {

class RunFileTest : public DirectoryTest {
 protected:
  ServingProcess ours() {
    return {.process = identity_of_process(::getpid()).value(),
            .url = "https://127.0.0.1:6443",
            .kubeconfig = scratch / "kubeconfig",
            .since = test_now(),
            .ephemeral = true};
  }
};

TEST_F(RunFileTest, NobodyRunsWhereThereIsNoFile) {
  EXPECT_FALSE(must(find_running(scratch)).has_value());
  EXPECT_FALSE(must(find_running(scratch / "nowhere")).has_value());
}

TEST_F(RunFileTest, AProcessThatRunsIsFoundUntilItsFileGoes) {
  const ServingProcess written = ours();
  ASSERT_TRUE(write_run_file(scratch, written));
  const auto found = must(find_running(scratch));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->process, written.process);
  EXPECT_EQ(found->url, written.url);
  EXPECT_EQ(found->kubeconfig, written.kubeconfig);
  EXPECT_EQ(found->since, written.since);
  EXPECT_TRUE(found->ephemeral);
  remove_run_file(scratch);
  EXPECT_TRUE(listing(scratch).size() == 1);
}

TEST_F(RunFileTest, ANumberThatSomebodyElseHasNowIsNotTaken) {
  ServingProcess stale = ours();
  ++stale.process.started;
  ASSERT_TRUE(write_run_file(scratch, stale));
  EXPECT_FALSE(must(find_running(scratch)).has_value());
  stale = ours();
  stale.process.boot = "another boot";
  ASSERT_TRUE(write_run_file(scratch, stale));
  EXPECT_FALSE(must(find_running(scratch)).has_value());
}

TEST_F(RunFileTest, AProcessThatEndedIsGoneAlsoBeforeItIsWaitedFor) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(identity_of_process(child).has_value());
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(identity_of_process(child).has_value());
}

TEST_F(RunFileTest, AFileOfAnotherProcessStays) {
  ServingProcess other = ours();
  other.process = identity_of_process(::getppid()).value();
  ASSERT_TRUE(write_run_file(scratch, other));
  const auto before = listing(scratch);
  remove_run_file(scratch);
  EXPECT_EQ(listing(scratch), before);
}

TEST_F(RunFileTest, WhatIsNoRunFileIsAnError) {
  for (const char* text : {"", "[]", "{}", "{\"pid\": 1, \"started\": 5}", "{\"pid\": -7}"}) {
    ASSERT_TRUE(net::write_private_file(scratch / "run.json", text));
    EXPECT_FALSE(find_running(scratch).has_value()) << text;
  }
}

}  // namespace
}  // namespace basalt::up

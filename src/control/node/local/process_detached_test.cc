// Containers that outlive their Processes, and how the next one takes them over.
#include <signal.h>
#include <time.h>

#include "control/node/local/process_fixture.h"

namespace basalt::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class KeptProcessTest : public ProcessTest {
 protected:
  ProcessSpec lasting(const std::string& script, const std::string& marker = "m/1/a") const {
    ProcessSpec spec = shell(script);
    spec.log = log();
    spec.marker = marker;
    spec.outlives = true;
    spec.note = "note of " + marker;
    return spec;
  }
  ProcessId start(const ProcessSpec& spec) {
    const auto started = processes_->start(spec, [](const ProcessExit&) {});
    EXPECT_TRUE(started) << started.error().message;
    return started.value_or(ProcessId{});
  }
  void stop() {
    processes_->let_go();
    processes_.reset();
  }
  // As a planned stop and a new start.
  void restart() {
    if (processes_ != nullptr) stop();
    auto made = Processes::make({.directory = directory_ / "state", .use_namespaces = GetParam()});
    ASSERT_TRUE(made) << made.error().message;
    processes_ = std::move(*made);
  }
  std::vector<std::string> kept() const {
    std::vector<std::string> markers;
    for (const DetachedProcess& one : processes_->kept()) markers.push_back(one.marker + ": " + one.note);
    return markers;
  }
  [[nodiscard]] fs::path log() const { return directory_ / "logs" / "a.log"; }
};

INSTANTIATE_TEST_SUITE_P(Machines, KeptProcessTest, testing::Bool(),
                         [](const auto& which) { return which.param ? "Namespaces" : "Plain"; });

TEST_P(KeptProcessTest, GoesOnAndIsTakenOverWithWhatItSaid) {
  const fs::path up = named_pipe("up"), more = named_pipe("more"), done = named_pipe("done");
  start(lasting("echo before; echo up > " + up.string() + "; read x < " + more.string() +
                "; echo meanwhile; echo wrong >&2; echo said > " + done.string() + "; read x < " + more.string() +
                "; echo after; trap 'exit 7' TERM; echo up > " + up.string() + "; while :; do sleep 0.1; done"));
  EXPECT_EQ(read_line(up), "up");
  stop();
  std::ofstream(more) << "go\n";
  EXPECT_EQ(read_line(done), "said");
  ASSERT_NO_FATAL_FAILURE(restart());
  EXPECT_THAT(kept(), ElementsAre("m/1/a: note of m/1/a"));
  Ended ended;
  const auto adopted = processes_->adopt("m/1/a", ended.notice());
  ASSERT_TRUE(adopted);
  EXPECT_THAT(kept(), ElementsAre());
  EXPECT_FALSE(processes_->adopt("m/1/a", nullptr)) << "it has an owner";
  std::ofstream(more) << "go\n";
  EXPECT_EQ(read_line(up), "up");
  ProcessSpec inside = shell("echo inside");
  inside.inside = *adopted;
  EXPECT_EQ(run(inside).output, "inside\n");
  processes_->signal(*adopted, SIGTERM);
  const ProcessExit exit = ended.wait();
  EXPECT_EQ(exit.code, 7);
  EXPECT_FALSE(exit.at.is_set());
  const std::string text = content(log());
  for (const char* line : {"stdout F before\n", "stdout F meanwhile\n", "stderr F wrong\n", "stdout F after\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_LT(text.find("before"), text.find("meanwhile"));
  EXPECT_LT(text.find("meanwhile"), text.find("after"));
  EXPECT_TRUE(fs::is_empty(directory_ / "state" / "kept"));
}

TEST_P(KeptProcessTest, HowItEndedWhileNobodyWasThereIsTold) {
  const fs::path more = named_pipe("more");
  start(lasting("read x < " + more.string() + "; printf 'last words'; exit 3"));
  stop();
  std::ofstream(more) << "go\n";
  ASSERT_NO_FATAL_FAILURE(restart());
  EXPECT_THAT(kept(), ElementsAre("m/1/a: note of m/1/a"));
  Ended ended;
  ASSERT_TRUE(processes_->adopt("m/1/a", ended.notice()));
  EXPECT_EQ(ended.wait().code, 3);
  EXPECT_THAT(content(log()), HasSubstr("last words"));
}

TEST_P(KeptProcessTest, OnlyThoseThatOutliveUsDo) {
  const fs::path alive = named_pipe("alive");
  ProcessSpec mortal = shell("exec 3> " + alive.string() + "; echo up >&3; exec sleep 1000");
  mortal.marker = "m/2/b";
  start(mortal);
  start(lasting("exec sleep 1000"));
  std::ifstream in(alive);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "up");
  ASSERT_NO_FATAL_FAILURE(restart());
  EXPECT_FALSE(std::getline(in, line)) << "it is gone: nobody holds the pipe";
  EXPECT_THAT(kept(), ElementsAre("m/1/a: note of m/1/a"));
}

TEST_P(KeptProcessTest, WhatNobodyTakesOverIsEnded) {
  const fs::path alive = named_pipe("alive");
  start(lasting("exec 3> " + alive.string() + "; echo up >&3; exec sleep 1000"));
  std::ifstream in(alive);
  std::string line;
  std::getline(in, line);
  ASSERT_NO_FATAL_FAILURE(restart());
  EXPECT_EQ(kept().size(), 1U);
  processes_->end_detached(SIGKILL);
  EXPECT_FALSE(std::getline(in, line));
  EXPECT_EQ(kept().size(), 0U);
  processes_->kill_all(std::chrono::milliseconds(0));
  EXPECT_TRUE(fs::is_empty(directory_ / "state" / "kept"));
}

TEST_P(KeptProcessTest, EndsWhenItsFilesAreRemoved) {
  const fs::path alive = named_pipe("alive");
  start(lasting("exec 3> " + alive.string() + "; echo up >&3; exec sleep 1000"));
  std::ifstream in(alive);
  std::string line;
  std::getline(in, line);
  stop();
  fs::remove_all(directory_ / "state");
  EXPECT_FALSE(std::getline(in, line)) << "no node can come any more";
}

// Its pipes are held by its supervisor, too: who reads them must not take their end for news again and again.
TEST_P(KeptProcessTest, ClosedOutputCostsNothing) {
  const fs::path up = named_pipe("up");
  start(lasting("exec >&- 2>&-; echo up > " + up.string() + "; exec sleep 1000"));
  EXPECT_EQ(read_line(up), "up");
  EXPECT_EQ(run(shell("echo x")).output, "x\n");  // the reaper has seen the end by now
  timespec before{}, after{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  run(shell("sleep 0.5"));
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  const double used =
      static_cast<double>(after.tv_sec - before.tv_sec) + static_cast<double>(after.tv_nsec - before.tv_nsec) / 1e9;
  EXPECT_LT(used, 0.3);
}

TEST_P(KeptProcessTest, ManyStopsInARow) {
  start(lasting("while :; do echo tick; sleep 0.01; done"));
  for (int i = 0; i < 5; ++i) {
    ASSERT_NO_FATAL_FAILURE(restart());
    ASSERT_TRUE(processes_->adopt("m/1/a", [](const ProcessExit&) {}));
  }
  EXPECT_EQ(processes_->running(), 1U);
}

}  // namespace
}  // namespace basalt::node

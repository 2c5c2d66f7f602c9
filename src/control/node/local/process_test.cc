#include "control/node/local/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "control/node/local/leftover_processes.h"
#include "control/node/local/process_fixture.h"

namespace basalt::node {
namespace {

using testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(Machines, ProcessTest, testing::Bool(),
                         [](const auto& which) { return which.param ? "Namespaces" : "Plain"; });

TEST_P(ProcessTest, GivesExitCodeAndOutput) {
  const ProcessExit exit = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(exit.code, 3);
  EXPECT_EQ(exit.signal, 0);
  EXPECT_THAT(exit.output, HasSubstr("out\n"));
  EXPECT_THAT(exit.output, HasSubstr("err\n"));
  EXPECT_TRUE(processes_->running() <= 1);
}

TEST_P(ProcessTest, GivesTheSignalThatEndedIt) {
  const ProcessExit exit = run(shell("kill -SEGV $$"));
  EXPECT_EQ(exit.signal, SIGSEGV);
  EXPECT_EQ(exit.code, 128 + SIGSEGV);
}

TEST_P(ProcessTest, HasTheEnvironmentTheDirectoryAndTheInputThatWereGiven) {
  ProcessSpec spec = shell("pwd; echo $COLOUR; cat; env | wc -l");
  spec.environment.push_back("COLOUR=dark grey");
  spec.directory = "/usr";
  spec.input = "some input\n";
  spec.marker = "m";
  // PATH, HOME, COLOUR, the marker, and PWD that the shell adds.
  EXPECT_EQ(run(spec).output, "/usr\ndark grey\nsome input\n5\n");
}

TEST_P(ProcessTest, SaysWhyItDoesNotStart) {
  ProcessSpec spec = shell("");
  spec.argv = {"no-such-program"};
  EXPECT_EQ(refused(spec).message, "exec: \"no-such-program\": executable file not found in $PATH");
  EXPECT_EQ(refused(spec).code, ErrorCode::NotFound);
  spec.argv = {"/etc/passwd"};
  EXPECT_EQ(refused(spec).message, "exec: \"/etc/passwd\": Permission denied");
  spec.argv = {"sh"};
  spec.directory = "/no/such/place";
  EXPECT_EQ(refused(spec).message, "cannot change to the working directory /no/such/place: No such file or directory");
  EXPECT_EQ(refused(ProcessSpec()).code, ErrorCode::Invalid);
  spec.argv = {std::string("a\0b", 3)};
  EXPECT_EQ(refused(spec).code, ErrorCode::Invalid);
  EXPECT_EQ(processes_->running(), 0U);
}

TEST_P(ProcessTest, WritesALogAndKeepsTheFormerOne) {
  ProcessSpec spec = shell("echo first; echo bad >&2; printf unfinished");
  spec.log = directory_ / "logs" / "ns" / "pod" / "main.log";
  EXPECT_EQ(run(spec).output, "");
  const std::string first = content(spec.log);
  EXPECT_THAT(first, testing::ContainsRegex("20[0-9-]+T[0-9:]+\\.[0-9]+Z stdout F first\n"));
  EXPECT_THAT(first, HasSubstr(" stderr F bad\n"));
  EXPECT_THAT(first, HasSubstr(" stdout P unfinished\n"));
  spec.argv.back() = "echo second";
  run(spec);
  EXPECT_THAT(content(spec.log), HasSubstr("stdout F second\n"));
  EXPECT_EQ(content(directory_ / "logs/ns/pod/main.previous.log"), first);
}

TEST_P(ProcessTest, ReadsMuchOutputToTheEnd) {
  ProcessSpec spec =
      shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done");
  size_t bytes = 0;
  spec.output = [&](OutputStream, std::string_view piece) { bytes += piece.size(); };
  EXPECT_EQ(run(spec).code, 0);
  EXPECT_EQ(bytes, 20000U * 41U);
}

TEST_P(ProcessTest, CapturesOnlySoMuch) {
  EXPECT_EQ(run(shell("head -c 1000000 /dev/zero")).output.size(), kMaxCapturedOutput);
}

TEST_P(ProcessTest, PassesSignalsToTheWholeGroup) {
  const fs::path pipe = named_pipe("ready");
  Ended ended;
  const auto started =
      processes_->start(shell("trap 'wait; echo leader; exit 7' TERM; (trap 'echo child; exit' TERM; echo ready >" +
                              pipe.string() + "; while :; do sleep 0.01; done) & wait; wait"),
                        ended.notice());
  ASSERT_TRUE(started);
  EXPECT_EQ(read_line(pipe), "ready");
  processes_->signal(*started, SIGTERM);
  const ProcessExit exit = ended.wait();
  EXPECT_EQ(exit.code, 7);
  EXPECT_THAT(exit.output, HasSubstr("child\nleader\n"));  // the shell may say that its sleep was terminated
  processes_->signal(*started, SIGTERM);                   // to one that ended: nothing
}

TEST_P(ProcessTest, KillsWhatTheLeaderLeavesBehind) {
  // A daemon in a session of its own, which ignores signals and holds the output open: its end is the test's end.
  ProcessSpec spec = shell("setsid sh -c 'trap \"\" TERM HUP; sleep 1000' & exit 4");
  spec.marker = "leaves-" + directory_.filename().string();
  EXPECT_EQ(run(spec).code, 4);
  EXPECT_TRUE(find_marked(spec.marker).empty());
}

TEST_P(ProcessTest, KillAllWaitsForTheGraceAndThenKills) {
  const fs::path pipe = named_pipe("ready");
  Ended polite, stubborn;
  ASSERT_TRUE(processes_->start(shell("trap 'exit 5' TERM; echo >" + pipe.string() + "; while :; do sleep 0.01; done"),
                                polite.notice()));
  read_line(pipe);
  ASSERT_TRUE(processes_->start(shell("trap '' TERM; echo >" + pipe.string() + "; while :; do sleep 0.01; done"),
                                stubborn.notice()));
  read_line(pipe);
  EXPECT_EQ(processes_->running(), 2U);
  processes_->kill_all(std::chrono::milliseconds(200));
  EXPECT_EQ(processes_->running(), 0U);
  EXPECT_EQ(polite.wait().code, 5);
  EXPECT_EQ(stubborn.wait().signal, SIGKILL);
}

TEST_P(ProcessTest, ManyAtATime) {
  std::vector<std::unique_ptr<Ended>> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back(std::make_unique<Ended>());
    ASSERT_TRUE(processes_->start(shell("exit " + std::to_string(i)), all.back()->notice()));
  }
  for (int i = 0; i < 40; ++i) EXPECT_EQ(all[static_cast<size_t>(i)]->wait().code, i);
}

TEST_P(ProcessTest, DiesWithUsEvenWhenWeAreKilled) {
  const fs::path pipe = named_pipe("ready");
  const std::string marker = "orphan-" + directory_.filename().string();
  processes_.reset();  // its thread would be missing in the child
  const pid_t node = ::fork();
  if (node == 0) {
    auto made = Processes::make({.directory = directory_ / "other", .use_namespaces = GetParam()});
    ProcessSpec spec = shell("setsid sleep 1000 & (sleep 1000 &) ; echo ready >" + pipe.string() + "; sleep 1000");
    spec.marker = marker;
    if (!made || !(*made)->start(spec, nullptr)) std::ofstream(pipe) << "failed\n";
    ::pause();
    ::_exit(1);
  }
  EXPECT_EQ(read_line(pipe), "ready");
  EXPECT_TRUE(eventually([&] { return find_marked(marker).size() >= 3; }));
  ::kill(node, SIGKILL);
  ::waitpid(node, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return find_marked(marker).empty(); }));
}

TEST_P(ProcessTest, RunsInsideAnother) {
  const fs::path pipe = named_pipe("ready");
  ProcessSpec spec = shell("echo ready >" + pipe.string() + "; sleep 1000");
  const bool mounts = processes_->capabilities().mounts;
  write(directory_ / "volume/file", "of the volume");
  if (mounts) spec.mounts = {{.source = directory_ / "volume", .target = "/basalt-test-volume"}};
  Ended ended;
  const auto container = processes_->start(spec, ended.notice());
  ASSERT_TRUE(container) << container.error().message;
  read_line(pipe);
  ProcessSpec probe = shell(mounts ? "cat /basalt-test-volume/file; exit 9" : "printf 'of the volume'; exit 9");
  probe.inside = *container;
  const ProcessExit exit = run(probe);
  EXPECT_EQ(exit.code, 9);
  EXPECT_EQ(exit.output, "of the volume");
  Ended hook_ended;
  ProcessSpec hook = shell("echo ready >" + pipe.string() + "; sleep 1000");
  hook.inside = *container;
  const auto running_hook = processes_->start(hook, hook_ended.notice());
  ASSERT_TRUE(running_hook) << running_hook.error().message;
  read_line(pipe);
  processes_->signal(*container, SIGKILL);
  EXPECT_EQ(ended.wait().signal, SIGKILL);
  // With the container's process namespace the hook went too; elsewhere its owner ends it.
  if (!processes_->capabilities().process_namespace) processes_->signal(*running_hook, SIGKILL);
  EXPECT_EQ(hook_ended.wait().signal, SIGKILL);
  EXPECT_TRUE(eventually([&] { return processes_->running() == 0; }));
  EXPECT_EQ(refused(probe).message, "the container is not running");
}

TEST_P(ProcessTest, OtherUsersOnlyForRoot) {
  ProcessSpec spec = shell("id -u; id -g; id -G");
  spec.uid = 65534;
  spec.gid = 65533;
  if (processes_->capabilities().other_users) {
    EXPECT_EQ(run(spec).output, "65534\n65533\n65533\n");
  } else {
    EXPECT_EQ(refused(spec).code, ErrorCode::Unsupported);
  }
}

TEST_P(ProcessTest, MountsAreRefusedWhereTheMachineDoesNotPermitThem) {
  if (processes_->capabilities().mounts) GTEST_SKIP() << "this machine permits them";
  ProcessSpec spec = shell("true");
  spec.hosts_file = directory_ / "hosts";  // does without
  EXPECT_EQ(run(spec).code, 0);
  spec.mounts = {{.source = directory_, .target = "/data"}};
  EXPECT_EQ(refused(spec).code, ErrorCode::Unsupported);
  EXPECT_THAT(refused(spec).message, HasSubstr("run as root"));
}

TEST_P(ProcessTest, AKilledSupervisorIsNoticed) {
  if (processes_->capabilities().process_namespace) GTEST_SKIP() << "its number is not known outside";
  const fs::path pipe = named_pipe("ready");
  ProcessSpec spec = shell("(sleep 1000 &); echo $PPID >" + pipe.string() + "; sleep 1000");
  spec.marker = "marked-" + directory_.filename().string();
  Ended ended;
  ASSERT_TRUE(processes_->start(spec, ended.notice()));
  const std::string supervisor = read_line(pipe);
  ::kill(std::stoi(supervisor), SIGKILL);
  EXPECT_EQ(ended.wait().signal, SIGKILL);
  EXPECT_TRUE(find_marked(spec.marker).empty());
}

TEST(LeftoversTest, KillsByMarkerAndNothingElse) {
  const std::string marker = "leftover-" + std::to_string(::getpid());
  const auto start = [](const std::string& value) {
    const std::string variable = std::string(kMarkerVariable) + "=" + value;
    const pid_t pid = ::fork();
    if (pid == 0) {
      const char* const arguments[] = {"sleep", "1000", nullptr};
      const char* const environment[] = {"A=B", variable.c_str(), nullptr};
      ::execve("/bin/sleep", const_cast<char**>(arguments), const_cast<char**>(environment));
      ::_exit(1);
    }
    return pid;
  };
  const pid_t ours = start(marker + "/a"), other = start("another-" + marker);
  ASSERT_TRUE(eventually([&] { return !find_marked(marker).empty() && !find_marked("another-" + marker).empty(); }));
  EXPECT_EQ(kill_leftover_processes(marker), 1U);
  int status = 0;
  EXPECT_EQ(::waitpid(ours, &status, 0), ours);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(::waitpid(other, &status, WNOHANG), 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, &status, 0);
}

}  // namespace
}  // namespace basalt::node

// `basalt up` that is stopped, or killed, while a job trains on this machine: the next start goes on with it.
//
// The test starts its own program again as the cluster, so that it can be killed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "kube/api/object_fields.h"
#include "programs/cli/server_flags.h"
#include "programs/up/up.h"
#include "tests/whole/standalone_fixture.h"

namespace basalt::tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRole = "BASALT_RESTART_STATE";
constexpr const char* kMoreWords = "BASALT_RESTART_WORD";

class Restart : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv(kRole) != nullptr) return;
    std::string pattern = (fs::temp_directory_path() / "basalt-restart-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  ~Restart() override {
    if (directory_.empty()) return;
    if (process_ > 0) kill_cluster();
    for (const int pid : marked()) ::kill(pid, SIGKILL);
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }

  // Returns when it is up.
  void start(const std::string& word = "--node-name=here") {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string program = "/proc/self/exe", only = "--gtest_filter=Restart.TheClusterItself";
    std::array<char*, 3> arguments = {program.data(), only.data(), nullptr};
    setenv(kRole, (directory_ / "state").c_str(), 1);
    setenv(kMoreWords, word.c_str(), 1);
    ASSERT_EQ(posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ), 0);
    unsetenv(kRole);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    FILE* const said = ::fdopen(ends[0], "r");
    std::array<char, 1024> line{};
    bool up = false;
    while (!up && std::fgets(line.data(), line.size(), said) != nullptr) {
      up = std::string_view(line.data()).starts_with("basalt is up");
    }
    std::fclose(said);
    ASSERT_TRUE(up);
    auto connected = cli::connect({.kubeconfig = (directory_ / "state" / "kubeconfig").string()}, "restart-test");
    ASSERT_TRUE(connected) << connected.error().message;
    client_ = std::move(*connected);
  }
  // Answers the exit status, as waitpid gives it.
  int stop(int signal) {
    client_.reset();
    ::kill(process_, signal);
    int status = 0;
    EXPECT_EQ(waitpid(process_, &status, 0), process_);
    process_ = -1;
    return status;
  }
  void kill_cluster() { stop(SIGKILL); }

  [[nodiscard]] std::string mark() const { return "MARK=" + directory_.filename().string(); }
  // The processes of the job.
  [[nodiscard]] std::vector<int> marked() const {
    std::vector<int> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream in(entry.path() / "environ", std::ios::binary);
      std::ostringstream text;
      text << in.rdbuf();
      if (text.str().contains(mark())) found.push_back(std::stoi(name));
    }
    return found;
  }
  [[nodiscard]] bool all_gone() const {
    const auto deadline = std::chrono::steady_clock::now() + kTestTimeout;
    while (!marked().empty()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }
  // The job's shell has come to its loop, so that it heeds SIGUSR1: it has a child.
  [[nodiscard]] bool loops() const {
    const auto deadline = std::chrono::steady_clock::now() + kTestTimeout;
    while (marked().size() < 2) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }
  void create_job() {
    const std::string container = "{name: c, image: none, env: [{name: MARK, value: " + directory_.filename().string() +
                                  "}], command: [sh, -c, \"trap 'exit 0' USR1; while :; do sleep 0.05; done\"]}";
    const std::string job = StandaloneFixture::gang("train", 1, container, "");
    const auto manifest = text::parse_yaml(job);
    ASSERT_TRUE(manifest) << job;
    const auto outcome = client_->call({.verb = api::Verb::Create,
                                        .resource = StandaloneFixture::kJobs,
                                        .namespace_name = "default",
                                        .body = manifest->value});
    ASSERT_TRUE(outcome) << outcome.error().message;
    ASSERT_TRUE(wait_phase("Running"));
    ASSERT_TRUE(wait_made_again());
  }
  bool wait_phase(std::string_view phase) {
    WatchedObjects jobs(*client_, StandaloneFixture::kJobs);
    return jobs.wait("train", [&](const text::Object& job) { return StandaloneFixture::has_phase(job, phase); });
  }
  // The pod runs, and it is another one than before: its uid is new.
  bool wait_made_again() {
    WatchedObjects pods(*client_, StandaloneFixture::kPods);
    return pods.wait("train-w-0", [&](const text::Object& pod) {
      const std::string_view uid = api::string_at(pod, {"metadata", "uid"});
      if (api::string_at(pod, {"status", "phase"}) != "Running" || uid == pod_uid_) return false;
      pod_uid_ = uid;
      return true;
    });
  }
  [[nodiscard]] bool runs(int pid) { return std::ranges::count(marked(), pid) == 1; }
  [[nodiscard]] int64_t retries() {
    const auto job = client_->call(
        {.verb = api::Verb::Get, .resource = StandaloneFixture::kJobs, .namespace_name = "default", .name = "train"});
    return job ? api::int_at(job->object->get_object(), {"status", "retryCount"}) : -1;
  }

  fs::path directory_;
  pid_t process_ = -1;
  std::string pod_uid_;  // of the job's pod, as it was last seen to run
  std::unique_ptr<client::ObjectClient> client_;
};

// Not a test: the cluster of the others, as `basalt up` runs it.
TEST_F(Restart, TheClusterItself) {
  const char* state = std::getenv(kRole);
  if (state == nullptr) return;
  std::string program = "basalt up", where = "--state=" + std::string(state), port = "--port=0";
  std::string more = std::getenv(kMoreWords);
  const std::array<char*, 4> words = {program.data(), where.data(), port.data(), more.data()};
  std::exit(up::run_up(std::span(words).subspan(1)));
}

TEST_F(Restart, AJobTrainsOnThroughAStopAndAKill) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_NO_FATAL_FAILURE(create_job());
  const int shell = marked().empty() ? 0 : marked().front();
  EXPECT_NE(shell, 0);
  for (const int signal : {SIGTERM, SIGKILL}) {
    const int status = stop(signal);
    EXPECT_EQ(status, signal == SIGTERM ? 0 : SIGKILL);
    ASSERT_FALSE(marked().empty()) << "it goes on";
    EXPECT_TRUE(runs(shell));
    ASSERT_NO_FATAL_FAILURE(start());
    ASSERT_TRUE(wait_phase("Running"));
    EXPECT_TRUE(runs(shell)) << "the same process";
  }
  ASSERT_FALSE(marked().empty());
  ::kill(shell, SIGUSR1);
  EXPECT_TRUE(wait_phase("Completed"));
  EXPECT_EQ(retries(), 0) << "it was never restarted";
  stop(SIGTERM);
}

TEST_F(Restart, StopPodsEndsThemAndTheNextStartRunsThemAgain) {
  ASSERT_NO_FATAL_FAILURE(start("--stop-pods"));
  ASSERT_NO_FATAL_FAILURE(create_job());
  for (const int signal : {SIGTERM, SIGKILL}) {
    const std::vector<int> before = marked();
    EXPECT_EQ(stop(signal), signal == SIGTERM ? 0 : SIGKILL);
    if (signal == SIGTERM) {
      EXPECT_TRUE(marked().empty());
    }
    EXPECT_TRUE(all_gone());
    ASSERT_NO_FATAL_FAILURE(start("--stop-pods"));
    ASSERT_TRUE(wait_made_again()) << "its pod was lost, the job did not fail";
    ASSERT_TRUE(wait_phase("Running"));
    const std::vector<int> now = marked();
    ASSERT_FALSE(now.empty());
    EXPECT_TRUE(std::ranges::none_of(now, [&](int pid) { return std::ranges::count(before, pid) > 0; }));
    EXPECT_EQ(retries(), 0);
  }
  ASSERT_TRUE(loops());
  ::kill(marked().front(), SIGUSR1);
  EXPECT_TRUE(wait_phase("Completed"));
  stop(SIGTERM);
}

TEST_F(Restart, StopPodsEndsThemAlsoByACrash) {
  ASSERT_NO_FATAL_FAILURE(start("--stop-pods"));
  ASSERT_NO_FATAL_FAILURE(create_job());
  kill_cluster();
  EXPECT_TRUE(all_gone());
}

TEST_F(Restart, AKillLeavesNothingThatTheNextStartDoesNotOwn) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_NO_FATAL_FAILURE(create_job());
  kill_cluster();
  ASSERT_FALSE(marked().empty());
  ASSERT_NO_FATAL_FAILURE(start("--no-local-node"));
  EXPECT_TRUE(marked().empty()) << "there is no node that could take them over";
  stop(SIGTERM);
}

TEST_F(Restart, WithoutItsStateNothingGoesOn) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_NO_FATAL_FAILURE(create_job());
  kill_cluster();
  fs::remove_all(directory_ / "state");
  EXPECT_TRUE(all_gone());
}

}  // namespace
}  // namespace basalt::tests

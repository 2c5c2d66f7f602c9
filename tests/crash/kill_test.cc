// kill -9 in a loop under write load. Set BASALT_CRASH_SEED to choose the moments again, BASALT_CRASH_KILLS for more.
//
// The test starts its own program again as the writer (writer.h), kills it, and checks a copy of what it left: so the
// next writer finds the remains of a kill, not of an orderly stop.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>

#include "base/rng.h"
#include "tests/crash/checker.h"
#include "tests/crash/run_settings.h"
#include "tests/crash/writer.h"

namespace basalt::crash {
namespace {

namespace fs = std::filesystem;

constexpr const char *kRoleFile = "BASALT_CRASH_WRITER_FILE", *kRoleLife = "BASALT_CRASH_WRITER_LIFE";
constexpr int kRolePipe = 3;

// A writer in a process of its own.
class Victim {
 public:
  Victim(const fs::path& file, uint64_t life) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    pipe_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], kRolePipe);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    std::string program = "/proc/self/exe", only = "--gtest_filter=Crash.*";
    std::array<char*, 3> arguments = {program.data(), only.data(), nullptr};
    setenv(kRoleFile, file.c_str(), 1);
    setenv(kRoleLife, std::to_string(life).c_str(), 1);
    EXPECT_EQ(posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ), 0);
    unsetenv(kRoleFile);
    unsetenv(kRoleLife);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
  }
  ~Victim() { close(pipe_); }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  // Hears up to `most` messages. False: it has none left and is dead.
  bool listen(Checker& checker, size_t most) {
    std::array<WriterMessage, 128> messages;
    while (most > 0) {
      const ssize_t got = read(pipe_, messages.data(), std::min(most, messages.size()) * sizeof(WriterMessage));
      if (got <= 0) return false;
      EXPECT_EQ(static_cast<size_t>(got) % sizeof(WriterMessage), 0U);
      const size_t count = static_cast<size_t>(got) / sizeof(WriterMessage);
      for (size_t i = 0; i < count; ++i) checker.hear(messages[i]);
      most -= count;
    }
    return true;
  }

  // Kills it and hears its last words.
  void kill_and_drain(Checker& checker) {
    kill(process_, SIGKILL);
    while (listen(checker, 1000)) {
    }
    int status = 0;
    EXPECT_EQ(waitpid(process_, &status, 0), process_);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it ended by itself: " << status;
  }

 private:
  pid_t process_ = 0;
  int pipe_ = -1;
};

void check_copy(const fs::path& from, const fs::path& to, Checker& checker) {
  fs::remove_all(to);
  fs::copy(from, to);
  const bool created = fs::exists(to / "store.db");
  const auto store = store::Store::open(to / "store.db", kOptions);
  ASSERT_TRUE(store) << store.error().message;
  if (!created) {
    EXPECT_EQ((*store)->revision(), 0U);
  }
  checker.check(**store);
}

TEST(Crash, NothingAcknowledgedIsLostAndNothingIsHalfThere) {
  if (const char* file = std::getenv(kRoleFile)) {
    write_until_killed(file, number_from(kRoleLife, 0), kRolePipe);
    FAIL() << "the writer stopped";
  }
  const uint64_t seed = number_from("BASALT_CRASH_SEED", std::random_device{}());
  const uint64_t kills = number_from("BASALT_CRASH_KILLS", 220);
  std::string root = (fs::temp_directory_path() / "basalt-crash-XXXXXX").string();
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  const fs::path live = fs::path(root) / "live", copy = fs::path(root) / "copy";
  fs::create_directory(live);
  Rng rng(seed);
  Checker checker;
  for (uint64_t life = 1; life <= kills && !HasFailure(); ++life) {
    Victim victim(live / "store.db", life);
    // One in eight dies while it starts, the others after so many words.
    if (rng.below(8) == 0) {
      poll(nullptr, 0, static_cast<int>(rng.below(40)));
    } else {
      victim.listen(checker, 1 + rng.below(rng.chance(0.5) ? 100 : 1'500));
    }
    victim.kill_and_drain(checker);
    check_copy(live, copy, checker);
    if (HasFailure()) ADD_FAILURE() << "seed " << seed << ", kill " << life << ", left in " << root;
  }
  std::printf("seed %llu: %llu kills, %llu acknowledged writes\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(kills), static_cast<unsigned long long>(checker.acknowledged()));
  if (!HasFailure()) fs::remove_all(root);
}

}  // namespace
}  // namespace basalt::crash

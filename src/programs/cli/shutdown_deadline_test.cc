#include "programs/cli/shutdown_deadline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>
#include <future>

namespace basalt::cli {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

struct Ended {
  int status = 0;
  std::string words;  // on standard error
};

// What becomes of a process that does this.
Ended in_child(const std::function<void()>& work) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::alarm(30);  // a child that hangs ends the test instead of waiting with it
    work();
    ::_exit(0);
  }
  ::close(ends[1]);
  Ended ended;
  std::array<char, 256> piece{};
  for (ssize_t got = 0; (got = ::read(ends[0], piece.data(), piece.size())) > 0;) {
    ended.words.append(piece.data(), static_cast<size_t>(got));
  }
  ::close(ends[0]);
  EXPECT_EQ(::waitpid(child, &ended.status, 0), child);
  return ended;
}

TEST(ShutdownDeadline, EndsAProcessWhoseThreadNeverDoes) {
  const Ended ended = in_child([] {
    ShutdownDeadline last("test");
    last.begin(milliseconds(20));
    std::promise<void> never;
    std::thread stuck([&never] { never.get_future().wait(); });
    stuck.join();
  });
  ASSERT_TRUE(WIFEXITED(ended.status));
  EXPECT_EQ(WEXITSTATUS(ended.status), 1);
  EXPECT_THAT(ended.words, HasSubstr("test: did not end within 1 s"));
}

TEST(ShutdownDeadline, LeavesAProcessAloneThatEndsInTime) {
  const Ended ended = in_child([] {
    ShutdownDeadline last("test");
    last.begin(std::chrono::hours(1));
  });
  ASSERT_TRUE(WIFEXITED(ended.status));
  EXPECT_EQ(WEXITSTATUS(ended.status), 0);
  EXPECT_EQ(ended.words, "");
}

}  // namespace
}  // namespace basalt::cli

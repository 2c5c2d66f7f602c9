#include "programs/daemon/klog_socket.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

namespace basalt::daemon {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class LogSocketTest : public ::testing::Test {
 protected:
  LogSocketTest() {
    std::string name = (std::filesystem::temp_directory_path() / "basalt-log-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory = name;
  }
  ~LogSocketTest() override { std::filesystem::remove_all(directory); }

  [[nodiscard]] std::string ask(const std::string& target) const {
    const std::string request = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    (directory / "socks" / "klog-klog.sock").string().copy(name.sun_path, sizeof name.sun_path - 1);
    std::string answer;
    if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
        ::send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
      std::array<char, 4096> chunk{};
      for (ssize_t got = 0; (got = ::recv(descriptor, chunk.data(), chunk.size(), 0)) > 0;) {
        answer.append(chunk.data(), static_cast<size_t>(got));
      }
    }
    ::close(descriptor);
    return answer;
  }

  AsyncLog log{"test", LogFormat::Text, 3};
  std::filesystem::path directory;
};

TEST_F(LogSocketTest, SetsALevelForAWhile) {
  const auto socket = KlogSocket::start(log, directory / "socks", "klog");
  ASSERT_TRUE(socket) << socket.error().message;
  EXPECT_THAT(ask("/getlevel"), EndsWith("\r\n\r\nCurrent klog log level: 3\n"));
  EXPECT_THAT(ask("/setlevel?level=5&duration=1h"), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(log.level(), 5);
  EXPECT_THAT(ask("/getlevel"), EndsWith("level: 5\n"));
  EXPECT_THAT(ask("/setlevel?level=7&duration=1ms"), StartsWith("HTTP/1.1 200 "));
  while (log.level() != 3) std::this_thread::yield();  // back to where it began
  EXPECT_THAT(ask("/getlevel"), EndsWith("level: 3\n"));
}

TEST_F(LogSocketTest, RefusesWhatItCannotRead) {
  const auto socket = KlogSocket::start(log, directory / "socks", "klog");
  ASSERT_TRUE(socket) << socket.error().message;
  for (const char* query :
       {"", "?level=5", "?duration=60s", "?level=0&duration=1s", "?level=-1&duration=1s", "?level=x&duration=1s",
        "?level=5&duration=0s", "?level=5&duration=-1s", "?level=5&duration=1ns", "?level=5&duration=x",
        "?level=99999999999&duration=1s", "?level=5&duration=2562047h"}) {
    const std::string answer = ask("/setlevel" + std::string(query));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 ")) << query;
    EXPECT_THAT(answer, HasSubstr("setlevel?level=5&duration=60s"));
  }
  EXPECT_EQ(log.level(), 3);
  EXPECT_THAT(ask("/other"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(LogSocketTest, ANewProgramReplacesTheSocketOfOneThatIsGone) {
  ASSERT_TRUE(KlogSocket::start(log, directory / "socks", "klog"));
  const auto again = KlogSocket::start(log, directory / "socks", "klog");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(ask("/getlevel"), EndsWith("level: 3\n"));
}

TEST_F(LogSocketTest, SaysWhyThereIsNone) {
  std::ofstream(directory / "file") << "x";
  const auto none = KlogSocket::start(log, directory / "file" / "socks", "klog");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("file"));
  EXPECT_FALSE(KlogSocket::start(log, directory / std::string(200, 'x'), "klog")) << "a socket's path has a limit";
}

TEST_F(LogSocketTest, ADirectoryOfAnotherUserIsNotUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  std::filesystem::create_directory(directory / "theirs");
  ASSERT_EQ(::chown((directory / "theirs").c_str(), 1, 1), 0);
  const auto none = KlogSocket::start(log, directory / "theirs", "klog");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("DEBUG_SOCKET_DIR"));
}

TEST(LogSocketDirectory, ComesFromTheEnvironment) {
  ::setenv("DEBUG_SOCKET_DIR", "/elsewhere", 1);
  EXPECT_EQ(log_socket_directory(), "/elsewhere");
  ::setenv("DEBUG_SOCKET_DIR", "", 1);
  EXPECT_EQ(log_socket_directory(), "/tmp/klog-socks");
  ::unsetenv("DEBUG_SOCKET_DIR");
  EXPECT_EQ(log_socket_directory(), "/tmp/klog-socks");
}

}  // namespace
}  // namespace basalt::daemon

#include "programs/daemon/async_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>

#include <array>
#include <csignal>
#include <optional>
#include <thread>
#include <vector>

#include "kube/text/json.h"
#include "kube/text/utf8.h"
#include "programs/daemon/log_line.h"

namespace basalt::daemon {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Instant kAt{1'700'000'000'123'456'000};

TEST(LogLine, AsTextAndAsJson) {
  EXPECT_EQ(log_line(LogFormat::Text, kAt, Severity::Info, "vc-scheduler", "leading"),
            "2023-11-14T22:13:20.123456Z I vc-scheduler: leading\n");
  EXPECT_EQ(log_line(LogFormat::Text, kAt, Severity::Error, "x", ""), "2023-11-14T22:13:20.123456Z E x: \n");
  EXPECT_EQ(log_line(LogFormat::Json, kAt, Severity::Warning, "vc-scheduler", "a \"b\""),
            "{\"ts\":\"2023-11-14T22:13:20.123456Z\",\"severity\":\"warning\",\"component\":\"vc-scheduler\","
            "\"msg\":\"a \\\"b\\\"\"}\n");
}

TEST(LogLine, IsOneLineWhateverItHolds) {
  EXPECT_THAT(log_line(LogFormat::Text, kAt, Severity::Info, "x", "one\ntwo\r\x1b[31m\tµ"),
              EndsWith("x: one\\ntwo\\x0d\\x1b[31m\\tµ\n"));
  for (const std::string& bytes : {std::string("\xff\xfe"), std::string("a\0b", 3), std::string("\xc3"),
                                   std::string(100'000, '\n'), std::string(100'000, '\xff')}) {
    for (const LogFormat format : {LogFormat::Text, LogFormat::Json}) {
      std::string line = log_line(format, kAt, Severity::Info, "x", bytes);
      ASSERT_THAT(line, EndsWith("\n"));
      line.pop_back();
      EXPECT_FALSE(line.contains('\n'));
      EXPECT_TRUE(text::is_utf8(line));
      EXPECT_LT(line.size(), 8 * kMaxLineBytes);
      EXPECT_TRUE(format == LogFormat::Text || text::parse_json(line)) << line;
    }
  }
}

TEST(LogLine, IsCutBetweenCharacters) {
  for (size_t before = 0; before < 4; ++before) {
    std::string message(before, 'x');
    while (message.size() < kMaxLineBytes + 10) message += "€";
    const std::string line = log_line(LogFormat::Text, kAt, Severity::Info, "x", message);
    EXPECT_THAT(line, EndsWith("€…\n"));
    EXPECT_FALSE(line.contains('\\'));
  }
}

TEST(LogFormats, AreRead) {
  EXPECT_EQ(parse_log_format("").value(), LogFormat::Text);
  EXPECT_EQ(parse_log_format("text").value(), LogFormat::Text);
  EXPECT_EQ(parse_log_format("json").value(), LogFormat::Json);
  EXPECT_THAT(parse_log_format("xml").error().message, HasSubstr("text or json"));
}

class PipeLogTest : public ::testing::Test {
 protected:
  PipeLogTest() {
    std::signal(SIGPIPE, SIG_IGN);  // as every program of ours does
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }
  ~PipeLogTest() override {
    close_reader();
    ::close(ends[1]);
  }
  void close_reader() {
    if (ends[0] >= 0) ::close(std::exchange(ends[0], -1));
  }
  // What is there until nobody writes any more; the log must be gone.
  std::string rest() {
    std::string all;
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    std::array<char, 4096> chunk{};
    for (ssize_t got = 0; (got = ::read(ends[0], chunk.data(), chunk.size())) > 0;) {
      all.append(chunk.data(), static_cast<size_t>(got));
    }
    return all;
  }
  std::array<int, 2> ends{};
};

TEST_F(PipeLogTest, WritesInOrderAndByLevel) {
  {
    AsyncLog log("test", LogFormat::Text, 2, ends[1]);
    log.write(Severity::Info, "first");
    log.detail(2, "second");
    log.detail(3, "hidden");
    log.set_level(3);
    log.detail(3, "third");
  }
  const std::string all = rest();
  const size_t first = all.find("first"), second = all.find("second"), third = all.find("third");
  ASSERT_NE(third, std::string::npos);
  EXPECT_TRUE(first < second && second < third);
  EXPECT_FALSE(all.contains("hidden"));
}

TEST_F(PipeLogTest, NeverBlocksWhenNobodyReads) {
  const std::string line(1000, 'x');
  {
    AsyncLog log("test", LogFormat::Text, 0, ends[1]);
    for (size_t i = 0; i < 3 * kMaxLogLines; ++i) log.write(Severity::Info, line);  // far more than pipe and queue hold
    EXPECT_GT(log.dropped(), kMaxLogLines);
  }  // and ends, although it cannot write all
  EXPECT_THAT(rest(), HasSubstr(line));
}

TEST_F(PipeLogTest, TellsOfTheGap) {
  std::string all;
  std::optional<AsyncLog> log;
  log.emplace("test", LogFormat::Text, 0, ends[1]);
  for (size_t i = 0; i < 3 * kMaxLogLines; ++i) log->write(Severity::Info, std::string(1000, 'x'));
  log->write(Severity::Info, "the last");
  std::array<char, 65536> chunk{};
  while (!all.contains("the last")) {
    const auto got = ::read(ends[0], chunk.data(), chunk.size());
    ASSERT_GT(got, 0);
    all.append(chunk.data(), static_cast<size_t>(got));
  }
  EXPECT_THAT(all, HasSubstr(" W test: the log was not read in time: "));
}

TEST_F(PipeLogTest, AReaderThatIsGoneChangesNothing) {
  close_reader();
  AsyncLog log("test", LogFormat::Json, 0, ends[1]);
  for (int i = 0; i < 100; ++i) log.write(Severity::Error, "to nobody");
}

TEST_F(PipeLogTest, ManyThreadsWriteWholeLines) {
  {
    AsyncLog log("test", LogFormat::Json, 0, ends[1]);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&log, t] {
        for (int i = 0; i < 50; ++i) log.write(Severity::Info, "line " + std::to_string(t));
      });
    }
  }
  std::string all = rest();
  int lines = 0;
  for (size_t at = 0; at < all.size(); ++lines) {
    const size_t end = all.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    EXPECT_TRUE(text::parse_json(std::string_view(all).substr(at, end - at)));
    at = end + 1;
  }
  EXPECT_EQ(lines, 200);
}

}  // namespace
}  // namespace basalt::daemon

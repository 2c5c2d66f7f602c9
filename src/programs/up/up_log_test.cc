#include "programs/up/up_log.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "kube/net/private_file.h"
#include "programs/up/up_fixture.h"

namespace basalt::up {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class LogFileTest : public DirectoryTest {
 protected:
  const std::filesystem::path file = scratch / "access.log";
  const server::AccessLogEntry hostile{.method = "GET",
                                       .target = "/api\n2026-01-01T00:00:00.000000Z method=DELETE target=/forged",
                                       .user = "jane doe",
                                       .agent = "x\" status=200 user=\"root\x1b[2J",
                                       .peer = "127.0.0.1:4242",
                                       .acting_as = "",
                                       .status = 403,
                                       .seconds = 0.25};
};

TEST_F(LogFileTest, AccessLogIsForItsOwnerOnly) {
  ASSERT_TRUE(open_access_log(file.string()));
  EXPECT_EQ(mode(file), 0600U);
}

TEST_F(LogFileTest, AFileThatIsThereKeepsItsModeAndContent) {
  ASSERT_TRUE(net::write_private_file(file, "before\n"));
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  must(open_access_log(file.string()))(hostile);
  EXPECT_EQ(mode(file), 0640U);
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  EXPECT_THAT(must(net::read_private_file(file)), testing::StartsWith("before\n20"));
}

TEST_F(LogFileTest, NobodyWritesLinesOrKeysOfTheirOwn) {
  must(open_access_log(file.string()))(hostile);
  const std::string text = must(net::read_private_file(file));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_FALSE(text.contains('\x1b'));
  EXPECT_THAT(text, HasSubstr(R"( method=GET target="/api\n2026-01-01T00:00:00.000000Z method=DELETE)"));
  EXPECT_THAT(text, HasSubstr(R"( status=403 seconds=0.250000 user="jane doe" peer=127.0.0.1:4242)"));
  EXPECT_THAT(text, EndsWith("agent=\"x\\\" status=200 user=\\\"root\\x1b[2J\"\n"));
}

TEST_F(LogFileTest, WhatStaysOpenIsToldTwiceAndWhoIsActedAs) {
  const auto log = must(open_access_log(file.string()));
  log({.method = "GET", .target = "/x", .user = "a", .acting_as = "b c", .phase = server::AccessPhase::Begins});
  log({.method = "GET", .target = "/x", .user = "a", .phase = server::AccessPhase::Ended});
  const std::string text = must(net::read_private_file(file));
  EXPECT_THAT(text, HasSubstr(" as=\"b c\" phase=begins\n"));
  EXPECT_THAT(text, EndsWith(" agent=\"\" phase=ended\n"));
}

TEST_F(LogFileTest, WhatCannotBeOpenedIsSaid) {
  EXPECT_THAT(open_access_log((scratch / "no" / "such").string()).error().message, HasSubstr("--access-log"));
  EXPECT_FALSE(open_access_log(scratch.string()));
}

TEST(StandardErrorLog, LinesStayLines) {
  testing::internal::CaptureStderr();
  open_log()(true, "pod a\nforged: line\x1b[31m");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_THAT(text, HasSubstr(" W pod a\\nforged: line\\x1b[31m\n"));
}

}  // namespace
}  // namespace basalt::up

#include "kube/net/descriptor_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>

namespace basalt::net {
namespace {

TEST(DescriptorLimit, ConnectionsLeaveAQuarterForEverythingElse) {
  EXPECT_EQ(connections_within(10'000, 65'536), 10'000U);
  EXPECT_EQ(connections_within(10'000, 1'024), 768U);
  EXPECT_EQ(connections_within(10'000, 0), 1U);
  EXPECT_EQ(connections_within(0, 1'024), 1U);
  EXPECT_EQ(connections_within(10'000, std::numeric_limits<size_t>::max()), 10'000U);
}

// In a child: the limit is the whole process's.
TEST(DescriptorLimit, IsRaisedToWhatTheSystemAllows) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 64);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    const size_t expected = std::min<size_t>(limit.rlim_max, kMaxDescriptors);
    ::_exit(raise_descriptor_limit() == expected && descriptor_limit() == expected ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace basalt::net

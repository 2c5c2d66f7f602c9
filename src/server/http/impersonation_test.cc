#include "server/http/impersonation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/http/authentication.h"

namespace basalt::server {
namespace {

using ::testing::ElementsAre;
using Headers = std::vector<std::pair<std::string, std::string>>;

const api::UserInfo kAdmin{.name = "admin", .uid = "", .groups = {"system:masters", "system:authenticated"}};
const api::UserInfo kAnybody{.name = "alice", .uid = "", .groups = {"system:authenticated"}};

TEST(Impersonation, WithoutHeadersTheCallerActs) {
  EXPECT_EQ(acting_user(kAnybody, {{{"Accept", "*/*"}}})->name, "alice");
}

TEST(Impersonation, AnAdministratorActsAsSomebodyElseWithHisGroupsOnly) {
  const auto user = acting_user(kAdmin, {Headers{{"impersonate-user", "bob"},
                                                 {"Impersonate-Group", "dev"},
                                                 {"IMPERSONATE-GROUP", "ops"},
                                                 {"Impersonate-Uid", "7"}}});
  ASSERT_TRUE(user) << user.error().message;
  EXPECT_EQ(user->name, "bob");
  EXPECT_EQ(user->uid, "7");
  EXPECT_THAT(user->groups, ElementsAre("dev", "ops", "system:authenticated"));
  EXPECT_THAT(acting_user(kAdmin, {Headers{{"Impersonate-User", "system:serviceaccount:ns:sa"}}})->groups,
              ElementsAre("system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"));
  EXPECT_THAT(acting_user(kAdmin, {Headers{{"Impersonate-User", "system:anonymous"}}})->groups,
              ElementsAre("system:unauthenticated"));
}

TEST(Impersonation, NobodyElseMay) {
  const auto user = acting_user(kAnybody, {Headers{{"Impersonate-User", "admin"}}});
  ASSERT_FALSE(user);
  EXPECT_EQ(user.error().code, 403);
}

TEST(Impersonation, NothingOfTheFamilyIsIgnored) {
  for (const Headers& headers : {Headers{{"Impersonate-Group", "system:masters"}}, Headers{{"Impersonate-Uid", "0"}},
                                 Headers{{"Impersonate-User", "a"}, {"Impersonate-Extra-Scopes", "x"}},
                                 Headers{{"Impersonate-User", "a"}, {"Impersonate-User", "b"}},
                                 Headers{{"Impersonate-User", ""}}, Headers{{"Impersonate-Whatever", "a"}}}) {
    for (const api::UserInfo& caller : {kAdmin, kAnybody}) {
      const auto user = acting_user(caller, {headers});
      ASSERT_FALSE(user) << headers.front().first;
      EXPECT_EQ(user.error().code, 400) << headers.front().first;
    }
  }
}

// As kube-apiserver: such a certificate names nobody; a token beside it may.
TEST(Authentication, ACertificateWithoutANameIsNobody) {
  const Authentication authentication({{.token = "t", .user = {.name = "tester", .uid = "", .groups = {}}}});
  net::HttpRequest request;
  request.peer.has_certificate = true;
  request.peer.organizations = {"system:masters"};
  EXPECT_FALSE(authentication.user_of(request));
  request.headers.list.emplace_back("Authorization", "Bearer t");
  EXPECT_EQ(authentication.user_of(request)->name, "tester");
  request.peer.common_name = "alice";
  EXPECT_EQ(authentication.user_of(request)->name, "alice");
}

}  // namespace
}  // namespace basalt::server

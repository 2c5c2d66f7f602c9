#include "server/http/health_page.h"

#include <gtest/gtest.h>

namespace basalt::server {
namespace {

using Condition = store::StoreHealth::Condition;

// "200 ok": status and body.
std::string ask(std::string_view target, const ServerHealth& health) {
  const net::HttpResponse response = health_page(*parse_target(target), health);
  return std::to_string(response.status) + " " + response.body;
}

TEST(HealthPage, AWellServerIsOk) {
  for (const char* page : {"/healthz", "/livez", "/readyz", "/readyz/store", "/livez/ping", "/readyz/shutdown"}) {
    EXPECT_EQ(ask(page, {}), "200 ok") << page;
  }
  EXPECT_EQ(ask("/livez?verbose", {}), "200 [+]ping ok\n[+]store ok\n[+]store-space ok\nlivez check passed\n");
}

TEST(HealthPage, AStoreThatCannotWriteFailsAllPages) {
  for (const Condition condition : {Condition::Full, Condition::Failing, Condition::Lost}) {
    for (const char* page : {"/healthz", "/livez", "/readyz"}) {
      EXPECT_EQ(ask(page, {.store = condition}).substr(0, 4), "500 ") << page;
    }
  }
  EXPECT_EQ(ask("/readyz", {.store = Condition::Full}),
            "500 [+]ping ok\n[+]store ok\n[-]store-space failed: the disk is full; only deletions are accepted\n"
            "[+]shutdown ok\nreadyz check failed\n");
  EXPECT_EQ(ask("/livez/store", {.store = Condition::Failing}),
            "500 internal server error: the disk refuses writes; reads go on, and it is tried again\n");
}

TEST(HealthPage, ALivenessProbeMayLeaveOutTheFullDisk) {
  EXPECT_EQ(ask("/livez?exclude=store-space", {.store = Condition::Full}), "200 ok");
  EXPECT_EQ(ask("/livez?exclude=store-space", {.store = Condition::Failing}).substr(0, 3), "500");
  EXPECT_EQ(ask("/livez?verbose&exclude=store-space", {.store = Condition::Full}),
            "200 [+]ping ok\n[+]store ok\n[+]store-space excluded: ok\nlivez check passed\n");
}

TEST(HealthPage, OnlyReadinessKnowsOfAStop) {
  EXPECT_EQ(ask("/readyz", {.stopping = true}).substr(0, 3), "500");
  EXPECT_EQ(ask("/livez", {.stopping = true}), "200 ok");
  EXPECT_EQ(ask("/livez/shutdown", {}).substr(0, 3), "404");
}

}  // namespace
}  // namespace basalt::server

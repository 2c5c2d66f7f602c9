// The API server on a disk that fails (test_disk.h): what clients, probes and dashboards are told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>

#include "server/api_server.h"
#include "server/http/http_handler.h"
#include "server/store/store_fixture.h"
#include "tests/crash/test_disk.h"
#include "tests/golden/fake_exchange.h"

namespace basalt::crash {
namespace {

using Condition = store::StoreHealth::Condition;
using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kUntilTold = 1'000'000;  // calls that fail

// Answers come from the store's thread.
class AwaitedExchange final : public tests::FakeExchange {
 public:
  using tests::FakeExchange::FakeExchange;
  void reply(net::HttpResponse response) override { answered_.set_value(std::move(response)); }
  net::HttpResponse wait() { return answered_.get_future().get(); }

 private:
  std::promise<net::HttpResponse> answered_;
};

class ServerOnDisk {
 public:
  ServerOnDisk()
      : disk_(folder_ / ""),
        store_(
            store::must_open(folder_ / "store.db", {.reserve_bytes = 4'096,
                                                    .first_retry = std::chrono::milliseconds(1),
                                                    .last_retry = std::chrono::milliseconds(4),
                                                    .on_health = [this](const store::StoreHealth& now) { hear(now); },
                                                    .vfs = disk_.vfs()})),
        api_(*store_, {.clock = [] { return Instant::from_unix_seconds(1'800'000'000); }, .seed = 1}),
        metrics_(0, "test"),
        handler_(api_, metrics_,
                 {.authentication = server::Authentication({{.token = "t", .user = {.name = "tester"}}})}) {
    EXPECT_EQ(post("/api/v1/namespaces", R"({"metadata":{"name":"default"}})").status, 201U);
  }

  TestDisk& disk() { return disk_; }

  net::HttpResponse ask(std::string method, std::string target, std::string body = "") {
    net::HttpRequest request{.method = std::move(method), .target = std::move(target), .body = std::move(body)};
    request.headers.list = {{"Authorization", "Bearer t"}, {"Content-Type", "application/json"}};
    const auto exchange = std::make_shared<AwaitedExchange>(std::move(request));
    handler_.handle(exchange);
    return exchange->wait();
  }
  net::HttpResponse post(std::string target, std::string body) {
    return ask("POST", std::move(target), std::move(body));
  }
  net::HttpResponse create(const std::string& name) {
    return post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":")" + name + R"("}})");
  }

  void await(Condition condition) {
    std::unique_lock guard(lock_);
    const auto is_so = [&] { return !changes_.empty() && changes_.back() == condition; };
    EXPECT_TRUE(changed_.wait_for(guard, store::kTestTimeout, is_so)) << "waited in vain";
  }
  std::vector<Condition> changes() {
    const std::lock_guard guard(lock_);
    return changes_;
  }

 private:
  void hear(const store::StoreHealth& now) {
    const std::lock_guard guard(lock_);
    changes_.push_back(now.condition);
    changed_.notify_all();
  }

  store::TempFolder folder_;
  TestDisk disk_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<Condition> changes_;
  std::unique_ptr<store::Store> store_;
  server::ApiServer api_;
  server::ServerMetrics metrics_;
  server::HttpHandler handler_;
};

TEST(ServerOnFailingDisk, ErrorsAreTold) {
  ServerOnDisk world;
  EXPECT_EQ(world.create("kept").status, 201U);
  EXPECT_EQ(world.ask("GET", "/readyz").body, "ok");
  world.disk().plan({.fault = Fault::Io, .first = 1, .calls = kUntilTold});
  for (const char* name : {"a", "b", "c"}) {
    const net::HttpResponse refused = world.create(name);
    EXPECT_EQ(refused.status, 503U);
    EXPECT_THAT(refused.body, HasSubstr("Input/output error"));
  }
  for (const char* page : {"/readyz", "/livez", "/healthz"}) {
    const net::HttpResponse answer = world.ask("GET", page);
    EXPECT_EQ(answer.status, 500U) << page;
    EXPECT_THAT(answer.body, HasSubstr("[-]store failed: "));
  }
  EXPECT_THAT(world.ask("GET", "/metrics").body, HasSubstr("\nbasalt_store_writable 0\n"));
  const net::HttpResponse list = world.ask("GET", "/api/v1/namespaces/default/configmaps");
  EXPECT_EQ(list.status, 200U);
  EXPECT_THAT(list.body, HasSubstr("\"kept\""));
  EXPECT_EQ(world.changes(), std::vector{Condition::Failing}) << "one change, however many requests and tries";
  world.disk().plan({});
  world.await(Condition::Writable);
  EXPECT_EQ(world.create("a").status, 201U);
  EXPECT_EQ(world.ask("GET", "/livez").body, "ok");
  EXPECT_THAT(world.ask("GET", "/metrics").body, HasSubstr("\nbasalt_store_writable 1\n"));
}

TEST(ServerOnFailingDisk, AFullDiskIsTold) {
  ServerOnDisk world;
  // Only writes find no room. A sync that fails, whatever its reason, is another condition: the first retry would see
  // it.
  world.disk().plan({.fault = Fault::ShortWrite, .first = 1, .calls = kUntilTold});
  const net::HttpResponse refused = world.create("a");
  EXPECT_EQ(refused.status, 507U);
  EXPECT_THAT(refused.body, HasSubstr("\"InsufficientStorage\""));
  EXPECT_THAT(world.ask("GET", "/readyz").body, HasSubstr("[-]store-space failed: "));
  const std::string metrics = world.ask("GET", "/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("\nbasalt_store_failed_commits_total{reason=\"full\"} "));
  EXPECT_THAT(metrics, Not(HasSubstr("\nbasalt_store_failed_commits_total{reason=\"full\"} 0\n")));
  world.disk().plan({});
  world.await(Condition::Writable);
  EXPECT_EQ(world.create("a").status, 201U);
}

}  // namespace
}  // namespace basalt::crash

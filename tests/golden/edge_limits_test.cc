// What the HTTP handler lets in, whom it takes a client for, what it does elsewhere, and what it tells about all that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "kube/text/json.h"
#include "server/api_server.h"
#include "server/http/http_handler.h"
#include "tests/golden/fake_exchange.h"

namespace basalt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::chrono::seconds kTestTimeout{30};
constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
constexpr std::string_view kPodOfOneContainer = R"({"metadata":{"name":"p"},"spec":{"nodeName":"n",
  "containers":[{"name":"a","image":"x"}]}})";

class EdgeLimits : public testing::Test {
 protected:
  EdgeLimits() : store(store::Store::in_memory()), server(*store, api_options()) {
    memory = std::make_shared<server::MemoryGuard>(
        server::MemoryGuard::Options{.limit = 1'000'000, .used = [this] { return memory_used; }, .log = nullptr});
    start({});
    EXPECT_EQ(ask("POST", "/api/v1/namespaces", R"({"metadata":{"name":"default"}})")->answer().status, 201U);
    EXPECT_EQ(ask("POST", std::string(kPods), std::string(kPodOfOneContainer))->answer().status, 201U);
    lines.clear();
  }

  server::ApiServerOptions api_options() {
    return {.clock = [] { return Instant::from_unix_seconds(1'700'000'000); },
            .seed = 1,
            .is_full = [this] { return memory->is_tight(); }};
  }

  void start(server::HttpHandlerOptions options) {
    options.authentication =
        server::Authentication({{.token = "t", .user = {.name = "me", .groups = {"system:masters"}}},
                                {.token = "u", .user = {.name = "you"}}});
    options.memory = memory;
    options.access_log = [this](const server::AccessLogEntry& entry) {
      const std::string_view phase = entry.phase == server::AccessPhase::Whole    ? ""
                                     : entry.phase == server::AccessPhase::Begins ? " begins"
                                                                                  : " ended";
      const std::lock_guard lock(lines_mutex);
      lines.push_back(std::string(entry.method) + " " + std::string(entry.user) + "/" + std::string(entry.acting_as) +
                      " " + std::to_string(entry.status) + std::string(phase));
    };
    handler = std::make_unique<server::HttpHandler>(server, metrics, std::move(options));
  }

  static net::HttpRequest request(std::string method, std::string target, std::string body = "") {
    net::HttpRequest out{.method = std::move(method), .target = std::move(target), .body = std::move(body)};
    out.headers.list.emplace_back("Authorization", "Bearer t");
    return out;
  }
  std::shared_ptr<tests::FakeExchange> ask(net::HttpRequest asked) {
    auto exchange = std::make_shared<tests::FakeExchange>(std::move(asked));
    handler->handle(exchange);
    return exchange;
  }
  std::shared_ptr<tests::FakeExchange> ask(std::string method, std::string target, std::string body = "") {
    return ask(request(std::move(method), std::move(target), std::move(body)));
  }
  unsigned status(std::string method, std::string target, std::string body = "") {
    return ask(std::move(method), std::move(target), std::move(body))->answer().status;
  }

  uint64_t memory_used = 0;
  std::shared_ptr<server::MemoryGuard> memory;
  std::unique_ptr<store::Store> store;
  server::ApiServer server;
  server::ServerMetrics metrics{0, "test"};
  std::mutex lines_mutex;          // workers write, too
  std::vector<std::string> lines;  // of the access log
  std::unique_ptr<server::HttpHandler> handler;
};

TEST_F(EdgeLimits, BodiesAreAdmittedByTheirHeader) {
  net::HttpRequest stranger{.method = "POST", .target = std::string(kPods)};
  const auto refused = handler->admit_body(stranger);
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->status, 401U);
  EXPECT_THAT(refused.refusal->body, HasSubstr("Unauthorized"));
  EXPECT_THAT(lines, ElementsAre("POST / 401"));
  stranger.target = "/healthz";
  EXPECT_EQ(handler->admit_body(stranger).body_bytes, 0U);
  stranger.target = "/%zz";
  EXPECT_EQ(handler->admit_body(stranger).refusal->status, 400U);
  constexpr size_t kFew = 64 * 1024;
  EXPECT_EQ(handler->admit_body(request("GET", std::string(kPods))).body_bytes, kFew);
  EXPECT_EQ(handler->admit_body(request("POST", "/nowhere")).body_bytes, kFew);
  EXPECT_GT(handler->admit_body(request("POST", std::string(kPods))).body_bytes, size_t{3} << 20U);
  EXPECT_FALSE(handler->admit_body(request("POST", std::string(kPods))).refusal);
}

TEST_F(EdgeLimits, StreamsAreToldWhenTheyBeginAndWhenTheyEnd) {
  const auto watch = ask("GET", "/api/v1/pods?watch=1");
  EXPECT_THAT(lines, ElementsAre("GET me/ 200 begins"));
  watch->hang_up();
  EXPECT_THAT(lines, ElementsAre("GET me/ 200 begins", "GET me/ 200 ended"));
  lines.clear();
  EXPECT_EQ(status("GET", std::string(kPods) + "/p/log"), 200U);
  EXPECT_THAT(lines, ElementsAre("GET me/ 200 begins", "GET me/ 200 ended"));
  const std::string figures = ask("GET", "/metrics")->answer().body;
  EXPECT_THAT(figures, HasSubstr("apiserver_longrunning_requests{component=\"apiserver\",subresource=\"log\""));
  EXPECT_THAT(figures, HasSubstr("scope=\"cluster\",subresource=\"\",verb=\"WATCH\",version=\"v1\"} 1\n"));
}

TEST_F(EdgeLimits, ActingAsSomebodyElseIsKnownToAll) {
  net::HttpRequest asked = request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}");
  asked.headers.list.emplace_back("Impersonate-User", "bob");
  const auto who = ask(asked);
  EXPECT_EQ(who->answer().status, 201U);
  EXPECT_THAT(who->answer().body, HasSubstr("\"bob\""));
  EXPECT_THAT(lines, ElementsAre("POST me/bob 201"));
  asked.headers.list.front().second = "Bearer u";
  EXPECT_EQ(ask(asked)->answer().status, 403U);
}

TEST_F(EdgeLimits, WhileMemoryIsTightOnlyWhatDoesNotGrowIsTaken) {
  EXPECT_EQ(status("POST", "/api/v1/namespaces", R"({"metadata":{"name":"a"}})"), 201U);
  memory_used = 950'000;
  memory->tick();
  const auto refused = ask("POST", "/api/v1/namespaces", R"({"metadata":{"name":"b"}})");
  EXPECT_EQ(refused->answer().status, 429U);
  EXPECT_EQ(refused->answer().headers.get("Retry-After"), "10");
  EXPECT_EQ(status("PUT", "/api/v1/namespaces/a", R"({"metadata":{"name":"a"}})"), 429U);
  server.send({.name = "insider"},
              {.verb = api::Verb::Create,
               .resource = {.group = "", .version = "v1", .plural = "namespaces"},
               .body = *text::parse_json(R"({"metadata":{"name":"c"}})")},
              [](const server::ApiOutcome& outcome) {
                ASSERT_FALSE(outcome);
                EXPECT_EQ(outcome.error().code, 429);
              });
  EXPECT_EQ(status("GET", "/api/v1/namespaces/a"), 200U);
  EXPECT_EQ(status("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}"), 201U);
  EXPECT_EQ(status("DELETE", "/api/v1/namespaces/a"), 200U);
  EXPECT_THAT(ask("GET", "/metrics")->answer().body, HasSubstr("basalt_memory_tight 1\n"));
  memory_used = 100;
  memory->tick();
  EXPECT_EQ(status("POST", "/api/v1/namespaces", R"({"metadata":{"name":"b"}})"), 201U);
}

TEST_F(EdgeLimits, NoNumberIsTooLarge) {
  const std::string most = "9223372036854775807", more = "9223372036854775808";
  ask("GET", "/api/v1/pods?watch=1&timeoutSeconds=" + most)->hang_up();
  EXPECT_EQ(status("GET", "/api/v1/pods?watch=1&timeoutSeconds=" + more), 400U);
  EXPECT_EQ(status("GET", "/api/v1/pods?limit=" + most), 200U);
  EXPECT_EQ(status("GET", "/api/v1/pods?limit=" + more), 400U);
  EXPECT_EQ(status("GET", "/api/v1/pods?limit=-1"), 200U);
  EXPECT_EQ(status("GET", "/api/v1/pods?resourceVersion=" + most), 504U);
  EXPECT_EQ(status("GET", "/api/v1/pods?resourceVersion=-1"), 400U);
  EXPECT_EQ(status("GET", "/api/v1/pods?timeout=forever"), 400U);
  EXPECT_EQ(status("GET", "/api/v1/pods?timeout=32s"), 200U);
  const std::string log = std::string(kPods) + "/p/log?";
  for (const char* option : {"sinceSeconds=", "tailLines=", "limitBytes="}) {
    EXPECT_EQ(status("GET", log + option + most), 200U) << option;
    EXPECT_EQ(status("GET", log + option + more), 400U) << option;
    EXPECT_EQ(status("GET", log + option + "-1"), 422U) << option;
  }
  EXPECT_EQ(status("GET", log + "sinceSeconds=5&sinceTime=2020-01-01T00:00:00Z"), 422U);
  const auto removed = ask("DELETE", std::string(kPods) + "/p?gracePeriodSeconds=" + most);
  EXPECT_EQ(removed->answer().status, 200U);
  EXPECT_THAT(removed->answer().body, HasSubstr("\"deletionTimestamp\":\"2262-"));
}

// An exchange that is answered by another thread.
class AwaitedExchange : public tests::FakeExchange {
 public:
  using FakeExchange::FakeExchange;
  void reply(net::HttpResponse response) override { answered_.set_value(response.status); }
  unsigned status() {
    auto future = answered_.get_future();
    return future.wait_for(kTestTimeout) == std::future_status::ready ? future.get() : 0;
  }

 private:
  std::promise<unsigned> answered_;
};

TEST_F(EdgeLimits, WhatTakesLongHoldsUpNobodyAndHasItsLimit) {
  std::promise<void> begun, go;
  std::shared_future<void> released = go.get_future();
  std::atomic<bool> first = true;
  start({.sample =
             [&] {
               if (first.exchange(false)) begun.set_value();
               released.wait();
               return server::MetricsSample{};
             },
         .workers = 1});
  std::vector<std::shared_ptr<AwaitedExchange>> waiting;
  const auto ask_for_metrics = [&] {
    waiting.push_back(std::make_shared<AwaitedExchange>(request("GET", "/metrics")));
    handler->handle(waiting.back());
  };
  ask_for_metrics();
  ASSERT_EQ(begun.get_future().wait_for(kTestTimeout), std::future_status::ready);
  // The only worker is busy. Small things are answered on this thread.
  EXPECT_EQ(status("GET", "/healthz"), 200U);
  EXPECT_EQ(status("GET", std::string(kPods) + "/p"), 200U);
  EXPECT_EQ(status("GET", std::string(kPods)), 200U);
  EXPECT_EQ(status("POST", "/api/v1/namespaces", R"({"metadata":{"name":"a"}})"), 201U);
  for (size_t i = 0; i < server::WorkerPool::kMaxWaiting; ++i) ask_for_metrics();
  EXPECT_EQ(status("GET", "/metrics"), 429U);
  go.set_value();
  for (const auto& exchange : waiting) ASSERT_EQ(exchange->status(), 200U);
  handler.reset();
}

}  // namespace
}  // namespace basalt

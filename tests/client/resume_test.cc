// An informer that follows a server over a network which breaks: it goes on where it was, and lists again only when the
// server has forgotten.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "control/loop/informer.h"
#include "control/loop/reconcile_loop.h"
#include "control/loop/relist.h"
#include "kube/client/wall_clock.h"
#include "tests/client/cutting_proxy.h"
#include "tests/client/test_server.h"

namespace basalt::tests {
namespace {

using api::Verb;
using loop::Informer;
using loop::KindId;

const KindId kMaps(0U);

// Passes everything on, and remembers what was asked for.
class Witness final : public client::ObjectClient {
 public:
  explicit Witness(client::ObjectClient& client) : client_(client) {}
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    if (call.verb == Verb::List) ++lists;
    client_.send(std::move(call), std::move(done));
  }
  std::unique_ptr<client::Watch> watch(api::Call call, std::function<void(client::WatchEvent)> receive) override {
    ++(call.send_initial_events ? lists : watches);
    return client_.watch(std::move(call), std::move(receive));
  }
  [[nodiscard]] bool streams_lists() const override { return streams; }

  std::atomic<int> lists = 0, watches = 0;
  bool streams = true;

 private:
  client::ObjectClient& client_;
};

class Resume : public ::testing::Test {
 protected:
  std::unique_ptr<client::HttpsObjectClient> remote_client() {
    client::RestConfig way = server.connection();
    way.server.port = proxy.port();
    auto made = client::HttpsObjectClient::make(way, {.watch_quiet = std::chrono::milliseconds(500)});
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  void follow() { informer.follow(kMaps, config_maps(Verb::Watch).resource, kNever); }

  void step() {
    const Instant now = client::wall_clock();
    informer.open_due(now, [&](const Informer::Listed& listed) {
      for (const auto& object : listed.objects) known.insert(name_of(object));
      const auto keys = [&] {
        std::vector<std::string> all;
        for (const std::string& name : known) all.push_back("default/" + name);
        return all;
      };
      for (const std::string& key : relist.gone(listed, keys)) known.erase(key.substr(key.find('/') + 1));
    });
    for (const Informer::Change& change : informer.take(now)) {
      const std::string name = name_of(change.event.object);
      if (change.event.type == client::WatchEventType::Deleted) {
        known.erase(name);
      } else {
        known.insert(name);
      }
    }
  }
  template <class Condition>
  [[nodiscard]] bool until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kTestTimeout;
    for (step(); !condition(); step()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      wake_up.wait(Duration::millis(20));
    }
    return true;
  }
  [[nodiscard]] bool until_known(const std::set<std::string>& names) {
    return until([&] { return known == names && informer.synced().contains(kMaps); });
  }
  void write(const std::string& name) { EXPECT_TRUE(local->call(create_config_map(name, "1"))); }
  void remove(const std::string& name) { EXPECT_TRUE(local->call(config_maps(Verb::Delete, name))); }

  TestServer server;
  CuttingProxy proxy{server.port()};
  std::unique_ptr<client::ObjectClient> local = server.client(ClientAccess::InProcess);
  std::unique_ptr<client::HttpsObjectClient> remote = remote_client();
  Witness witness{*remote};
  loop::WakeUp wake_up;
  std::set<std::string> known;
  loop::Relist relist;
  Informer informer{witness, wake_up};
};

TEST_F(Resume, AfterACutNothingIsMissedAndNothingIsListed) {
  for (const bool streams : {true, false}) {
    witness.streams = streams;
    write("a");
    follow();
    ASSERT_TRUE(until_known({"a"}));
    const int lists = witness.lists;
    for (int i = 0; i < 3; ++i) {
      proxy.cut();
      write("b");
      remove("a");
      ASSERT_TRUE(until_known({"b"}));
      proxy.cut();
      write("a");
      remove("b");
      ASSERT_TRUE(until_known({"a"}));
    }
    EXPECT_EQ(witness.lists, lists);
    remove("a");
    ASSERT_TRUE(until_known({}));
  }
}

TEST_F(Resume, ThroughALongOutage) {
  write("a");
  follow();
  ASSERT_TRUE(until_known({"a"}));
  const int watches = witness.watches;
  proxy.cut(/*down=*/true);
  write("b");
  ASSERT_TRUE(until([&] { return witness.watches >= watches + loop::kMaxFailedWatches; }));
  proxy.up();
  remove("a");
  ASSERT_TRUE(until_known({"b"}));
}

TEST_F(Resume, WhatTheServerHasForgottenIsListedAndTheDifferenceApplied) {
  write("a");
  write("b");
  follow();
  ASSERT_TRUE(until_known({"a", "b"}));
  const int lists = witness.lists;
  proxy.cut(/*down=*/true);
  remove("a");
  write("c");
  server.store().compact(server.store().revision());
  proxy.up();
  ASSERT_TRUE(until_known({"b", "c"}));
  EXPECT_GT(witness.lists, lists);
  write("d");
  ASSERT_TRUE(until_known({"b", "c", "d"}));
}

TEST_F(Resume, ANetworkThatFallsSilentLeavesNoDeafWatch) {
  write("a");
  follow();
  ASSERT_TRUE(until_known({"a"}));
  const int lists = witness.lists;
  proxy.go_silent();
  write("b");
  ASSERT_TRUE(until_known({"a", "b"}));
  EXPECT_EQ(witness.lists, lists);
}

class NoReconciler final : public loop::Reconciler {
 public:
  void learn(KindId /*kind*/, const client::ObjectPtr& /*object*/, Instant /*now*/) override {}
  void forget(KindId /*kind*/, const std::string& /*key*/, Instant /*now*/) override {}
  [[nodiscard]] std::vector<std::string> keys(KindId /*kind*/) const override { return {}; }
  [[nodiscard]] loop::WritePlan plan(const loop::Item& /*item*/, Instant /*now*/) override { return {}; }
  void requeue_all(Instant /*now*/) override {}
};

// Far less than connections and requests are given (10 and 60 s), far more than it takes.
constexpr std::chrono::seconds kPrompt{5};

TEST_F(Resume, ALoopStopsAtOnceThoughTheServerIsSilent) {
  proxy.go_silent(/*for_good=*/true);
  for (const bool streams : {true, false}) {
    witness.streams = streams;
    witness.lists = 0;
    NoReconciler reconciler;
    loop::ReconcileLoop loop(witness, reconciler, {.clock = client::wall_clock, .component = "test"});
    loop.follow(kMaps, config_maps(Verb::Watch).resource);
    loop.start();
    const auto deadline = std::chrono::steady_clock::now() + kTestTimeout;
    while (witness.lists == 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    ASSERT_EQ(witness.lists, 1);
    const auto began = std::chrono::steady_clock::now();
    loop.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, kPrompt);
  }
  const auto began = std::chrono::steady_clock::now();
  remote->close();
  remote.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, kPrompt);
}

}  // namespace
}  // namespace basalt::tests

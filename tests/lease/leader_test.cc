// Replicas that elect a leader on a real API server, in real time. Nothing here depends on how long things take: leases
// that must not run out last an hour, and those that must are waited for.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "kube/api/object_fields.h"
#include "kube/client/https_object_client.h"
#include "programs/lease/fenced_client.h"
#include "programs/lease/lease_rules.h"
#include "tests/lease/lease_cluster.h"

namespace basalt::lease {
namespace {

using State = UnreliableClient::State;

// Never runs out within a test; whoever waits for the end of it waits in vain.
LeaderElectorOptions lasting() {
  return {.lease = Duration::seconds(7200), .renew = Duration::seconds(3600), .retry = Duration::millis(20)};
}
// The shortest that a Lease can say.
LeaderElectorOptions brief() {
  return {.lease = Duration::seconds(1), .renew = Duration::millis(600), .retry = Duration::millis(50)};
}

TEST(LeaderRing, OneLeadsAndTheOthersKnowWho) {
  LeaseCluster cluster;
  auto one = cluster.replica("one", lasting());
  one->start();
  ASSERT_TRUE(one->leads.wait());
  EXPECT_TRUE(one->leader.is_leading());
  auto two = cluster.replica("two", lasting());
  two->start();
  while (two->leader.holder().empty()) std::this_thread::yield();
  EXPECT_EQ(two->leader.holder(), "one");
  EXPECT_FALSE(two->leader.is_leading());
  EXPECT_EQ(cluster.holder(), "one");
  const LeaseRecord record = lease_record(*cluster.lease());
  EXPECT_EQ(record.duration_seconds, 7200);
  EXPECT_EQ(record.transitions, 0);
  EXPECT_FALSE(record.acquire_time.empty());
}

TEST(LeaderRing, StoppingHandsOverWithoutWaitingForTheLease) {
  LeaseCluster cluster;
  auto one = cluster.replica("one", lasting());
  one->start();
  ASSERT_TRUE(one->leads.wait());
  auto two = cluster.replica("two", lasting());
  two->start();
  one->leader.stop();
  EXPECT_FALSE(one->leader.is_leading());
  ASSERT_TRUE(two->leads.wait());
  EXPECT_EQ(cluster.holder(), "two");
  EXPECT_EQ(lease_record(*cluster.lease()).transitions, 1);
  EXPECT_EQ(one->lost.count(), 0) << "it left by itself";
  one->leader.stop();  // again: nothing
  EXPECT_EQ(cluster.holder(), "two");
}

TEST(LeaderRing, AReplicaThatIsCutOffLosesBeforeAnotherTakesOver) {
  LeaseCluster cluster;
  auto one = cluster.replica("one", brief());
  one->start();
  ASSERT_TRUE(one->leads.wait());
  auto two = cluster.replica("two", brief());
  std::atomic<bool> overlapped{false};
  two->leader.start(
      [&] {
        overlapped = one->leader.is_leading();
        two->leads.raise();
      },
      [&] { two->lost.raise(); });
  one->line.become(State::Cut);
  ASSERT_TRUE(two->leads.wait());
  EXPECT_FALSE(overlapped);
  ASSERT_TRUE(one->lost.wait());
  EXPECT_FALSE(one->leader.is_leading());
  EXPECT_EQ(one->lost.count(), 1);
}

TEST(LeaderRing, WritesWithoutTheLeaseAreHeldOff) {
  LeaseCluster cluster;
  auto one = cluster.replica("one", lasting());
  FencedClient fenced(cluster.client(), [&] { return one->leader.is_leading(); });
  const auto namespace_call = [](const std::string& name) {
    api::Call call{.verb = api::Verb::Create, .resource = {.group = "", .version = "v1", .plural = "namespaces"}};
    call.body = text::Object{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", text::Object{{"name", name}}}};
    return call;
  };
  EXPECT_FALSE(fenced.call(namespace_call("early")));
  one->start();
  ASSERT_TRUE(one->leads.wait());
  EXPECT_TRUE(fenced.call(namespace_call("leading")));
  cluster.overwrite_holder();
  ASSERT_TRUE(one->lost.wait());
  for (const api::Verb verb :
       {api::Verb::Create, api::Verb::Update, api::Verb::Patch, api::Verb::Delete, api::Verb::DeleteCollection}) {
    api::Call call = namespace_call("late");
    call.verb = verb;
    if (verb != api::Verb::Create) call.name = "leading";
    const auto refused = fenced.call(std::move(call));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, 503);
    EXPECT_EQ(refused.error().reason, client::kReasonNotReached);
  }
  api::Call get = namespace_call("");
  get.verb = api::Verb::Get;
  for (const auto& [name, there] : {std::pair{"early", false}, std::pair{"leading", true}, std::pair{"late", false}}) {
    get.name = name;
    EXPECT_EQ(fenced.call(get).has_value(), there) << name;
  }
}

TEST(LeaderRing, AWriteWithoutAnAnswerCountsOnlyOnceItIsRepeated) {
  LeaseCluster cluster;
  LeaderElectorOptions options = brief();
  options.lease = Duration::seconds(7200);
  auto one = cluster.replica("one", options);
  one->line.become(State::LosesAnswers);
  one->start();
  while (one->leader.holder() != "one") std::this_thread::yield();  // the lease says so by now
  EXPECT_EQ(one->leads.count(), 0);
  EXPECT_FALSE(one->leader.is_leading());
  const std::string acquired = lease_record(*cluster.lease()).acquire_time;
  one->line.become(State::Good);
  ASSERT_TRUE(one->leads.wait());
  EXPECT_EQ(lease_record(*cluster.lease()).acquire_time, acquired);
  EXPECT_EQ(lease_record(*cluster.lease()).transitions, 0);
}

TEST(LeaderRing, StopsAtOnceWhileTheServerIsSilent) {
  LeaseCluster cluster;
  auto one = cluster.replica("one", lasting());  // would be patient for half an hour
  one->line.become(State::Cut);
  one->start();
  one->leader.stop();
  EXPECT_EQ(cluster.lease(), nullptr);
}

TEST(LeaderRing, ADeletedLeaseIsMadeAnew) {
  LeaseCluster cluster;
  auto one = cluster.replica("one", lasting());
  one->start();
  ASSERT_TRUE(one->leads.wait());
  ASSERT_TRUE(cluster.client().call(lease_call(api::Verb::Delete)));
  while (cluster.holder() != "one") std::this_thread::yield();
  EXPECT_TRUE(one->leader.is_leading());
}

TEST(LeaderRing, SomebodyElsesNameEndsIt) {
  LeaseCluster cluster;
  auto one = cluster.replica("one", lasting());
  one->start();
  ASSERT_TRUE(one->leads.wait());
  cluster.overwrite_holder();
  ASSERT_TRUE(one->lost.wait());
  EXPECT_FALSE(one->leader.is_leading());
  one.reset();
  EXPECT_EQ(cluster.holder(), "usurper");
}

TEST(LeaderRing, AnyThreadMayAskWhileOthersHandOver) {
  LeaseCluster cluster;
  auto one = cluster.replica("one", lasting());
  auto two = cluster.replica("two", lasting());
  std::jthread asking([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const bool first = one->leader.is_leading();
      EXPECT_FALSE(one->leader.holder() == "two" && first);
    }
  });
  one->start();
  ASSERT_TRUE(one->leads.wait());
  two->start();
  one->leader.stop();
  ASSERT_TRUE(two->leads.wait());
}

TEST(LeaderRing, ManyHandOversLeaveOneLeaderAtATime) {
  LeaseCluster cluster;
  constexpr int kReplicas = 4, kRounds = 6;
  std::atomic<int> at_work{0}, most{0};
  std::vector<std::unique_ptr<LeaseCluster::Replica>> living;
  const auto begin = [&](int number) {
    living.push_back(cluster.replica("replica-" + std::to_string(number), lasting()));
    LeaseCluster::Replica& one = *living.back();
    one.leader.start(
        [&] {
          most = std::max<int>(most, ++at_work);
          one.leads.raise();
        },
        [] {});
  };
  int number = 0;
  for (; number < kReplicas; ++number) begin(number);
  for (int round = 0; round < kRounds; ++round) {
    const auto leads = [](const auto& replica) { return replica->leader.is_leading(); };
    auto leader = living.end();
    while ((leader = std::ranges::find_if(living, leads)) == living.end()) std::this_thread::yield();
    ASSERT_TRUE((*leader)->leads.wait());
    --at_work;
    (*leader)->leader.stop();
    living.erase(leader);
    begin(number++);
  }
  EXPECT_EQ(most, 1);
  EXPECT_GE(lease_record(*cluster.lease()).transitions, kRounds - 1);
}

}  // namespace
}  // namespace basalt::lease

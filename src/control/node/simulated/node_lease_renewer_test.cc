#include "control/node/simulated/node_lease_renewer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace basalt::node {
namespace {

using testing::ElementsAre;

constexpr Instant kRenewed = Instant::from_unix_seconds(1'767'225'610);  // 2026-01-01T00:00:10Z

// Takes calls, and answers them when it is told to.
class Holding final : public client::ObjectClient {
 public:
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    names.push_back(call.name);
    waiting.push_back(std::move(done));
    if (at_once) answer();
  }
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call, std::function<void(client::WatchEvent)>) override {
    return nullptr;
  }
  void answer() {
    for (const auto& done : std::exchange(waiting, {})) done(client::Reply{});
  }

  bool at_once = true;
  std::vector<std::string> names;
  std::vector<std::function<void(client::ReplyOrError)>> waiting;
};

TEST(NodeLeaseRenewer, ARenewalNeedsNothingToBeThere) {
  const api::Call call = lease_renewal("sim-0", kRenewed);
  EXPECT_EQ(call.patch, api::PatchType::Apply);
  EXPECT_TRUE(call.force);
  EXPECT_EQ(text::to_json(call.body.at("spec")), R"({"holderIdentity":"sim-0","leaseDurationSeconds":40,)"
                                                 R"("renewTime":"2026-01-01T00:00:10.000000Z"})");
}

TEST(NodeLeaseRenewer, NamesAreThoseOfTheNodes) {
  EXPECT_THAT(names_of({{.name = "a", .count = 2}, {.name = "b", .count = 1}}), ElementsAre("a-0", "a-1", "b-0"));
}

TEST(NodeLeaseRenewer, EveryNodeOnceInAllTurns) {
  Holding client;
  std::vector<std::string> nodes = names_of({{.name = "n", .count = 123}});
  NodeLeaseRenewer leases(client, nodes, [] { return kRenewed; });
  for (size_t i = 0; i < NodeLeaseRenewer::kLeaseBatches; ++i) leases.turn();
  std::ranges::sort(client.names);
  std::ranges::sort(nodes);
  EXPECT_EQ(client.names, nodes);
}

TEST(NodeLeaseRenewer, ASilentServerIsNotFlooded) {
  Holding client;
  client.at_once = false;
  NodeLeaseRenewer leases(client, names_of({{.name = "n", .count = 100'000}}), [] { return kRenewed; });
  for (size_t i = 0; i < NodeLeaseRenewer::kLeaseBatches; ++i) leases.turn();
  EXPECT_EQ(client.names.size(), kMaxLeaseCalls);
  client.answer();
  leases.turn();
  EXPECT_EQ(client.names.size(), 2 * kMaxLeaseCalls);
  client.answer();
}

}  // namespace
}  // namespace basalt::node

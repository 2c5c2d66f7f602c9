// `basalt up` as a whole: gangs on simulated nodes and on this machine, many clients at once, and its end.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/whole/whole_world.h"

namespace basalt::tests {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kContainer = "{name: c, image: example/none, resources: {requests: {cpu: 1}}}";
constexpr std::string_view kSimulated = ", nodeSelector: {basalt.sh/runtime: simulated}";

class StandaloneTest : public testing::Test {
 protected:
  StandaloneTest() { world.options.crew.simulated = {*node::parse_simulated_group("4:cpu=8,memory=32Gi,name=sim")}; }
  WholeWorld world;
};

TEST_F(StandaloneTest, GangsRunOnSimulatedNodesAndOnThisMachine) {
  world.options.crew.local_node = true;
  world.options.crew.node_name = "here";
  world.start();
  Seen jobs(world.client(), WholeWorld::kJobs);
  world.create(WholeWorld::kJobs, "default", WholeWorld::gang("simulated", 6, kContainer, kSimulated));
  world.create(WholeWorld::kJobs, "default",
               WholeWorld::gang("real", 2, "{name: c, image: none, command: [\"true\"]}",
                                ", nodeSelector: {kubernetes.io/hostname: here}"));
  for (const char* name : {"simulated", "real"}) {
    EXPECT_TRUE(jobs.wait(name, [](const text::Object& job) { return WholeWorld::has_phase(job, "Completed"); }));
  }
  EXPECT_THAT(world.page("/metrics"), HasSubstr("basalt_certificate_expiration_timestamp_seconds{certificate=\"ser"));
  EXPECT_EQ(world.page("/readyz"), "ok");
  world.stop();
}

// What ThreadSanitizer says about it is the other half of this test.
TEST_F(StandaloneTest, ManyClientsAtOnceWhileItWorksAndWhileItStops) {
  constexpr int kClients = 4, kGangs = 3;
  world.start();
  std::vector<std::unique_ptr<client::ObjectClient>> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(world.connect());
  std::atomic<bool> over = false;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      while (!over) {
        const bool pods = i % 2 == 0;
        static_cast<void>(clients[i]->call(
            {.verb = api::Verb::List, .resource = pods ? WholeWorld::kPods : WholeWorld::kQueues, .limit = 5}));
        if (i == 0 && !over) static_cast<void>(world.page("/metrics"));
      }
    });
  }
  Seen jobs(world.client(), WholeWorld::kJobs);
  for (int i = 0; i < kGangs; ++i) {
    world.create(WholeWorld::kJobs, "default",
                 WholeWorld::gang("gang-" + std::to_string(i), 3, kContainer, kSimulated));
  }
  for (int i = 0; i < kGangs; ++i) {
    EXPECT_TRUE(jobs.wait("gang-" + std::to_string(i),
                          [](const text::Object& job) { return WholeWorld::has_phase(job, "Completed"); }));
  }
  world.cluster().stop(std::chrono::seconds(2));
  over = true;
}

TEST_F(StandaloneTest, ASecondStartFindsWhatWasKept) {
  world.options.ephemeral = false;
  world.start();
  world.create(WholeWorld::kNamespaces, "", "{apiVersion: v1, kind: Namespace, metadata: {name: kept}}");
  const std::string before = world.kubeconfig();
  world.stop();
  world.start();
  EXPECT_EQ(world.kubeconfig(), before);
  EXPECT_TRUE(world.client().call({.verb = api::Verb::Get, .resource = WholeWorld::kNamespaces, .name = "kept"}));
}

TEST_F(StandaloneTest, NothingStartsInSomebodysDirectoryOrOverSomebodysKubeconfig) {
  std::filesystem::create_directories(world.options.state / "documents");
  const auto refused = up::Standalone::start(world.options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("not empty"));
  world.options.state = world.directory() / "fresh";
  world.options.kubeconfig = world.directory();
  EXPECT_FALSE(up::Standalone::start(world.options));
}

}  // namespace
}  // namespace basalt::tests

// `basalt up` as a whole: gangs on simulated nodes and on this machine, many clients at once, and its end.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/whole/standalone_fixture.h"

namespace basalt::tests {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kContainer = "{name: c, image: example/none, resources: {requests: {cpu: 1}}}";
constexpr std::string_view kSimulated = ", nodeSelector: {basalt.sh/runtime: simulated}";

class StandaloneTest : public testing::Test {
 protected:
  StandaloneTest() {
    fixture.options.components.simulated = {*node::parse_simulated_group("4:cpu=8,memory=32Gi,name=sim")};
  }
  StandaloneFixture fixture;
};

TEST_F(StandaloneTest, GangsRunOnSimulatedNodesAndOnThisMachine) {
  fixture.options.components.local_node = true;
  fixture.options.components.node_name = "here";
  fixture.start();
  WatchedObjects jobs(fixture.client(), StandaloneFixture::kJobs);
  fixture.create(StandaloneFixture::kJobs, "default", StandaloneFixture::gang("simulated", 6, kContainer, kSimulated));
  fixture.create(StandaloneFixture::kJobs, "default",
                 StandaloneFixture::gang("real", 2, "{name: c, image: none, command: [\"true\"]}",
                                         ", nodeSelector: {kubernetes.io/hostname: here}"));
  for (const char* name : {"simulated", "real"}) {
    EXPECT_TRUE(
        jobs.wait(name, [](const text::Object& job) { return StandaloneFixture::has_phase(job, "Completed"); }));
  }
  EXPECT_THAT(fixture.page("/metrics"), HasSubstr("basalt_certificate_expiration_timestamp_seconds{certificate=\"ser"));
  EXPECT_EQ(fixture.page("/readyz"), "ok");
  fixture.stop();
}

// What ThreadSanitizer says about it is the other half of this test.
TEST_F(StandaloneTest, ManyClientsAtOnceWhileItWorksAndWhileItStops) {
  constexpr size_t kClients = 4;
  constexpr int kGangs = 3;
  fixture.start();
  std::vector<std::unique_ptr<client::ObjectClient>> clients;
  for (size_t i = 0; i < kClients; ++i) clients.push_back(fixture.connect());
  std::atomic<bool> over = false;
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      while (!over) {
        const bool pods = i % 2 == 0;
        static_cast<void>(clients[i]->call({.verb = api::Verb::List,
                                            .resource = pods ? StandaloneFixture::kPods : StandaloneFixture::kQueues,
                                            .limit = 5}));
        if (i == 0 && !over) static_cast<void>(fixture.page("/metrics"));
      }
    });
  }
  WatchedObjects jobs(fixture.client(), StandaloneFixture::kJobs);
  for (int i = 0; i < kGangs; ++i) {
    fixture.create(StandaloneFixture::kJobs, "default",
                   StandaloneFixture::gang("gang-" + std::to_string(i), 3, kContainer, kSimulated));
  }
  for (int i = 0; i < kGangs; ++i) {
    EXPECT_TRUE(jobs.wait("gang-" + std::to_string(i),
                          [](const text::Object& job) { return StandaloneFixture::has_phase(job, "Completed"); }));
  }
  fixture.cluster().stop(std::chrono::seconds(2));
  over = true;
}

TEST_F(StandaloneTest, ASecondStartFindsWhatWasKept) {
  fixture.options.ephemeral = false;
  fixture.start();
  fixture.create(StandaloneFixture::kNamespaces, "", "{apiVersion: v1, kind: Namespace, metadata: {name: kept}}");
  const std::string before = fixture.kubeconfig();
  fixture.stop();
  fixture.start();
  EXPECT_EQ(fixture.kubeconfig(), before);
  EXPECT_TRUE(
      fixture.client().call({.verb = api::Verb::Get, .resource = StandaloneFixture::kNamespaces, .name = "kept"}));
}

TEST_F(StandaloneTest, NothingStartsInSomebodysDirectoryOrOverSomebodysKubeconfig) {
  std::filesystem::create_directories(fixture.options.state / "documents");
  const auto refused = up::Standalone::start(fixture.options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("not empty"));
  fixture.options.state = fixture.directory() / "fresh";
  fixture.options.kubeconfig = fixture.directory();
  EXPECT_FALSE(up::Standalone::start(fixture.options));
}

}  // namespace
}  // namespace basalt::tests

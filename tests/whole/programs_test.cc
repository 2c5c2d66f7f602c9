// vc-scheduler, vc-controller-manager, vc-webhook-manager and simulated nodes, each as its main function runs it, on an
// API server over HTTPS. A thread stands for a process: signals are sent to it alone.
#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>
#include <thread>
#include <vector>

#include "kube/api/object_fields.h"
#include "kube/net/server.h"
#include "programs/daemon/daemon_verbs.h"
#include "tests/whole/standalone_fixture.h"

namespace basalt::tests {
namespace {

constexpr std::string_view kSpace = "volcano-system";  // made by the server itself

class Program {
 public:
  using Run = int (*)(cli::Words);

  Program(Run run, std::vector<std::string> words)
      : words_(std::move(words)), thread_([this, run] {
          std::vector<char*> mine;
          for (std::string& word : words_) mine.push_back(word.data());
          code_ = run(mine);
        }) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (thread_.joinable()) end();
  }
  // As SIGTERM would; answers the exit code.
  int end() {
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
    return code_;
  }

 private:
  std::vector<std::string> words_;
  int code_ = -1;
  std::thread thread_;
};

uint16_t free_port() {
  const auto probe = net::Server::start({.threads = 1}, [](const std::shared_ptr<net::HttpExchange>&) {});
  return probe ? (*probe)->port() : uint16_t{0};
}

class ProgramsTest : public testing::Test {
 protected:
  ProgramsTest() {
    // Before any thread: whoever has no program to end must not be ended.
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    fixture.options.components.api_only = true;
    fixture.start();
    ::setenv("DEBUG_SOCKET_DIR", (fixture.directory() / "socks").c_str(), 1);
  }

  [[nodiscard]] std::unique_ptr<Program> start(Program::Run run, std::vector<std::string> more) {
    more.push_back("--kubeconfig=" + fixture.kubeconfig());
    return std::make_unique<Program>(run, std::move(more));
  }
  // One of several replicas.
  [[nodiscard]] std::unique_ptr<Program> start_replica(Program::Run run, std::vector<std::string> more = {}) {
    for (const char* word :
         {"--leader-elect=true", "--leader-elect-retry-period=200ms", "--enable-healthz=true",
          "--healthz-address=127.0.0.1:0", "--enable-metrics=true", "--listen-address=127.0.0.1:0"}) {
      more.emplace_back(word);
    }
    more.push_back("--leader-elect-resource-namespace=" + std::string(kSpace));
    return start(run, std::move(more));
  }

  StandaloneFixture fixture;
};

std::string holder_of(const text::Object& lease) {
  return std::string(api::string_at(lease, {"spec", "holderIdentity"}));
}

TEST_F(ProgramsTest, TogetherTheyRunAGangAndAnotherReplicaGoesOn) {
  WatchedObjects leases(fixture.client(), StandaloneFixture::kLeases), jobs(fixture.client(), StandaloneFixture::kJobs);
  const auto nodes = start(daemon::run_nodes, {"--simulated-nodes=2:cpu=8,memory=32Gi", "--upkeep=true"});
  const auto controllers = start_replica(daemon::run_controllers);
  auto first = start_replica(daemon::run_scheduler);
  std::string leader;
  ASSERT_TRUE(leases.wait("volcano", [&](const text::Object& lease) { return !(leader = holder_of(lease)).empty(); }));
  const auto second = start_replica(daemon::run_scheduler);

  const std::string container = "{name: c, image: none, resources: {requests: {cpu: 1}}}";
  const auto completes = [&](const std::string& name) {
    fixture.create(StandaloneFixture::kJobs, "default", StandaloneFixture::gang(name, 3, container, ""));
    return jobs.wait(name, [](const text::Object& job) { return StandaloneFixture::has_phase(job, "Completed"); });
  };
  EXPECT_TRUE(completes("before"));
  EXPECT_EQ(first->end(), cli::kOk);
  ASSERT_TRUE(leases.wait(
      "volcano", [&](const text::Object& lease) { return !holder_of(lease).empty() && holder_of(lease) != leader; }));
  EXPECT_TRUE(completes("after"));
  EXPECT_EQ(second->end(), cli::kOk);
  EXPECT_EQ(controllers->end(), cli::kOk);
  EXPECT_EQ(nodes->end(), cli::kOk);
}

TEST_F(ProgramsTest, TheWebhookServerMakesItsSecretAndEnds) {
  const std::string port = std::to_string(free_port());
  const auto webhook = start(daemon::run_webhook,
                             {"--port=" + port, "--listen-address=127.0.0.1", "--webhook-url=https://127.0.0.1:" + port,
                              "--enable-healthz=true", "--webhook-namespace=" + std::string(kSpace),
                              "--create-configurations=true", "--graceful-shutdown-time=10ms"});
  WatchedObjects secrets(fixture.client(), {.group = "", .version = "v1", .plural = "secrets"});
  EXPECT_TRUE(secrets.wait("volcano-admission-secret", [](const text::Object&) { return true; }));
  EXPECT_EQ(webhook->end(), cli::kOk);
}

}  // namespace
}  // namespace basalt::tests

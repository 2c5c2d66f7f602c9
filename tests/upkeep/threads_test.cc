// A cluster as it runs: a durable store with its committing thread, upkeep on a thread of its own, and clients on
// others that create, change, delete, list and watch. What they leave behind must be whole; what ThreadSanitizer says
// about the way there is the other half of this test.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "control/kubernetes/kube_controller_manager.h"
#include "kube/api/object_fields.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt {
namespace {

constexpr int kPodWriters = 4;
constexpr int kPodsPerWriter = 40;

api::Call call_of(api::Verb verb, std::string plural, std::string ns, std::string name = "") {
  return {.verb = verb,
          .resource = {.group = "", .version = "v1", .plural = std::move(plural)},
          .namespace_name = std::move(ns),
          .name = std::move(name)};
}

class RunningCluster : public testing::Test {
 protected:
  RunningCluster() {
    std::string pattern = (std::filesystem::temp_directory_path() / "basalt-threads-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto store = store::Store::open(folder_ / "store.db");
    EXPECT_TRUE(store) << store.error().message;
    store_ = std::move(*store);
    server_ = std::make_unique<server::ApiServer>(*store_, server::ApiServerOptions{.clock = kClock, .seed = 3});
    client_ = std::make_unique<server::InProcessClient>(
        *server_, api::UserInfo{.name = "test", .uid = "", .groups = {"system:masters"}}, "test");
    EXPECT_TRUE(server::bootstrap(*client_));
  }
  ~RunningCluster() override {
    client_.reset();
    server_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string create(std::string plural, std::string ns, std::string_view json) {
    api::Call call = call_of(api::Verb::Create, std::move(plural), std::move(ns));
    call.body = text::parse_json(json).value();
    const auto made = client_->call(std::move(call));
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::string(api::string_at(made->object->get_object(), {"metadata", "uid"})) : "";
  }

  // Half of a writer's pods are owned by a map that goes; every fourth of the others goes by itself.
  void write_pods(int writer) {
    const std::string owner = fmt::format("owner-{}", writer);
    const std::string uid = create("configmaps", "busy", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", owner));
    for (int i = 0; i < kPodsPerWriter; ++i) {
      const std::string name = fmt::format("p-{}-{}", writer, i);
      const std::string owned =
          i % 2 == 0 ? ""
                     : fmt::format(R"(,"ownerReferences":[{{"apiVersion":"v1","kind":"ConfigMap","name":"{}",)"
                                   R"("uid":"{}"}}])",
                                   owner, uid);
      create("pods", "busy",
             fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"app":"a"}}{}}},"spec":{{"containers":[{{"name":"c",)"
                         R"("image":"i","resources":{{"requests":{{"cpu":"1"}}}}}}]}}}})",
                         name, owned));
      api::Call label = call_of(api::Verb::Patch, "pods", "busy", name);
      label.patch = api::PatchType::Merge;
      label.body = text::parse_json(R"({"metadata":{"labels":{"seen":"yes"}}})").value();
      EXPECT_TRUE(client_->call(std::move(label)));
      if (i % 8 != 0) continue;
      EXPECT_TRUE(client_->call(call_of(api::Verb::List, "pods", "busy")));
      EXPECT_TRUE(client_->call(call_of(api::Verb::Delete, "pods", "busy", name)));
    }
    EXPECT_TRUE(client_->call(call_of(api::Verb::Delete, "configmaps", "busy", owner)));
  }

  // Opens watches and closes them while events come.
  void watch_pods(const std::atomic<bool>& over) {
    while (!over) {
      std::mutex mutex;
      size_t events = 0;
      const auto watch = client_->watch(call_of(api::Verb::Watch, "pods", "busy"), [&](const client::WatchEvent&) {
        const std::lock_guard lock(mutex);
        ++events;
      });
      EXPECT_TRUE(client_->call(call_of(api::Verb::List, "pods", "busy")));
    }
  }

  inline static const auto kClock = [] { return Instant::from_unix_seconds(1'700'000'000); };
  std::filesystem::path folder_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<server::InProcessClient> client_;
};

TEST_F(RunningCluster, ManyClientsLeaveItWhole) {
  create("namespaces", "", R"({"metadata":{"name":"busy"}})");
  create("resourcequotas", "busy", R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"1k","requests.cpu":"1k"}}})");
  {
    kubernetes::KubeControllerManager upkeep(*client_, {.clock = kClock, .periods = {}});
    upkeep.start();
    std::atomic<bool> over = false;
    std::thread watcher([&] { watch_pods(over); });
    std::vector<std::thread> writers;
    for (int i = 0; i < kPodWriters; ++i) writers.emplace_back([this, i] { write_pods(i); });
    for (std::thread& writer : writers) writer.join();
    over = true;
    watcher.join();
    upkeep.stop();
  }
  // Another one finishes what the first had no time for.
  kubernetes::KubeControllerManager upkeep(*client_, {.clock = {}, .periods = {}});
  for (Instant now = kClock(); now < kClock() + Duration::seconds(5); now = now + Duration::seconds(1)) {
    upkeep.step(now);
  }
  const auto pods = client_->call(call_of(api::Verb::List, "pods", "busy"));
  ASSERT_TRUE(pods);
  const size_t left = kPodWriters * (kPodsPerWriter / 2 - kPodsPerWriter / 8);
  EXPECT_EQ(pods->items.size(), left);
  for (const client::ObjectPtr& pod : pods->items) {
    EXPECT_EQ(api::string_at(pod->get_object(), {"metadata", "labels", "seen"}), "yes");
  }
  const auto quota = client_->call(call_of(api::Verb::Get, "resourcequotas", "busy", "q"));
  ASSERT_TRUE(quota);
  EXPECT_EQ(api::string_at(quota->object->get_object(), {"status", "used", "pods"}), fmt::format("{}", left));
  EXPECT_EQ(api::string_at(quota->object->get_object(), {"status", "used", "requests.cpu"}), fmt::format("{}", left));
}

}  // namespace
}  // namespace basalt

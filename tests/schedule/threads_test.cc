// The scheduler on its own thread, while others write to the same server.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

#include "control/scheduler/scheduler.h"
#include "control/scheduler/self_check.h"
#include "kube/api/object_fields.h"
#include "kube/client/wall_clock.h"
#include "kube/text/yaml.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt {
namespace {

constexpr int kGroups = 20, kMembers = 10;
constexpr std::chrono::seconds kTestTimeout{120};  // only reached when it fails

using client::wall_clock;

void create(client::ObjectClient& client, const api::GroupVersionResource& resource, std::string_view ns,
            std::string_view yaml) {
  api::Call call{.verb = api::Verb::Create, .resource = resource};
  call.namespace_name = ns;
  call.body = text::parse_yaml(yaml).value().value;
  const client::ReplyOrError outcome = client.call(std::move(call));
  ASSERT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

// Pods that were told with a node.
struct BoundPods {
  std::mutex mutex;
  std::condition_variable more;
  std::set<std::string> names;

  void see(const client::WatchEvent& event) {
    if (event.object == nullptr || !event.object->is_object()) return;
    const text::Object& root = event.object->get_object();
    if (api::string_at(root, {"spec", "nodeName"}).empty()) return;
    const std::lock_guard lock(mutex);
    names.emplace(api::name_of(root));
    more.notify_all();
  }
  bool wait_for(size_t count) {
    std::unique_lock lock(mutex);
    return more.wait_for(lock, kTestTimeout, [&] { return names.size() >= count; });
  }
};

TEST(SchedulerThread, PlacesWhatOthersCreateAndStopsCleanly) {
  const auto store = store::Store::in_memory();
  server::ApiServer api(*store, {.clock = wall_clock, .seed = 7, .admission = {}});
  const auto client_of = [&](std::string_view name) {
    return server::InProcessClient(api, {.name = std::string(name), .uid = "", .groups = {"system:masters"}},
                                   std::string(name));
  };
  server::InProcessClient user = client_of("user"), ours = client_of("vc-scheduler");
  ASSERT_TRUE(server::bootstrap(user, {.queues = true}).has_value());
  // Nobody takes the taint away that new nodes get: the pods tolerate it.
  const api::GroupVersionResource pods{.group = "", .version = "v1", .plural = "pods"};
  for (int n = 0; n < 10; ++n) {
    create(user, {.group = "", .version = "v1", .plural = "nodes"}, "",
           fmt::format(R"({{apiVersion: v1, kind: Node, metadata: {{name: n{}}},
               status: {{allocatable: {{cpu: "32", memory: 64Gi, pods: "110"}}}}}})",
                       n));
  }
  scheduler::SchedulerOptions options;
  options.clock = wall_clock;
  options.self_check = Duration::millis(20);  // so that it runs beside the work
  auto made = scheduler::Scheduler::make(ours, std::move(options));
  ASSERT_TRUE(made.has_value());
  scheduler::Scheduler& scheduler = **made;
  scheduler.start();

  BoundPods bound;
  const auto watch = user.watch({.verb = api::Verb::Watch, .resource = pods},
                                [&](const client::WatchEvent& event) { bound.see(event); });
  for (int g = 0; g < kGroups; ++g) {
    create(user, {.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "podgroups"}, "default",
           fmt::format(R"({{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {{name: g{}}},
               spec: {{minMember: {}, queue: default}}}})",
                       g, kMembers));
    for (int m = 0; m < kMembers; ++m) {
      create(user, pods, "default",
             fmt::format(R"({{apiVersion: v1, kind: Pod, metadata: {{name: g{0}-t-{1},
                 annotations: {{scheduling.k8s.io/group-name: g{0}}}}}, spec: {{
                 schedulerName: volcano, tolerations: [{{operator: Exists}}],
                 containers: [{{name: c, image: i, resources: {{requests: {{cpu: "1"}}}}}}]}}}})",
                         g, m));
    }
    (void)scheduler.metrics_text();
  }
  EXPECT_TRUE(bound.wait_for(static_cast<size_t>(kGroups) * kMembers));
  scheduler.stop();
  EXPECT_EQ(scheduler.counters().differences, 0U);
  EXPECT_EQ(scheduler.counters().refused, 0U);
  EXPECT_EQ(scheduler.state().verify(), "");
}

}  // namespace
}  // namespace basalt

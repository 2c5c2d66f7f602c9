#include "lab/bench/bench_kubernetes_load.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "control/loop/api_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_queue_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::lab {
namespace {

using Clock = std::chrono::steady_clock;

const api::GroupVersionResource kLoadPods{.group = "", .version = "v1", .plural = "pods"};
const api::GroupVersionResource kLoadNodes{.group = "", .version = "v1", .plural = "nodes"};
const api::GroupVersionResource kLoadGroups{
    .group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "podgroups"};
const api::GroupVersionResource kJobs{.group = "batch.volcano.sh", .version = "v1alpha1", .plural = "jobs"};
constexpr int64_t kPageSize = 500;

std::string gang_name(const KubeLoad& load, size_t gang) { return fmt::format("{}{:05}", load.prefix, gang); }

text::Object metadata_of(const KubeLoad& load, std::string_view name) {
  return {{"name", name}, {"namespace", load.namespace_name}, {"labels", text::Object{{kBenchLabel, "load"}}}};
}

text::Object pod_spec(const KubeLoad& load) {
  text::Object container{{"name", "main"},
                         {"image", "busybox:1.36"},
                         {"command", text::Array{"sleep", "3600"}},
                         {"resources", text::Object{{"requests", text::Object{{"cpu", load.cpu}, {"memory", "1Gi"}}}}}};
  return {{"restartPolicy", "Never"},
          {"schedulerName", load.scheduler_name},
          {"containers", text::Array{std::move(container)}}};
}

text::Object pod_object(const KubeLoad& load, size_t gang, size_t index) {
  text::Object metadata = metadata_of(load, load.pod_name(gang, index));
  metadata["annotations"] = text::Object{{api::keys::kGroupName, gang_name(load, gang)}};
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", std::move(metadata)}, {"spec", pod_spec(load)}};
}

text::Object group_object(const KubeLoad& load, size_t gang) {
  return {{"apiVersion", "scheduling.volcano.sh/v1beta1"},
          {"kind", "PodGroup"},
          {"metadata", metadata_of(load, gang_name(load, gang))},
          {"spec", text::Object{{"minMember", static_cast<int64_t>(load.size)}, {"queue", api::keys::kDefaultQueue}}}};
}

text::Object job_object(const KubeLoad& load, size_t number) {
  text::Object pod{{"metadata", text::Object{{"labels", text::Object{{kBenchLabel, "load"}}}}},
                   {"spec", pod_spec(load)}};
  text::Object task{{"name", "worker"}, {"replicas", static_cast<int64_t>(load.size)}, {"template", std::move(pod)}};
  return {{"apiVersion", "batch.volcano.sh/v1alpha1"},
          {"kind", "Job"},
          {"metadata", metadata_of(load, gang_name(load, number))},
          {"spec", text::Object{{"schedulerName", load.scheduler_name},
                                {"queue", api::keys::kDefaultQueue},
                                {"minAvailable", static_cast<int64_t>(load.size)},
                                {"tasks", text::Array{std::move(task)}}}}};
}

// The `number`-th object of a load: a gang's PodGroup comes before its pods.
api::Call create_call(const KubeLoad& load, size_t number, PodTimeline& schedule) {
  if (load.kind == KubeLoad::Kind::Jobs) return loop::create(kJobs, job_object(load, number));
  const size_t gang = number / (load.size + 1);
  const size_t index = number % (load.size + 1);
  if (index == 0) return loop::create(kLoadGroups, group_object(load, gang));
  schedule.send(load.pod_name(gang, index - 1));
  return loop::create(kLoadPods, pod_object(load, gang, index - 1));
}

api::Call bind_call(const KubeLoad& load, size_t number, size_t nodes) {
  return loop::bind({.resource = kLoadPods,
                     .namespace_name = load.namespace_name,
                     .name = load.pod_name(number / load.size, number % load.size),
                     .uid = "",
                     .version = ""},
                    fmt::format("{}{}", kBenchPrefix, number % nodes));
}

// A server that says "later" is asked again: kinds that were just defined are not served at once.
client::ReplyOrError call_patiently(client::ObjectClient& client, const api::Call& call) {
  constexpr int kTooMany = 429, kMaxTries = 30;
  for (int tries = 1;; ++tries) {
    client::ReplyOrError outcome = client.call(call);
    if (outcome || outcome.error().code != kTooMany || tries == kMaxTries) return outcome;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

// Sends calls 0 … count-1 in order, `clients` at a time.
Result<LoadResult> send_all(client::ObjectClient& client, size_t count, size_t clients,
                            const std::function<api::Call(size_t)>& make) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::optional<std::string> refusal;
  const Clock::time_point start = Clock::now();
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::min(clients, count); ++i) {
    threads.emplace_back([&] {
      for (size_t number = next++; number < count; number = next++) {
        const client::ReplyOrError outcome = call_patiently(client, make(number));
        if (outcome) continue;
        next = count;
        const std::lock_guard lock(mutex);
        if (!refusal) refusal = outcome.error().message;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (refusal) return failure(ErrorCode::Io, "the cluster refused a write of the load: " + *refusal);
  return LoadResult{.seconds = std::chrono::duration<double>(Clock::now() - start).count(), .objects = count};
}

// Deletes all objects that the bench has made, at once.
Result<void> remove_labelled(client::ObjectClient& client, const api::GroupVersionResource& resource,
                             const std::string& namespace_name) {
  api::Call call{.verb = api::Verb::DeleteCollection, .resource = resource};
  call.namespace_name = namespace_name;
  call.label_selector = kBenchLabel;
  call.body = text::Object{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"gracePeriodSeconds", 0}};
  const client::ReplyOrError outcome = call_patiently(client, call);
  if (!outcome && outcome.error().code != 404) {
    return failure(ErrorCode::Io, fmt::format("{} could not be deleted: {}", resource.plural, outcome.error().message));
  }
  return {};
}

// PodGroups that a controller has made have no label of ours.
Result<void> remove_named_groups(client::ObjectClient& client, const std::string& namespace_name) {
  api::Call list{
      .verb = api::Verb::List, .resource = kLoadGroups, .namespace_name = namespace_name, .limit = kPageSize};
  do {
    const client::ReplyOrError page = client.call(list);
    if (!page && page.error().code == 404) return {};
    if (!page) return failure(ErrorCode::Io, "podgroups could not be listed: " + page.error().message);
    for (const client::ObjectPtr& group : page->items) {
      if (!group->is_object() || !api::name_of(group->get_object()).starts_with(kBenchPrefix)) continue;
      (void)client.call(loop::remove(loop::target_of(kLoadGroups, group->get_object())));
    }
    list.continue_token = page->continue_token;
  } while (!list.continue_token.empty());
  return {};
}

}  // namespace

std::string KubeLoad::pod_name(size_t gang, size_t index) const {
  return fmt::format("{}{:05}-{}", prefix, gang, index);
}

Result<void> open_queue(client::ObjectClient& client) {
  const api::GroupVersionResource queues{.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "queues"};
  const client::ReplyOrError made =
      call_patiently(client, loop::create(queues, {{"apiVersion", "scheduling.volcano.sh/v1beta1"},
                                                   {"kind", "Queue"},
                                                   {"metadata", text::Object{{"name", api::keys::kDefaultQueue}}},
                                                   {"spec", text::Object{{"weight", 1}, {"reclaimable", true}}}}));
  if (!made && made.error().code == 404) return {};
  const client::ReplyOrError queue = call_patiently(
      client, {.verb = api::Verb::Get, .resource = queues, .name = std::string(api::keys::kDefaultQueue)});
  if (!queue) return failure(ErrorCode::Io, "the queue default cannot be read: " + queue.error().message);
  const text::Object* object = queue->object == nullptr ? nullptr : queue->object->if_object();
  if (object == nullptr || api::QueueView(*object).status().state() == "Open") return {};
  loop::WriteTarget target = loop::target_of(queues, *object);
  target.version.clear();
  const client::ReplyOrError opened = call_patiently(client, loop::patch_status(target, {{"state", "Open"}}));
  if (!opened) return failure(ErrorCode::Io, "the queue default cannot be opened: " + opened.error().message);
  return {};
}

Result<LoadResult> send_load(client::ObjectClient& client, const KubeLoad& load, PodTimeline& schedule) {
  const bool jobs = load.kind == KubeLoad::Kind::Jobs;
  return send_all(client, jobs ? load.gangs : load.gangs * (load.size + 1), load.clients,
                  [&](size_t number) { return create_call(load, number, schedule); });
}

Result<LoadResult> bind_load(client::ObjectClient& client, const KubeLoad& load, size_t nodes) {
  return send_all(client, load.pods(), load.clients, [&](size_t number) { return bind_call(load, number, nodes); });
}

Result<void> remove_load(client::ObjectClient& client, const std::string& namespace_name, bool nodes) {
  for (const api::GroupVersionResource& resource : {kJobs, kLoadPods, kLoadGroups}) {
    if (auto done = remove_labelled(client, resource, namespace_name); !done) return done;
  }
  if (auto done = remove_named_groups(client, namespace_name); !done) return done;
  return nodes ? remove_labelled(client, kLoadNodes, "") : Result<void>();
}

}  // namespace basalt::lab

#include "tests/life/random_life.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kube/api/object_fields.h"

namespace basalt::lab {
namespace {

constexpr std::array<std::string_view, 7> kEvents = {"PodFailed",  "PodEvicted", "PodPending", "TaskCompleted",
                                                     "TaskFailed", "Unknown",    "*"};
constexpr std::array<std::string_view, 8> kActions = {"AbortJob",         "RestartJob",   "RestartTask", "RestartPod",
                                                      "RestartPartition", "TerminateJob", "CompleteJob", "ResumeJob"};
constexpr std::array<std::string_view, 4> kOver = {"Completed", "Failed", "Terminated", "Aborted"};
constexpr size_t kJobCount = 2;
constexpr size_t kToldSteps = 12;

bool is_over(std::string_view phase) { return std::ranges::find(kOver, phase) != kOver.end(); }

}  // namespace

RandomLife::RandomLife(uint64_t seed) : rng_(seed), checks_(cluster_) {}

std::string RandomLife::live(size_t steps) {
  for (size_t number = 0; number < kJobCount; ++number) submit(number);
  for (size_t at = 0; at < steps; ++at) {
    step();
    std::string wrong;
    if (auto settled = cluster_.settle(); !settled) wrong = settled.error().message;
    if (wrong.empty()) wrong = checks_.check_all();
    if (wrong.empty() && rng_.chance(0.1)) wrong = checks_.check_idle();
    if (wrong.empty()) continue;
    const size_t first = last_steps_.size() > kToldSteps ? last_steps_.size() - kToldSteps : 0;
    std::string story = fmt::format("step {}: {}\nthe last steps:\n", at, wrong);
    for (size_t i = first; i < last_steps_.size(); ++i) story += "  " + last_steps_[i] + "\n";
    return story + checks_.dump();
  }
  return "";
}

void RandomLife::step() {
  const uint64_t dice = rng_.below(100);
  if (dice < 50) return move_pod();
  if (dice < 57) return evict_pod();
  if (dice < 62) return command();
  if (dice < 67) return scale();
  if (dice < 69) return lose_group();
  if (dice < 77) return crash();
  if (dice < 86) return pass_time();
  if (dice < 94) return submit(rng_.below(kJobCount));
  if (dice < 95) {
    cluster_.enqueues = !cluster_.enqueues;
    last_steps_.push_back(cluster_.enqueues ? "the scheduler admits" : "the scheduler holds");
  } else if (dice < 97) {
    cluster_.ends_pods = !cluster_.ends_pods;
    last_steps_.push_back(cluster_.ends_pods ? "deletion is quick" : "deletion is slow");
  } else {
    cluster_.finish_deletions();
    last_steps_.emplace_back("pods vanish");
  }
}

std::vector<client::ObjectPtr> RandomLife::objects(const api::GroupVersionResource& resource) {
  return cluster_.list(resource, "default");
}

void RandomLife::create(const api::GroupVersionResource& resource, text::Object object) {
  api::Call call{.verb = api::Verb::Create, .resource = resource};
  call.namespace_name = "default";
  call.body = std::move(object);
  (void)cluster_.user().call(std::move(call));  // the name may be taken
}

text::Array RandomLife::random_policies() {
  text::Array policies;
  std::vector<std::string_view> used;
  for (uint64_t left = rng_.below(3); left > 0; --left) {
    const std::string_view event = one_of(kEvents);
    if ((event == "*" && !used.empty()) || std::ranges::find(used, event) != used.end()) continue;
    used.push_back(event);
    text::Object policy{{"event", event}, {"action", one_of(kActions)}};
    if (rng_.chance(0.3)) policy["timeout"] = fmt::format("{}s", rng_.between(1, 40));
    policies.emplace_back(std::move(policy));
    if (event == "*") break;
  }
  return policies;
}

text::Object RandomLife::random_job(size_t number) {
  const auto task = [&](std::string_view name, int64_t replicas) {
    return text::Object{
        {"name", name},
        {"replicas", replicas},
        {"minAvailable", rng_.between(0, replicas)},
        {"policies", random_policies()},
        {"template", text::Object{{"spec", text::Object{{"restartPolicy", "Never"},
                                                        {"containers",
                                                         text::Array{text::Object{{"name", "c"}, {"image", "i"}}}}}}}}};
  };
  text::Object first = task("a", 4);
  if (rng_.chance(0.4)) first["partitionPolicy"] = text::Object{{"totalPartitions", 2}, {"partitionSize", 2}};
  text::Object second = task("b", rng_.between(1, 3));
  if (rng_.chance(0.3)) second["dependsOn"] = text::Object{{"name", text::Array{"a"}}};
  text::Object spec{{"minAvailable", rng_.between(1, 5)},
                    {"maxRetry", rng_.between(1, 4)},
                    {"policies", random_policies()},
                    {"tasks", text::Array{std::move(first), std::move(second)}}};
  if (rng_.chance(0.4)) spec["ttlSecondsAfterFinished"] = rng_.between(0, 90);
  if (rng_.chance(0.2)) spec["minSuccess"] = rng_.between(1, 3);
  if (rng_.chance(0.3)) spec["plugins"] = text::Object{{"svc", text::Array{}}, {"ssh", text::Array{}}};
  return {{"apiVersion", "batch.volcano.sh/v1alpha1"},
          {"kind", "Job"},
          {"metadata", text::Object{{"name", fmt::format("j{}", number)}}},
          {"spec", std::move(spec)}};
}

void RandomLife::submit(size_t number) {
  text::Object job = random_job(number);
  const client::ObjectPtr old = cluster_.get(kLifeJobs, "default", api::name_of(job));
  if (old != nullptr && is_over(api::string_at(old->get_object(), {"status", "state", "phase"}))) {
    api::Call call{.verb = api::Verb::Delete, .resource = kLifeJobs};
    call.namespace_name = "default";
    call.name = api::name_of(job);
    last_steps_.push_back(fmt::format("delete {}", call.name));
    (void)cluster_.user().call(std::move(call));
    (void)cluster_.settle();
  }
  last_steps_.push_back(fmt::format("submit {}", text::to_json(job)));
  create(kLifeJobs, std::move(job));
}

void RandomLife::move_pod() {
  const std::vector<client::ObjectPtr> pods = objects(kLifePods);
  if (pods.empty()) return;
  const text::Object& pod = one_of(pods)->get_object();
  const std::string_view phase = api::string_at(pod, {"status", "phase"});
  if (phase == "Succeeded" || phase == "Failed") return;
  LifePodReport report{.phase = "Running"};
  if (phase == "Running" || rng_.chance(0.1)) {
    const uint64_t dice = rng_.below(10);
    if (dice < 5) report.phase = "Succeeded";
    if (dice >= 5 && dice < 8) report = {.phase = "Failed", .exit_code = static_cast<int>(rng_.below(4))};
    if (dice >= 8) report.restarts = static_cast<int>(rng_.below(3));
  }
  last_steps_.push_back(fmt::format("pod {} {} exit {}", api::name_of(pod), report.phase, report.exit_code));
  (void)cluster_.report("default", api::name_of(pod), report);
}

void RandomLife::evict_pod() {
  const std::vector<client::ObjectPtr> pods = objects(kLifePods);
  if (pods.empty()) return;
  api::Call call{.verb = api::Verb::Delete, .resource = kLifePods};
  call.namespace_name = "default";
  call.name = api::name_of(one_of(pods)->get_object());
  last_steps_.push_back(fmt::format("evict {}", call.name));
  (void)cluster_.user().call(std::move(call));
}

void RandomLife::command() {
  const std::vector<client::ObjectPtr> jobs = objects(kLifeJobs);
  if (jobs.empty()) return;
  const text::Object& job = one_of(jobs)->get_object();
  const text::Object target{{"apiVersion", "batch.volcano.sh/v1alpha1"},
                            {"kind", "Job"},
                            {"name", api::name_of(job)},
                            {"uid", api::string_at(job, {"metadata", "uid"})}};
  const std::string_view action = rng_.chance(0.3) ? "ResumeJob" : one_of(kActions);
  last_steps_.push_back(fmt::format("command {} {}", api::name_of(job), action));
  create({.group = "bus.volcano.sh", .version = "v1alpha1", .plural = "commands"},
         {{"apiVersion", "bus.volcano.sh/v1alpha1"},
          {"kind", "Command"},
          {"metadata", text::Object{{"generateName", "c-"}}},
          {"action", action},
          {"target", target}});
}

void RandomLife::scale() {
  const std::vector<client::ObjectPtr> jobs = objects(kLifeJobs);
  if (jobs.empty()) return;
  const text::Object& job = one_of(jobs)->get_object();
  text::Object spec = *api::object_at(job, {"spec"});
  text::Object& task = api::array_in(spec, "tasks").at(1).get_object();
  const int64_t replicas = rng_.between(0, 5);
  task["replicas"] = replicas;
  task["minAvailable"] = rng_.between(0, replicas);
  spec["minAvailable"] = rng_.between(0, 4);
  last_steps_.push_back(
      fmt::format("scale {} b {} min {}", api::name_of(job), replicas, text::to_json(spec["minAvailable"])));
  api::Call call{.verb = api::Verb::Patch, .resource = kLifeJobs};
  call.namespace_name = "default";
  call.name = api::name_of(job);
  call.body = text::Object{{"spec", std::move(spec)}};
  (void)cluster_.user().call(std::move(call));
}

void RandomLife::lose_group() {
  const std::vector<client::ObjectPtr> groups = objects(kLifeGroups);
  if (groups.empty()) return;
  api::Call call{.verb = api::Verb::Patch, .resource = kLifeGroups};
  call.namespace_name = "default";
  call.name = api::name_of(one_of(groups)->get_object());
  call.body = text::Object{{"status", text::Object{{"phase", rng_.chance(0.7) ? "Unknown" : "Running"}}}};
  last_steps_.push_back(fmt::format("group {} unknown", call.name));
  (void)cluster_.user().call(std::move(call));
}

void RandomLife::crash() {
  const uint64_t writes = rng_.below(8);
  last_steps_.push_back(fmt::format("crash after {} writes", writes));
  if (writes == 0) return cluster_.crash();
  cluster_.controller_client().crash_after(writes);
}

void RandomLife::pass_time() {
  const int64_t seconds = rng_.between(1, 40);
  last_steps_.push_back(fmt::format("after {}s", seconds));
  if (auto done = cluster_.advance(Duration::seconds(seconds)); !done) last_steps_.push_back(done.error().message);
}

}  // namespace basalt::lab

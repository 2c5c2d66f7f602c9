#include "tests/life/life_checks.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/text/rfc3339.h"

namespace basalt::lab {
namespace {

using api::int_at;
using api::string_at;

bool is_final(std::string_view phase) { return phase == "Completed" || phase == "Failed" || phase == "Terminated"; }
bool is_working(std::string_view phase) { return phase == "Pending" || phase == "Running" || phase == "Restarting"; }
bool is_leaving(const text::Object& object) { return !string_at(object, {"metadata", "deletionTimestamp"}).empty(); }
bool is_alive(const text::Object& pod) {
  const std::string_view phase = string_at(pod, {"status", "phase"});
  return phase != "Succeeded" && phase != "Failed";
}
std::string_view uid_of(const text::Object& object) { return string_at(object, {"metadata", "uid"}); }
std::string_view phase_of(const text::Object& job) { return string_at(job, {"status", "state", "phase"}); }

std::string_view owner_uid(const text::Object& object) {
  const text::Array* owners = api::array_at(object, {"metadata", "ownerReferences"});
  return owners == nullptr || owners->empty() ? std::string_view() : string_at(owners->at(0).get_object(), "uid");
}

// The end of its time to live; kNever: it has none, or has not ended.
Instant end_of_life(const text::Object& job) {
  const int64_t ttl = int_at(job, {"spec", "ttlSecondsAfterFinished"}, -1);
  const auto ended = text::parse_time(string_at(job, {"status", "state", "lastTransitionTime"}));
  if (ttl < 0 || !is_final(phase_of(job)) || !ended) return kNever;
  return *ended + Duration::seconds(ttl);
}

std::string wrong(const text::Object& job, std::string_view what) {
  return fmt::format("job {} ({}): {}", api::name_of(job), phase_of(job), what);
}

}  // namespace

LifeChecks::LifeChecks(LifeCluster& cluster) : cluster_(cluster) {
  cluster_.controller_client().on_write = [this](const api::Call& call) {
    if (call.verb != api::Verb::Delete || call.resource != kLifeJobs) return;
    const client::ObjectPtr job = cluster_.get(kLifeJobs, call.namespace_name, call.name);
    if (job == nullptr) return;
    const Instant end = end_of_life(job->get_object());
    if (!end.is_set() || end > cluster_.now()) too_early_ = wrong(job->get_object(), "deleted before its time");
    seen_phases_.insert("deleted");
    ++deletions_[std::string(uid_of(job->get_object()))];
  };
}

std::string LifeChecks::check_all() {
  if (!too_early_.empty()) return too_early_;
  for (const auto& [uid, times] : deletions_) {
    if (times > 1) return fmt::format("the job with uid {} was deleted {} times", uid, times);
  }
  for (const client::ObjectPtr& job : cluster_.list(kLifeJobs, "default")) {
    if (std::string found = check_job(job->get_object()); !found.empty()) return found;
  }
  return check_owners();
}

std::string LifeChecks::check_job(const text::Object& job) {
  std::string found = check_history(job);
  if (found.empty()) found = check_ttl(job);
  if (found.empty() && !is_leaving(job)) found = check_pods(job);
  return found;
}

std::string LifeChecks::check_history(const text::Object& job) {
  Past& past = past_[std::string(uid_of(job))];
  const std::string_view phase = phase_of(job);
  const int64_t retries = int_at(job, {"status", "retryCount"}), version = int_at(job, {"status", "version"});
  if (retries > int_at(job, {"spec", "maxRetry"})) return wrong(job, fmt::format("{} retries", retries));
  if (retries < past.retries || version < past.version) return wrong(job, "retries or version went back");
  if (is_final(past.phase) && phase != past.phase) return wrong(job, fmt::format("it was {}", past.phase));
  if (past.phase == "Aborted" && phase != "Aborted" && retries == past.retries) {
    return wrong(job, "it was Aborted and nobody resumed it");
  }
  seen_phases_.insert(std::string(phase));
  past = {.phase = std::string(phase), .retries = retries, .version = version};
  return "";
}

std::string LifeChecks::check_ttl(const text::Object& job) {
  const Instant end = end_of_life(job);
  if (end.is_set() && end <= cluster_.now() && !is_leaving(job)) return wrong(job, "its time to live is over");
  return "";
}

std::string LifeChecks::check_pods(const text::Object& job) {
  std::map<std::string, int64_t> counts;
  std::set<std::string> places;
  size_t alive = 0;
  std::map<std::string, int64_t> replicas;
  for (const text::Value& task : *api::array_at(job, {"spec", "tasks"})) {
    replicas[std::string(string_at(task.get_object(), "name"))] = int_at(task.get_object(), {"replicas"});
  }
  for (const client::ObjectPtr& seen : cluster_.list(kLifePods, "default")) {
    const text::Object& pod = seen->get_object();
    if (owner_uid(pod) != uid_of(job)) continue;
    std::string phase = is_leaving(pod) ? "terminating" : std::string(string_at(pod, {"status", "phase"}));
    phase[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(phase[0])));
    ++counts[phase];
    const std::string task(string_at(pod, {"metadata", "labels", "volcano.sh/task-spec"}));
    const std::string index(string_at(pod, {"metadata", "labels", "volcano.sh/task-index"}));
    if (!places.insert(task + "-" + index).second) return wrong(job, fmt::format("two pods for {}-{}", task, index));
    if (is_leaving(pod)) continue;
    alive += is_alive(pod) ? 1 : 0;
    if (is_working(phase_of(job)) && std::stoll(index) >= replicas[task]) {
      return wrong(job, fmt::format("pod {} has no place", api::name_of(pod)));
    }
  }
  for (const std::string_view name : {"pending", "running", "succeeded", "failed", "terminating", "unknown"}) {
    const int64_t told = int_at(job, {"status", name}), there = counts[std::string(name)];
    // What a job counted when it ended stays, whoever takes its pods.
    const bool kept = is_final(phase_of(job)) && told > there && (name == "succeeded" || name == "failed");
    if (told != there && !kept)
      return wrong(job, fmt::format("it tells of {} {} pods, there are {}", told, name, there));
  }
  if (!is_working(phase_of(job)) && alive > 0) return wrong(job, fmt::format("{} pods are alive", alive));
  return "";
}

std::string LifeChecks::check_owners() {
  std::map<std::string, std::string, std::less<>> phases;  // by uid of the job
  for (const client::ObjectPtr& job : cluster_.list(kLifeJobs, "default")) {
    phases[std::string(uid_of(job->get_object()))] = phase_of(job->get_object());
  }
  std::set<std::string, std::less<>> grouped;
  for (const client::ObjectPtr& seen : cluster_.list(kLifeGroups, "default")) {
    const text::Object& group = seen->get_object();
    const auto owner = phases.find(owner_uid(group));
    if (owner == phases.end()) return fmt::format("PodGroup {} has no job", api::name_of(group));
    if (!grouped.insert(std::string(owner->first)).second) return "a job has two PodGroups";
    if (!is_working(owner->second)) return fmt::format("a job that is {} has a PodGroup", owner->second);
  }
  for (const client::ObjectPtr& seen : cluster_.list(kLifePods, "default")) {
    const text::Object& pod = seen->get_object();
    if (!is_leaving(pod) && !phases.contains(owner_uid(pod))) {
      return fmt::format("pod {} has no job", api::name_of(pod));
    }
  }
  return "";
}

std::string LifeChecks::check_idle() {
  // What the server refuses may be tried again: a name may be taken by a pod of an earlier job that is still ending.
  const auto writes = [this] { return cluster_.controller_client().accepted(); };
  const size_t before = writes();
  if (auto settled = cluster_.settle(); !settled) return settled.error().message;
  if (writes() != before) return fmt::format("{} writes at rest", writes() - before);
  cluster_.crash();
  if (auto settled = cluster_.settle(); !settled) return settled.error().message;
  if (writes() != before) return fmt::format("{} writes after a restart at rest", writes() - before);
  return check_all();
}

std::string LifeChecks::dump() {
  std::string text;
  for (const client::ObjectPtr& job : cluster_.list(kLifeJobs, "default")) {
    text += fmt::format("job {} spec {} status {}\n", api::name_of(job->get_object()),
                        text::to_json(*api::value_at(job->get_object(), {"spec"})),
                        text::to_json(*api::value_at(job->get_object(), {"status"})));
  }
  for (const client::ObjectPtr& seen : cluster_.list(kLifePods, "default")) {
    const text::Object& pod = seen->get_object();
    text += fmt::format("pod {} {}{} version {}\n", api::name_of(pod), string_at(pod, {"status", "phase"}),
                        is_leaving(pod) ? " leaving" : "",
                        string_at(pod, {"metadata", "annotations", "volcano.sh/job-version"}));
  }
  return text;
}

}  // namespace basalt::lab

#include <fmt/format.h>

#include <map>
#include <set>

#include "programs/cli/check/check_rules.h"

namespace basalt::cli::checkup {
namespace {

struct JobPods {
  const CheckedJob* job = nullptr;
  Counts counts{};
  std::map<std::pair<std::string_view, int64_t>, const CheckedPod*> places;  // of those that are not terminating
};

constexpr size_t kSucceeded = 2, kFailed = 3;  // in kCounters

size_t counter_of(const CheckedPod& pod) {
  if (pod.terminating) return 4;
  switch (pod.phase) {
    case api::PodPhase::Pending:
      return 0;
    case api::PodPhase::Running:
      return 1;
    case api::PodPhase::Succeeded:
      return kSucceeded;
    case api::PodPhase::Failed:
      return kFailed;
    case api::PodPhase::Unknown:
      break;
  }
  return 5;
}

std::string counts_text(const Counts& counts) {
  std::string text;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i], kCounters[i]);
  }
  return text.empty() ? "none" : text;
}

Finding about(const CheckedPod& pod, std::string_view rule, std::string message) {
  return {.rule = rule, .kind = "Pod", .object = pod.key(), .message = std::move(message)};
}

// Whether the job has such a place, under that name.
bool has_place(const CheckedJob& job, const CheckedPod& pod) {
  for (const CheckedTask& task : job.tasks) {
    const bool named = task.name.empty() ? pod.task == "default" : pod.task == task.name;
    if (named && pod.index >= 0 && pod.index < task.replicas) {
      return pod.name == fmt::format("{}-{}-{}", job.name, task.name, pod.index);
    }
  }
  return false;
}

void take_pod(JobPods& pods, const CheckedPod& pod, std::vector<Finding>& findings) {
  const CheckedJob& job = *pods.job;
  if (pod.task.empty()) return;  // not from its templates
  ++pods.counts[counter_of(pod)];
  if (pod.terminating || job.terminating) return;
  if (pod.alive() && job.is_over()) {
    findings.push_back(about(pod, kPodOutlives, fmt::format("it lives, its job {} is {}", job.name, job.phase)));
  }
  if (pod.alive() && !has_place(job, pod)) {
    findings.push_back(about(
        pod, kPodMisplaced,
        fmt::format("its job {} has no pod of this name as number {} of task {}", job.name, pod.index, pod.task)));
  }
  const auto [place, first] = pods.places.try_emplace({pod.task, pod.index}, &pod);
  if (first) return;
  Finding twice = about(pod, kPodTwice,
                        fmt::format("pod {} is number {} of task {} of the job {} too", place->second->name, pod.index,
                                    pod.task, job.name));
  twice.firm = true;
  findings.push_back(std::move(twice));
}

// The indices of a task that have no pod, as far as a reader wants to see them.
void check_task(const JobPods& pods, const CheckedTask& task, std::vector<Finding>& findings) {
  constexpr size_t kMaxShown = 5;
  const std::string_view name = task.name.empty() ? std::string_view("default") : std::string_view(task.name);
  std::set<int64_t> there;
  for (auto place = pods.places.lower_bound({name, 0}); place != pods.places.end() && place->first.first == name;
       ++place) {
    if (place->first.second < task.replicas) there.insert(place->first.second);
  }
  const auto present = static_cast<int64_t>(there.size());
  if (present >= task.replicas || (task.waits && present == 0)) return;
  std::string missing;
  size_t shown = 0;
  for (int64_t index = 0; index < task.replicas && shown < kMaxShown; ++index) {
    if (there.contains(index)) continue;
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", index);
    ++shown;
  }
  const bool more = task.replicas - present > static_cast<int64_t>(shown);
  findings.push_back(
      {.rule = kPodsLost,
       .kind = "Job",
       .object = pods.job->key(),
       .message = fmt::format("it is Running, and of {} pods of task {} {} are not there: {}{}", task.replicas, name,
                              task.replicas - present, missing, more ? ", …" : "")});
}

// A job that is over keeps its counts when its finished pods are collected.
bool counts_agree(const CheckedJob& job, const Counts& pods) {
  for (size_t i = 0; i < pods.size(); ++i) {
    const bool may_be_more = job.is_over() && (i == kSucceeded || i == kFailed);
    if (pods[i] != job.counts[i] && !(may_be_more && pods[i] < job.counts[i])) return false;
  }
  return true;
}

void check_job(const JobPods& pods, std::vector<Finding>& findings) {
  const CheckedJob& job = *pods.job;
  if (job.terminating) return;
  if (!counts_agree(job, pods.counts)) {
    findings.push_back({.rule = kJobCounts,
                        .kind = "Job",
                        .object = job.key(),
                        .message = fmt::format("its status counts {}; its pods are {}", counts_text(job.counts),
                                               counts_text(pods.counts))});
  }
  if (job.finished_lost > 0 && !job.is_over()) {
    findings.push_back(
        {.rule = kPodsRunAgain,
         .kind = "Job",
         .object = job.key(),
         .message = fmt::format("it is not over, and {} of its finished pods were deleted: their work is "
                                "done again",
                                job.finished_lost)});
  }
  if (job.phase != "Running") return;
  for (const CheckedTask& task : job.tasks) check_task(pods, task, findings);
}

}  // namespace

void check_jobs(const CheckedCluster& cluster, std::vector<Finding>& findings) {
  std::map<std::string_view, JobPods> jobs;
  for (const CheckedJob& job : cluster.jobs) jobs[job.uid].job = &job;
  for (const CheckedPod& pod : cluster.pods) {
    if (pod.job.empty()) continue;
    const auto job = jobs.find(pod.job_uid);
    if (job != jobs.end()) {
      take_pod(job->second, pod, findings);
    } else if (!pod.terminating) {
      findings.push_back(about(pod, kPodOrphaned, fmt::format("its job {} does not exist", pod.job)));
    }
  }
  for (const auto& [uid, pods] : jobs) check_job(pods, findings);
}

}  // namespace basalt::cli::checkup

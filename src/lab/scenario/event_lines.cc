// Lines about what happens between cycles: pods start, end or go, nodes are cordoned, time passes.
#include <algorithm>

#include "kube/text/document_path.h"
#include "kube/text/rfc3339.h"
#include "lab/scenario/scenario_cluster.h"

namespace basalt::lab::scenario {

namespace {

// The years 2000 to 2150: with ages of at most kMaxLength no sum of times can overflow.
constexpr Instant kEarliest = Instant::from_unix_seconds(946'684'800);
constexpr Instant kLatest = Instant::from_unix_seconds(5'680'281'600);

}  // namespace

// A pod, a range of pods (j1-0..2), or a job: all its pods.
Result<std::vector<std::string>> ScenarioCluster::pods_named(const std::string& name) const {
  if (const auto job = jobs_.find(name); job != jobs_.end()) return job->second.pods;
  auto names = expand_range(name, kMaxPods);
  if (!names) return names;
  for (const std::string& one : *names) {
    if (!pods_.contains(one)) {
      return invalid("there is no pod or job " + text::in_quotes(one) +
                     "; pods of a job j are j-0, j-1, …, of a role j-role-0, …");
    }
  }
  return names;
}

Result<void> ScenarioCluster::run_pods(const ScriptLine& line) {
  const auto name = subject(line, "running j1 on=n1,n1,n2");
  if (!name) return std::unexpected(name.error());
  const auto names = pods_named(*name);
  if (!names) return std::unexpected(names.error());
  LineFields fields(line, 2);
  const std::vector<std::string> on = fields.list("on");
  const std::string status = fields.text("status", "Running");
  const Duration age = fields.duration("age", Duration());
  if (auto done = fields.finish(); !done) return done;
  std::vector<std::string> waiting;
  std::copy_if(names->begin(), names->end(), std::back_inserter(waiting),
               [&](const std::string& one) { return pods_.at(one).spec.node_name.empty(); });
  if (on.empty() || on.size() > waiting.size()) {
    return invalid("on: " + std::to_string(on.size()) + " nodes for " + std::to_string(waiting.size()) +
                   " pods that have none; name one node per pod");
  }
  for (size_t i = 0; i < on.size(); ++i) {
    api::Pod& pod = pods_.at(waiting[i]);
    if (auto done = place(pod, on[i], status, age); !done) return done;
    if (auto done = updater_.apply(pod); !done) return done;
  }
  for (auto& [job_name, job] : jobs_) {
    if (std::find(job.pods.begin(), job.pods.end(), waiting[0]) != job.pods.end()) return settle_phase(job);
  }
  return {};
}

Result<void> ScenarioCluster::change_pods(const ScriptLine& line, void (*change)(api::Pod&, Instant)) {
  const auto first = subject(line, line.words[0].text + " j1-0");
  if (!first) return std::unexpected(first.error());
  for (size_t i = 1; i < line.words.size(); ++i) {
    const auto names = pods_named(line.words[i].text);
    if (!names) return std::unexpected(names.error());
    for (const std::string& name : *names) {
      api::Pod& pod = pods_.at(name);
      change(pod, clock_);
      if (auto done = updater_.apply(pod); !done) return done;
    }
  }
  return {};
}

Result<void> ScenarioCluster::finish_pods(const ScriptLine& line) {
  return change_pods(line, [](api::Pod& pod, Instant) { pod.status.phase = "Succeeded"; });
}
Result<void> ScenarioCluster::fail_pods(const ScriptLine& line) {
  return change_pods(line, [](api::Pod& pod, Instant) { pod.status.phase = "Failed"; });
}
Result<void> ScenarioCluster::terminate_pods(const ScriptLine& line) {
  return change_pods(line, [](api::Pod& pod, Instant now) { pod.metadata.deletion_time = now; });
}
Result<void> ScenarioCluster::ungate_pods(const ScriptLine& line) {
  return change_pods(line, [](api::Pod& pod, Instant) { pod.spec.scheduling_gates.clear(); });
}

Result<void> ScenarioCluster::set_unschedulable(const ScriptLine& line, bool unschedulable) {
  const auto name = subject(line, line.words[0].text + " n1");
  if (!name) return std::unexpected(name.error());
  const auto names = expand_range(*name, kMaxNodes);
  if (!names) return std::unexpected(names.error());
  for (const std::string& one : *names) {
    const auto node = nodes_.find(one);
    if (node == nodes_.end()) return invalid("there is no node " + text::in_quotes(one) + "; write a node line above");
    node->second.spec.unschedulable = unschedulable;
    if (auto done = updater_.apply(node->second); !done) return done;
  }
  return LineFields(line, 2).finish();
}
Result<void> ScenarioCluster::cordon(const ScriptLine& line) { return set_unschedulable(line, true); }
Result<void> ScenarioCluster::uncordon(const ScriptLine& line) { return set_unschedulable(line, false); }

void ScenarioCluster::forget_pod(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod == pods_.end()) return;
  updater_.remove(pod->second);
  pods_.erase(pod);
  for (auto& [job_name, job] : jobs_) std::erase(job.pods, name);
}

Result<void> ScenarioCluster::delete_named(const std::string& kind, const std::string& name) {
  if (kind == "pod") {
    const auto names = pods_named(name);
    if (!names) return std::unexpected(names.error());
    for (const std::string& one : std::vector(*names)) forget_pod(one);
  } else if (kind == "job") {
    const auto job = find_job(name);
    if (!job) return std::unexpected(job.error());
    for (const std::string& pod : std::vector((*job)->pods)) forget_pod(pod);
    updater_.remove((*job)->group);
    jobs_.erase(name);
    std::erase(job_order_, name);
  } else if (kind == "node") {
    const auto node = nodes_.find(name);
    if (node == nodes_.end()) return invalid("there is no node " + text::in_quotes(name));
    updater_.remove(node->second);
    nodes_.erase(node);
  } else if (kind == "queue") {
    state_.remove_queue(name);
  } else {
    return invalid(text::in_quotes(kind) + " cannot be deleted; write pod, job, node or queue before the name");
  }
  return {};
}

Result<void> ScenarioCluster::delete_object(const ScriptLine& line) {
  if (line.words.size() < 3) return invalid("no object; write for example \"delete pod j1-0\" or \"delete node n1\"");
  for (size_t i = 2; i < line.words.size(); ++i) {
    if (auto done = delete_named(line.words[1].text, line.words[i].text); !done) return done;
  }
  return {};
}

Result<void> ScenarioCluster::set_now(const ScriptLine& line) {
  const auto text = subject(line, "now 2025-01-01T12:00:00Z");
  if (!text) return std::unexpected(text.error());
  const auto at = text::parse_time(*text);
  if (!at) return std::unexpected(at.error());
  if (*at < kEarliest || *at > kLatest) return invalid(*text + " is outside of the years 2000 to 2150");
  clock_ = *at;
  return LineFields(line, 2).finish();
}

Result<void> ScenarioCluster::advance(const ScriptLine& line) {
  const auto text = subject(line, "advance 10m");
  if (!text) return std::unexpected(text.error());
  const auto length = parse_length(*text);
  if (!length) return std::unexpected(length.error());
  if (clock_ + *length > kLatest) return invalid("the clock would pass the year 2150; advance less");
  clock_ = clock_ + *length;
  return LineFields(line, 2).finish();
}

Result<void> ScenarioCluster::slow_deletion(const ScriptLine& line) {
  slow_deletion_ = true;
  return LineFields(line, 1).finish();
}

}  // namespace basalt::lab::scenario

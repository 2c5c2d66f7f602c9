#include "lab/scenario/scenario_cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "control/scheduler/state/keys.h"
#include "kube/text/document_path.h"
#include "kube/text/scalar.h"

namespace basalt::lab::scenario {

namespace {

// Wednesday, 1 January 2025, noon: every scenario starts at the same moment unless it says `now`.
constexpr Instant kStart = Instant::from_unix_seconds(1'735'732'800);

api::Queue plain_queue(std::string name, bool reclaimable, Instant created) {
  api::Queue queue;
  queue.metadata.name = std::move(name);
  queue.metadata.creation_time = created;
  queue.spec.weight = 1;
  queue.spec.reclaimable = reclaimable;
  queue.status.state = "Open";
  return queue;
}

}  // namespace

ScenarioCluster::ScenarioCluster() : updater_(state_, {.every_pod = true}), clock_(kStart) {
  // What the scheduler itself makes sure of when it starts, and what every Kubernetes cluster has.
  static_cast<void>(updater_.apply(plain_queue("root", /*reclaimable=*/false, clock_)));
  static_cast<void>(updater_.apply(plain_queue("default", /*reclaimable=*/true, clock_)));
  for (const auto& [name, value] :
       {std::pair{"system-cluster-critical", 2'000'000'000}, std::pair{"system-node-critical", 2'000'001'000}}) {
    priority_classes_[name] = value;
    state_.upsert_priority_class(name, value, /*global_default=*/false);
  }
}

const std::vector<ScenarioCluster::Verb>& ScenarioCluster::verbs() {
  static const std::vector<Verb> kVerbs = {
      {"node", &ScenarioCluster::add_node},
      {"queue", &ScenarioCluster::add_queue},
      {"job", &ScenarioCluster::add_job},
      {"task", &ScenarioCluster::add_task},
      {"pod", &ScenarioCluster::add_pod},
      {"subgroup", &ScenarioCluster::add_sub_group},
      {"running", &ScenarioCluster::run_pods},
      {"priorityclass", &ScenarioCluster::add_priority_class},
      {"namespace", &ScenarioCluster::add_namespace},
      {"pdb", &ScenarioCluster::add_budget},
      {"quota", &ScenarioCluster::add_quota},
      {"now", &ScenarioCluster::set_now},
      {"advance", &ScenarioCluster::advance},
      {"slow-deletion", &ScenarioCluster::slow_deletion},
      {"finish", &ScenarioCluster::finish_pods},
      {"fail", &ScenarioCluster::fail_pods},
      {"terminate", &ScenarioCluster::terminate_pods},
      {"ungate", &ScenarioCluster::ungate_pods},
      {"cordon", &ScenarioCluster::cordon},
      {"uncordon", &ScenarioCluster::uncordon},
      {"delete", &ScenarioCluster::delete_object},
  };
  return kVerbs;
}

Result<void> ScenarioCluster::apply(const ScriptLine& line) {
  const std::string& verb = line.words[0].text;
  for (const Verb& known : verbs()) {
    if (known.name == verb) return (this->*known.run)(line);
  }
  std::string names = "tiers actions plugin action cycle expect";
  for (const Verb& known : verbs()) names += " " + std::string(known.name);
  return invalid(text::in_quotes(verb) + " begins no line; a line begins with one of: " + names);
}

// Objects that come later are younger; the clock moves with them, so that ages never are negative.
Instant ScenarioCluster::tick() {
  clock_ = clock_ + Duration::millis(1);
  return clock_;
}

std::string ScenarioCluster::next_uid() { return fmt::format("uid-{:06}", next_uid_++); }

model::JobId ScenarioCluster::job_id(const std::string& name) const {
  const auto at = jobs_.find(name);
  if (at == jobs_.end()) return {};
  return state_.find_job(at->second.group.metadata.namespace_name, name);
}

model::TaskId ScenarioCluster::pod_id(const std::string& name) const {
  const auto at = pods_.find(name);
  return at == pods_.end() ? model::TaskId() : state_.find_task(at->second.metadata.uid);
}

Result<ScenarioCluster::Job*> ScenarioCluster::find_job(const std::string& name) {
  const auto at = jobs_.find(name);
  if (at == jobs_.end()) return invalid("there is no job " + text::in_quotes(name) + "; write a job line above");
  return &at->second;
}

void ScenarioCluster::settle(const engine::CycleResult& result) {
  const auto pod_of = [&](model::TaskId task) -> api::Pod* {
    const auto at = pods_.find(state_.task(task).name);
    return at == pods_.end() ? nullptr : &at->second;
  };
  // Ids die with the first change to the tables, so everything is looked up before anything is written.
  std::vector<api::Pod*> changed;
  std::vector<std::string> gone;
  for (const engine::Bind& bind : result.decisions.binds) {
    api::Pod* pod = pod_of(bind.task);
    if (pod == nullptr) continue;
    if (place(*pod, state_.node(bind.node).name, "Running", Duration())) changed.push_back(pod);
  }
  for (const engine::Evict& evict : result.decisions.evicts) {
    api::Pod* pod = pod_of(evict.task);
    if (pod == nullptr) continue;
    if (!slow_deletion_) {
      gone.push_back(pod->metadata.name);
      continue;
    }
    pod->metadata.deletion_time = clock_;
    pod->status.conditions.push_back(
        {.type = "DisruptionTarget", .status = "True", .reason = "PreemptionByScheduler", .message = ""});
    changed.push_back(pod);
  }
  for (const engine::Pipelined& held : result.decisions.pipelined) {
    api::Pod* pod = pod_of(held.task);
    if (pod == nullptr || !held.evicted) continue;
    pod->status.nominated_node_name = state_.node(held.node).name;
    changed.push_back(pod);
  }
  for (const model::TaskId task : result.decisions.gate_removals) {
    api::Pod* pod = pod_of(task);
    if (pod == nullptr) continue;
    pod->spec.scheduling_gates.clear();
    changed.push_back(pod);
  }
  for (auto& [name, job] : jobs_) {
    const model::JobId id = job_id(name);
    job.phase_given = true;
    if (id.valid()) job.group.status.phase = model::to_string(state_.job(id).status.phase);
  }
  for (const api::Pod* pod : changed) static_cast<void>(updater_.apply(*pod));
  for (const std::string& name : gone) forget_pod(name);
}

Result<std::string> subject(const ScriptLine& line, std::string_view example) {
  if (line.words.size() < 2 || line.words[1].has_value || line.words[1].text.empty()) {
    return invalid("no name; write for example \"" + std::string(example) + "\"");
  }
  return line.words[1].text;
}

Result<std::vector<std::string>> expand_range(const std::string& name, int64_t max) {
  const size_t dots = name.find("..");
  if (dots == std::string::npos) return std::vector{name};
  const auto bad = [&] {
    return invalid(text::in_quotes(name) + " is no range; write for example n1..n9 or j1-0..2, at most " +
                   std::to_string(max) + " names");
  };
  const auto digits_from = [](std::string_view text) {
    const size_t last = text.find_last_not_of("0123456789");
    return last == std::string_view::npos ? size_t{0} : last + 1;
  };
  const std::string_view first = std::string_view(name).substr(0, dots);
  std::string_view last = std::string_view(name).substr(dots + 2);
  const std::string stem(first.substr(0, digits_from(first)));
  last = last.substr(digits_from(last));
  const auto low = text::parse_int(first.substr(stem.size()));
  const auto high = text::parse_int(last);
  if (!low || !high || *high < *low || *high - *low >= max) return bad();
  std::vector<std::string> names;
  for (int64_t i = *low; i <= *high; ++i) names.push_back(stem + std::to_string(i));
  return names;
}

}  // namespace basalt::lab::scenario

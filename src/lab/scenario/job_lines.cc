// Lines that bring pods: job, task, pod, subgroup.
#include <algorithm>

#include "control/scheduler/state/keys.h"
#include "kube/text/document_path.h"
#include "kube/text/scalar.h"
#include "lab/scenario/placement_syntax.h"
#include "lab/scenario/scenario_cluster.h"

namespace basalt::lab::scenario {

namespace {

Result<std::map<std::string, int32_t, std::less<>>> parse_role_minimums(std::string_view text) {
  std::map<std::string, int32_t, std::less<>> roles;
  const auto pairs = parse_labels(text);
  if (!pairs) return invalid(text::in_quotes(text) + " gives no minimum; write role=2,role=1");
  for (const auto& [role, count] : *pairs) {
    const auto number = text::parse_int32(count);
    if (!number || *number < 0) return invalid(text::in_quotes(count) + " is no number of pods of role " + role);
    roles[role] = *number;
  }
  return roles;
}

// What the job controller writes: the requests of the first minMember pods.
api::ResourceList requests_of_gang(const api::Pod& pod, int32_t min) {
  api::ResourceList sum;
  for (int32_t i = 0; i < min; ++i) {
    for (const auto& [name, amount] : pod.spec.containers[0].resources.requests) sum[name] += amount;
  }
  return sum;
}

void read_annotations(LineFields& fields, api::ObjectMeta& meta) {
  struct Entry {
    std::string_view field, key;
  };
  for (const Entry& entry :
       {Entry{"waiting-time", state::keys::kWaitingTime}, Entry{"min-available", state::keys::kMinAvailable},
        Entry{"max-unavailable", state::keys::kMaxUnavailable},
        Entry{"topology-affinity", state::keys::kTopologyAffinity},
        Entry{"topology-anti-affinity", state::keys::kTopologyAntiAffinity},
        Entry{"topology-order", state::keys::kTopologyTaskOrder}}) {
    if (const std::string value = fields.text(entry.field); !value.empty()) {
      meta.annotations[std::string(entry.key)] = value;
    }
  }
}

}  // namespace

Result<void> ScenarioCluster::read_priority(LineFields& fields, std::string_view key, api::Pod& pod) {
  const std::string name = fields.text(key);
  if (name.empty()) return {};
  const auto known = priority_classes_.find(name);
  if (known == priority_classes_.end()) {
    return invalid("there is no priority class " + text::in_quotes(name) + "; write \"priorityclass " + name +
                   " VALUE\" above");
  }
  pod.spec.priority_class_name = name;
  pod.spec.priority = known->second;
  return {};
}

Result<void> ScenarioCluster::add_job(const ScriptLine& line) {
  const auto name = subject(line, "job j1 min=2 tasks=2 cpu=1");
  if (!name) return std::unexpected(name.error());
  if (jobs_.contains(*name)) return invalid("there is a job " + text::in_quotes(*name) + " already; take another name");
  LineFields fields(line, 2);
  Job job;
  api::PodGroup& group = job.group;
  group.metadata.name = *name;
  group.metadata.namespace_name = fields.text("namespace", api::kDefaultNamespace);
  group.metadata.uid = next_uid();
  const Duration age = fields.duration("age", Duration());
  group.metadata.creation_time = {tick().nanos - age.nanos};
  const int32_t tasks = fields.number32("tasks", 0, 0, kMaxPods);
  group.spec.min_member = fields.number32("min", 1, 0);
  group.spec.queue = fields.text("queue", "default");
  group.spec.min_task_member = fields.parsed("min-roles", parse_role_minimums);
  group.status.phase = fields.text("phase", "Pending");
  job.phase_given = fields.has("phase");
  read_annotations(fields, group.metadata);
  api::Pod pod = read_pod(fields);
  if (auto done = read_priority(fields, "priority", pod); !done) return done;
  group.spec.priority_class_name = pod.spec.priority_class_name;
  for (const auto key : {state::keys::kPreemptable, state::keys::kRevocableZone}) {
    if (const auto* value = api::find_in(pod.metadata.annotations, key))
      group.metadata.annotations[std::string(key)] = *value;
  }
  if (fields.text("min-resources") == "auto") {
    group.spec.min_resources = requests_of_gang(pod, std::min(group.spec.min_member, tasks));
  } else if (fields.has("min-resources")) {
    group.spec.min_resources = fields.resources("min-resources");
  }
  if (tasks == 0 && !pod.spec.containers[0].resources.requests.empty()) {
    return invalid("the line asks for resources but brings no pods; write tasks=1 or more, or use task lines");
  }
  if (auto done = updater_.apply(group); !done) return done;
  Job& kept = jobs_[*name] = std::move(job);
  job_order_.push_back(*name);
  return add_pods(fields, &kept, std::move(pod), *name + "-", tasks);
}

Result<void> ScenarioCluster::add_task(const ScriptLine& line) {
  const auto name = subject(line, "task j1 worker count=3 cpu=1");
  if (!name) return std::unexpected(name.error());
  const auto job = find_job(*name);
  if (!job) return std::unexpected(job.error());
  if (line.words.size() < 3 || line.words[2].has_value) {
    return invalid("no role; write for example \"task " + *name + " worker count=3 cpu=1\"");
  }
  const std::string& role = line.words[2].text;
  LineFields fields(line, 3);
  const int32_t count = fields.number32("count", 1, 0, kMaxPods);
  api::Pod pod = read_pod(fields);
  if (auto done = read_priority(fields, "priority", pod); !done) return done;
  pod.metadata.annotations[std::string(state::keys::kTaskSpec)] = role;
  return add_pods(fields, *job, std::move(pod), *name + "-" + role + "-", count);
}

Result<void> ScenarioCluster::add_pod(const ScriptLine& line) {
  const auto name = subject(line, "pod proxy on=n1 cpu=100m");
  if (!name) return std::unexpected(name.error());
  LineFields fields(line, 2);
  api::Pod pod = read_pod(fields);
  pod.metadata.namespace_name = fields.text("namespace", api::kDefaultNamespace);
  if (auto done = read_priority(fields, "priority", pod); !done) return done;
  return add_pods(fields, nullptr, std::move(pod), *name, 1);
}

Result<void> ScenarioCluster::add_pods(LineFields& fields, Job* job, api::Pod pod, const std::string& stem,
                                       int32_t count) {
  const std::vector<std::string> on = fields.list("on");
  const std::vector<std::string> nominated = fields.list("nominated");
  const std::string status = fields.text("status", "Running");
  const Duration age = fields.duration("age", Duration());
  if (auto done = fields.finish(); !done) return done;
  if (on.size() > static_cast<size_t>(count)) return invalid("on: more nodes than pods; name at most one node per pod");
  if (job != nullptr) {
    pod.metadata.namespace_name = job->group.metadata.namespace_name;
    pod.metadata.annotations[std::string(state::keys::kGroupName)] = job->group.metadata.name;
  }
  pod.status.phase = "Pending";
  int32_t index = 0;
  for (int32_t made = 0; made < count; ++index) {
    api::Pod one = pod;
    one.metadata.name = job == nullptr ? stem : stem + std::to_string(index);
    if (pods_.contains(one.metadata.name)) {
      if (job != nullptr && index < kMaxPods) continue;  // a second line for a role goes on counting
      return invalid("there is a pod " + text::in_quotes(one.metadata.name) + " already; take another name");
    }
    const auto order = static_cast<size_t>(made++);
    one.metadata.uid = next_uid();
    one.metadata.creation_time = {clock_.nanos - age.nanos};
    if (order < nominated.size()) one.status.nominated_node_name = nominated[order];
    if (order < on.size()) {
      if (auto done = place(one, on[order], status, age); !done) return done;
    }
    if (auto done = updater_.apply(one); !done) return done;
    if (job != nullptr) job->pods.push_back(one.metadata.name);
    pods_[one.metadata.name] = std::move(one);
  }
  return job == nullptr ? Result<void>() : settle_phase(*job);
}

Result<void> ScenarioCluster::place(api::Pod& pod, const std::string& node, const std::string& status, Duration age) {
  if (!nodes_.contains(node)) return invalid("there is no node " + text::in_quotes(node) + "; write a node line above");
  pod.spec.node_name = node;
  pod.status.phase = status == "Bound" ? "Pending" : status == "Releasing" ? "Running" : status;
  if (status == "Releasing") pod.metadata.deletion_time = clock_;
  constexpr std::string_view kKnown[] = {"Running", "Bound", "Releasing", "Succeeded", "Failed"};
  if (std::find(std::begin(kKnown), std::end(kKnown), status) == std::end(kKnown)) {
    return invalid("status: " + text::in_quotes(status) + " is none of Running, Bound, Releasing, Succeeded, Failed");
  }
  pod.status.start_time = {clock_.nanos - age.nanos};
  pod.status.conditions = {{.type = "PodScheduled", .status = "True", .last_transition_time = pod.status.start_time}};
  return {};
}

// A job that holds its minimum runs; one that holds something was let in. Only before it is given a phase by a cycle.
Result<void> ScenarioCluster::settle_phase(Job& job) {
  const auto placed = std::count_if(job.pods.begin(), job.pods.end(),
                                    [&](const std::string& name) { return !pods_[name].spec.node_name.empty(); });
  if (placed == 0 || job.phase_given) return {};
  job.group.status.phase = placed >= job.group.spec.min_member ? "Running" : "Inqueue";
  return updater_.apply(job.group);
}

Result<void> ScenarioCluster::add_sub_group(const ScriptLine& line) {
  const auto name = subject(line, "subgroup j1 replica size=2 keys=replica min=1");
  if (!name) return std::unexpected(name.error());
  const auto job = find_job(*name);
  if (!job) return std::unexpected(job.error());
  if (line.words.size() < 3 || line.words[2].has_value) {
    return invalid("no name of the policy; write for example \"subgroup " + *name + " replica size=2 keys=replica\"");
  }
  LineFields fields(line, 3);
  api::SubGroupPolicy policy{.name = line.words[2].text};
  policy.sub_group_size = fields.number32("size", 1, 1);
  policy.min_sub_groups = fields.number32("min", 0, 0);
  policy.match_label_keys = fields.list("keys");
  if (fields.has("selector")) policy.label_selector = fields.parsed("selector", parse_selector);
  if (auto done = fields.finish(); !done) return done;
  (*job)->group.spec.sub_group_policy.push_back(std::move(policy));
  return updater_.apply((*job)->group);
}

}  // namespace basalt::lab::scenario

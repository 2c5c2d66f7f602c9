// How a random world begins. What then happens to it is in random_events.cc.
#include "tests/property/random_cluster.h"

#include <algorithm>

#include "tests/property/pick.h"

namespace basalt::property {

namespace {

constexpr int64_t kMebi = int64_t{1024} * 1024;
const std::vector<std::string> kZones = {"east", "west", "north"};
const std::vector<std::string> kTiers = {"1", "2", "7"};
const std::vector<std::string> kGroups = {"red", "blue"};
const std::vector<std::string> kPriorityClasses = {"", "low", "mid", "high"};
const std::vector<std::string> kTopologies = {"zone", "host"};
const std::vector<std::string> kNamespaces = {"team-a", "team-b"};

std::string numbered(const std::string& prefix, int64_t number) { return prefix + std::to_string(number); }

}  // namespace

RandomCluster::RandomCluster(uint64_t seed) : rng_(seed) {
  uses_gpu_ = rng_.chance(0.5);
  uses_terms_ = rng_.chance(0.6);
  plan_.priority_classes = {{"low", 10}, {"mid", 100}, {"high", 1000}};
  crowded_ = rng_.chance(0.5);
  const int64_t nodes = crowded_ ? rng_.between(1, 4) : rng_.between(2, 9);
  for (int64_t i = 0; i < nodes; ++i) add_node();
  add_queue("");
  const int64_t queues = rng_.between(0, 4);
  for (int64_t i = 0; i < queues; ++i) {
    const bool nested = rng_.chance(0.4);
    add_queue(nested ? pick_key(rng_, plan_.queues) : "");
  }
  const int64_t jobs = rng_.between(2, 8);
  for (int64_t i = 0; i < jobs; ++i) add_job();
  add_limits();
  start_pods();
  if (crowded_) add_rivals();
  pending_.clear();
}

void RandomCluster::add_node() {
  // Names are not in order of arrival.
  const std::string name = numbered("n", rng_.between(10, 99)) + numbered("-", next_number_++);
  NodePlan node;
  node.allocatable = {{"cpu", rng_.between(2, 9) * 1000}, {"memory", rng_.between(4, 16) * 1024 * kMebi}};
  node.allocatable["pods"] = rng_.chance(0.15) ? rng_.between(1, 3) : 110;
  if (uses_gpu_ && rng_.chance(0.6)) node.allocatable["nvidia.com/gpu"] = rng_.between(1, 4) * 1000;
  if (uses_gpu_ && rng_.chance(0.3)) node.allocatable["example.com/fpga"] = rng_.between(1, 2) * 1000;
  node.labels = {{"host", name}};
  if (rng_.chance(0.9)) node.labels["zone"] = pick(rng_, kZones);
  if (rng_.chance(0.5)) node.labels["tier"] = pick(rng_, kTiers);
  if (rng_.chance(0.5)) node.labels["volcano.sh/nodegroup-name"] = pick(rng_, kGroups);
  if (rng_.chance(0.2)) {
    const auto effect = rng_.chance(0.7) ? model::TaintEffect::NoSchedule : model::TaintEffect::PreferNoSchedule;
    node.taints.push_back({.key = "dedicated", .value = pick(rng_, kGroups), .effect = effect});
  }
  if (rng_.chance(0.3)) node.images["busybox:latest"] = std::to_string(rng_.between(50, 900) * kMebi);
  node.unschedulable = rng_.chance(0.07);
  if (rng_.chance(0.1)) node.revocable_zone = "rz1";
  plan_.nodes.emplace(name, std::move(node));
  touch(PlanKind::Node, name);
}

PlanAmounts RandomCluster::random_quota(int64_t low_percent, int64_t high_percent) {
  PlanAmounts whole;
  for (const auto& [name, node] : plan_.nodes) {
    for (const auto& [resource, amount] : node.allocatable) whole[resource] += amount;
  }
  whole.erase("pods");
  PlanAmounts part;
  for (const auto& [resource, amount] : whole) {
    if (rng_.chance(0.8)) part[resource] = amount / 100 * rng_.between(low_percent, high_percent);
  }
  return part;
}

void RandomCluster::add_queue(const std::string& parent) {
  const std::string name = plan_.queues.empty() ? "default" : numbered("q", next_number_++);
  QueuePlan queue{.created = at(rng_.between(0, 3)), .weight = static_cast<int32_t>(rng_.between(1, 5))};
  queue.priority = rng_.chance(0.2) ? static_cast<int32_t>(rng_.between(1, 9)) : 0;
  queue.parent = parent;
  queue.reclaimable = rng_.chance(0.85);
  if (rng_.chance(0.4)) queue.capability = random_quota(20, 110);
  if (rng_.chance(0.2)) queue.guarantee = random_quota(1, 10);
  if (rng_.chance(0.5)) queue.deserved = random_quota(5, 60);
  queue.hierarchy = "root/" + (parent.empty() ? name : parent + "/" + name);
  queue.hierarchy_weights = parent.empty() ? numbered("1/", queue.weight) : numbered("1/2/", queue.weight);
  if (rng_.chance(0.3)) queue.groups_required = {pick(rng_, kGroups)};
  if (rng_.chance(0.1)) queue.groups_avoided = {pick(rng_, kGroups)};
  plan_.queues.emplace(name, std::move(queue));
  touch(PlanKind::Queue, name);
}

void RandomCluster::add_pod_terms(TemplatePlan& made, const std::string& job) {
  // Pods of the same job, of an application, or of another job that may not run yet.
  const auto about = [&] {
    const uint64_t whom = rng_.below(4);
    if (whom == 0) return std::vector<MatchPlan>{{.key = "app", .values = {pick(rng_, kGroups)}}};
    if (whom > 1 || plan_.jobs.empty()) return std::vector<MatchPlan>{{.key = "job", .values = {job}}};
    const JobPlan& other = plan_.jobs.at(pick_key(rng_, plan_.jobs));
    return std::vector<MatchPlan>{{.key = "job", .values = {other.name}}};
  };
  const auto term = [&](int32_t weight) {
    return PodTermPlan{.selector = about(), .topology_key = pick(rng_, kTopologies), .weight = weight};
  };
  if (rng_.chance(0.25)) made.affinity.push_back(term(0));
  if (rng_.chance(0.25)) made.anti_affinity.push_back(term(0));
  if (rng_.chance(0.2)) made.preferred_affinity.push_back(term(50));
  if (rng_.chance(0.2)) made.preferred_anti_affinity.push_back(term(20));
  if (rng_.chance(0.25)) {
    made.spread.push_back({.selector = about(),
                           .topology_key = pick(rng_, kTopologies),
                           .max_skew = static_cast<int32_t>(rng_.between(1, 2)),
                           .hard = rng_.chance(0.6)});
  }
}

TemplatePlan RandomCluster::random_template(const std::string& job, const std::string& role) {
  TemplatePlan made;
  if (!rng_.chance(0.15)) {
    made.request["cpu"] = rng_.between(1, 12) * 250;
    if (rng_.chance(0.8)) made.request["memory"] = rng_.between(1, 12) * 256 * kMebi;
    if (uses_gpu_ && rng_.chance(0.3)) made.request["nvidia.com/gpu"] = rng_.between(1, 2) * 1000;
    if (uses_gpu_ && rng_.chance(0.1)) made.request["example.com/fpga"] = 1000;
  }
  made.role = role;
  made.labels = {{"job", job}, {"app", pick(rng_, kGroups)}};
  if (rng_.chance(0.15)) made.node_selector["zone"] = pick(rng_, kZones);
  if (rng_.chance(0.1)) made.node_terms.push_back({{.key = "tier", .op = model::SelectorOp::Gt, .values = {"1"}}});
  if (rng_.chance(0.1)) {
    made.node_terms.push_back({{.key = "zone", .op = model::SelectorOp::NotIn, .values = {pick(rng_, kZones)}}});
  }
  if (rng_.chance(0.4)) made.preferred_nodes.push_back({{.key = "zone", .values = {pick(rng_, kZones)}}});
  if (rng_.chance(0.3)) {
    made.preferred_nodes.push_back({{.key = "tier", .op = model::SelectorOp::Exists, .values = {}}});
  }
  if (rng_.chance(0.2)) {
    made.tolerations.push_back({.key = "dedicated", .value = "", .effect = model::TaintEffect::Any});
  }
  if (rng_.chance(0.08)) made.host_ports.push_back(8080);
  if (rng_.chance(0.4)) made.images.emplace_back("busybox:latest");
  if (uses_terms_) add_pod_terms(made, job);
  made.priority_class = pick(rng_, kPriorityClasses);
  made.priority = made.priority_class.empty() ? 1 : plan_.priority_classes.at(made.priority_class);
  made.preemptable = rng_.chance(0.8);
  made.never_preempts = rng_.chance(0.05);
  made.revocable = rng_.chance(0.1);
  return made;
}

void RandomCluster::add_job() {
  JobPlan job{.ns = pick(rng_, kNamespaces), .name = numbered("j", next_number_++)};
  const std::string key = job.ns + "/" + job.name;
  job.queue = pick_key(rng_, plan_.queues);
  job.priority_class = pick(rng_, kPriorityClasses);
  job.created = at(rng_.between(0, 5));
  job.preemptable = rng_.chance(0.5);
  if (rng_.chance(0.15)) job.waiting_time = Duration::seconds(rng_.between(1, 60));
  const bool grouped = rng_.chance(0.15);
  const int64_t roles = rng_.between(1, 3);
  int32_t pods = 0;
  int32_t role_minimums = 0;
  PlanAmounts total;
  for (int64_t r = 0; r < roles; ++r) {
    const std::string role = rng_.chance(0.2) ? "" : numbered("role", r);
    TemplatePlan made = random_template(job.name, role);
    const int64_t replicas = rng_.between(1, 4);
    for (int64_t i = 0; i < replicas; ++i) {
      PodPlan pod;
      static_cast<TemplatePlan&>(pod) = made;
      pod.ns = job.ns;
      pod.name = job.name + "-" + (role.empty() ? "x" : role) + numbered("-", i);
      pod.group = job.name;
      pod.created = at(rng_.between(0, 2));
      pod.gated = rng_.chance(0.04);
      if (grouped) pod.labels["replica-group"] = std::to_string(i % 2);
      const std::string uid = job.ns + "." + pod.name + numbered("#", next_number_++);
      touch(PlanKind::Pod, uid);
      plan_.pods.emplace(uid, std::move(pod));
      for (const auto& [resource, amount] : made.request) total[resource] += amount;
    }
    pods += static_cast<int32_t>(replicas);
    if (!role.empty() && rng_.chance(0.3)) {
      job.min_task_member[role] = static_cast<int32_t>(rng_.between(1, replicas));
      role_minimums += job.min_task_member[role];
    }
  }
  job.min_available = static_cast<int32_t>(rng_.chance(0.5) ? pods : rng_.between(0, pods));
  if (rng_.chance(0.6)) job.min_available = std::max(job.min_available, role_minimums);
  if (grouped) job.sub_groups.push_back({.name = "sg", .label_key = "replica-group", .size = 1, .min_groups = 1});
  if (rng_.chance(0.6)) job.min_resources = total;
  if (roles > 1 && rng_.chance(0.2)) job.topology_affinity = "role0,role1";
  if (roles > 1 && rng_.chance(0.2)) job.topology_anti_affinity = "role0";
  touch(PlanKind::Job, key);
  plan_.jobs.emplace(key, std::move(job));
}

void RandomCluster::add_limits() {
  for (const std::string& ns : kNamespaces) {
    if (rng_.chance(0.3)) plan_.quotas["quota-" + ns] = {.ns = ns, .hard = random_quota(20, 90), .used = {}};
    if (!rng_.chance(0.3)) continue;
    BudgetPlan budget{.ns = ns, .allowed = static_cast<int32_t>(rng_.between(0, 3))};
    budget.selector.push_back({.key = "app", .values = {pick(rng_, kGroups)}});
    plan_.budgets["budget-" + ns] = std::move(budget);
  }
}

// The cluster is full of lesser jobs that can spare pods, and greater ones have just been let in.
void RandomCluster::add_rivals() {
  std::set<std::string> running;
  for (auto& [key, job] : plan_.jobs) {
    if (job.status.phase != model::PodGroupPhase::Running) continue;
    running.insert(key);
    job.priority_class = "low";
    job.min_available = static_cast<int32_t>(rng_.between(0, 1));
    job.min_task_member.clear();
    job.sub_groups.clear();
  }
  const int64_t jobs = rng_.between(1, 4);
  for (int64_t i = 0; i < jobs; ++i) add_job();
  for (auto& [key, job] : plan_.jobs) {
    if (running.contains(key)) continue;
    if (rng_.chance(0.7)) job.priority_class = "high";
    if (rng_.chance(0.7)) job.status.phase = model::PodGroupPhase::Inqueue;
    if (rng_.chance(0.4)) job.min_available = 1;
  }
  for (auto& [uid, pod] : plan_.pods) {
    const bool holds = running.contains(pod.ns + "/" + pod.group);
    if (holds && rng_.chance(0.8)) pod.preemptable = true;
    if (!rng_.chance(0.7)) continue;
    pod.priority_class = holds ? "low" : "high";
    pod.priority = plan_.priority_classes.at(pod.priority_class);
  }
}

// Some pods run already, on nodes that have room for them.
void RandomCluster::start_pods() {
  if (!crowded_ && rng_.chance(0.3)) return;
  std::map<std::string, PlanAmounts> room;
  for (const auto& [name, node] : plan_.nodes) room[name] = node.allocatable;
  for (auto& [uid, pod] : plan_.pods) {
    if (pod.gated || !rng_.chance(crowded_ ? 0.85 : 0.5)) continue;
    const std::string node = pick_key(rng_, plan_.nodes);
    PlanAmounts& free = room[node];
    const bool fits = std::all_of(pod.request.begin(), pod.request.end(),
                                  [&](const auto& want) { return free[want.first] >= want.second; });
    if (!fits || free["pods"] < 1) continue;
    for (const auto& [resource, amount] : pod.request) free[resource] -= amount;
    free["pods"] -= 1;
    pod.node = node;
    pod.status = rng_.chance(0.8) ? model::TaskStatus::Running : model::TaskStatus::Bound;
    JobPlan& job = plan_.jobs.at(pod.ns + "/" + pod.group);
    job.status.phase = model::PodGroupPhase::Running;
  }
}

}  // namespace basalt::property

#include "engine/plugins/nodegroup.h"

#include <algorithm>

#include "engine/core/session.h"

namespace basalt::plugins {

using engine::Fit;
using engine::HookTable;
using engine::Session;
using engine::VerdictId;
using model::JobId;
using model::NodeId;
using model::Queue;
using model::QueueId;
using model::QueueSpec;
using model::TaskId;

namespace {

constexpr std::string_view kGroupLabel = "volcano.sh/nodegroup-name";
constexpr std::string_view kRootQueue = "root";
constexpr double kRequiredScore = 100;
constexpr double kPreferredScore = 50;
constexpr double kAvoidedScore = -1;

using Names = std::vector<std::string>;

bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_rules(const QueueSpec& queue) {
  return !queue.group_affinity.required.empty() || !queue.group_affinity.preferred.empty() ||
         !queue.group_anti_affinity.required.empty() || !queue.group_anti_affinity.preferred.empty();
}

bool allows(const QueueSpec& queue, std::string_view group) {
  if (has(queue.group_anti_affinity.preferred, group)) return true;
  if (has(queue.group_anti_affinity.required, group)) return false;
  const auto& [required, preferred] = queue.group_affinity;
  return (required.empty() && preferred.empty()) || has(required, group) || has(preferred, group);
}

double group_score(const QueueSpec& queue, std::string_view group, bool ordered) {
  if (has(queue.group_anti_affinity.preferred, group)) return kAvoidedScore;
  double score = has(queue.group_affinity.required, group) ? kRequiredScore : 0;
  const Names& preferred = queue.group_affinity.preferred;
  const auto at = std::find(preferred.begin(), preferred.end(), group);
  if (at == preferred.end()) return score;
  const auto count = static_cast<double>(preferred.size());
  const auto place = static_cast<double>(at - preferred.begin());
  return score + (ordered ? kPreferredScore * (count - place) / count : kPreferredScore);
}

void add_names(Fingerprint& print, const Names& names) {
  print.add(names.size());
  for (const std::string& name : names) print.add(name);
}

// Everything of the queue that the answers depend on.
uint64_t fingerprint_of(const QueueSpec& affinity, const QueueSpec& queue) {
  Fingerprint print;
  add_names(print, affinity.group_affinity.required);
  add_names(print, affinity.group_affinity.preferred);
  add_names(print, affinity.group_anti_affinity.required);
  add_names(print, affinity.group_anti_affinity.preferred);
  print.add(uint64_t{queue.group_limits_malformed}).add(queue.group_limits.size());
  for (const auto& [group, limit] : queue.group_limits) {
    print.add(group);
    for (size_t r = 0; r < limit.amount.size(); ++r) {
      const model::ResourceId id(r);
      print.add(uint64_t{limit.has(id)}).add(static_cast<uint64_t>(limit[id]));
    }
  }
  return print.value();
}

bool exceeds(const model::ResourceVec& used, model::DemandSpan request, const model::Quota& limit) {
  for (size_t r = 0; r < limit.amount.size(); ++r) {
    const model::ResourceId id(r);
    if (!limit.has(id)) continue;
    const auto entry = std::find_if(request.begin(), request.end(), [&](const auto& e) { return e.id == id; });
    if (used[id] + (entry == request.end() ? 0 : entry->amount) > limit[id]) return true;
  }
  return false;
}

}  // namespace

Result<NodeGroup> NodeGroup::make(const engine::Arguments& arguments) {
  NodeGroup plugin;
  const Result<bool> strict = arguments.get_bool("strict", true);
  if (!strict) return std::unexpected(strict.error());
  plugin.strict_ = *strict;
  const Result<bool> ordered = arguments.get_bool("enablePreferredOrder", false);
  if (!ordered) return std::unexpected(ordered.error());
  plugin.preferred_order_ = *ordered;
  return plugin;
}

void NodeGroup::open(Session& session, engine::HookBinder& binder) {
  session_ = &session;
  hierarchy_ = binder.enabled(engine::PluginFlag::Hierarchy);
  engine::VerdictTable& verdicts = session.memory.verdicts;
  limit_exceeded_ = verdicts.verdict(Fit::Never, verdicts.reason("node group resource limit exceeded"));
  find_groups(session);
  rules_.assign(session.state.queue_rows(), Rules());
  for (size_t q = 0; q < session.state.queue_rows(); ++q) {
    const QueueId id(q);
    if (session.state.queue(id).alive) build_rules(session, id, session.state.queue(affinity_source(session, id)));
  }
  binder.bind<&NodeGroup::filter>(&HookTable::filter, *this);
  binder.bind<&NodeGroup::score>(&HookTable::score, *this);
  binder.bind<&NodeGroup::sign>(&HookTable::sign, *this);
  binder.bind<&NodeGroup::sign_epoch>(&HookTable::sign_epoch, *this);
  binder.bind<&NodeGroup::job_inputs>(&HookTable::job_inputs, *this);
  if (!any_limit_) return;
  count_used(session);
  binder.bind<&NodeGroup::reaches_cluster>(&HookTable::filter_reaches_cluster, *this);
  binder.bind<&NodeGroup::on_allocate>(&HookTable::on_allocate, *this);
  binder.bind<&NodeGroup::on_deallocate>(&HookTable::on_deallocate, *this);
}

void NodeGroup::find_groups(const Session& session) {
  group_of_.assign(session.state.node_rows(), kNoGroup);
  const NameId label = session.state.names.find(kGroupLabel);
  if (!label.valid()) return;
  std::unordered_map<NameId, Group> known;
  for (const NodeId node : session.state.nodes_by_name()) {
    const NameId name = model::find_label(session.state.node(node).labels, label);
    if (!name.valid()) continue;
    const auto [at, is_new] = known.try_emplace(name, static_cast<Group>(group_names_.size()));
    if (is_new) group_names_.push_back(name);
    group_of_[node] = at->second;
  }
}

QueueId NodeGroup::affinity_source(const Session& session, QueueId queue) const {
  if (!hierarchy_) return queue;
  QueueId at = queue;
  for (size_t steps = 0; steps < session.state.queue_rows(); ++steps) {  // a cycle of parents ends, too
    const Queue& row = session.state.queue(at);
    if (row.has_affinity) return at;
    if (row.name == kRootQueue) break;
    at = session.state.find_queue(row.parent.empty() ? kRootQueue : std::string_view(row.parent));
    if (!at.valid()) break;
  }
  return queue;
}

void NodeGroup::build_rules(Session& session, QueueId id, const QueueSpec& affinity) {
  engine::VerdictTable& verdicts = session.memory.verdicts;
  const auto refusal = [&](std::string_view why) { return verdicts.verdict(Fit::Never, verdicts.reason(why)); };
  const Queue& queue = session.state.queue(id);
  Rules& rules = rules_[id];
  rules.fingerprint = fingerprint_of(affinity, queue);
  rules.groups.resize(group_names_.size());
  const bool ruled = has_rules(affinity);
  const bool unreadable = queue.group_limits_malformed;
  if (unreadable) {
    rules.outside = refusal("node group resource limit annotation invalid");
  } else if (strict_ || ruled) {
    rules.outside = refusal("node group label not found");
  }
  for (Group g = 0; g < rules.groups.size(); ++g) {
    Cell& cell = rules.groups[g];
    const std::string_view name = session.state.names.text(group_names_[g]);
    cell.score = group_score(affinity, name, preferred_order_);
    if (unreadable) {
      cell.verdict = rules.outside;
    } else if (!ruled) {
      cell.verdict = refusal("node group affinity not specified");
    } else if (!allows(affinity, name)) {
      cell.verdict = refusal("node does not satisfy the node group affinity");
    }
    for (const auto& [group, limit] : queue.group_limits) {
      if (group == name) cell.limit = &limit;
    }
    rules.limited = rules.limited || cell.limit != nullptr;
  }
  any_limit_ = any_limit_ || rules.limited;
}

void NodeGroup::count_used(const Session& session) {
  for (const JobId id : session.jobs()) {
    const model::Job& job = session.state.job(id);
    if (!rules_[job.queue_id].limited) continue;
    for (const TaskId task : job.tasks) {
      const model::Task& row = session.state.task(task);
      if (model::is_allocated(row.status) && row.node.valid()) charge(task, group_of_[row.node], /*add=*/true);
    }
  }
}

const NodeGroup::Rules* NodeGroup::rules_of(TaskId task) const {
  const JobId job = session_->state.task(task).job;
  if (!job.valid()) return nullptr;
  const QueueId queue = session_->state.job(job).queue_id;
  return queue.valid() ? &rules_[queue] : nullptr;
}

void NodeGroup::filter(const engine::FilterCall& call) const {
  const Rules* rules = rules_of(call.task);
  if (rules == nullptr) return;
  const model::Demand& request = session_->state.shape_of(call.task).request;
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    if (call.verdicts[i] != engine::kFits) continue;
    const Group group = group_of_[call.nodes[i]];
    if (group == kNoGroup) {
      call.verdicts[i] = rules->outside;
      continue;
    }
    const Cell& cell = rules->groups[group];
    const bool over =
        cell.verdict == engine::kFits && cell.limit != nullptr && exceeds(cell.used, request, *cell.limit);
    call.verdicts[i] = over ? limit_exceeded_ : cell.verdict;
  }
}

void NodeGroup::score(const engine::ScoreCall& call) const {
  const Rules* rules = rules_of(call.task);
  if (rules == nullptr) return;
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    const Group group = group_of_[call.nodes[i]];
    if (group != kNoGroup) call.scores[i] += rules->groups[group].score;
  }
}

bool NodeGroup::reaches_cluster(TaskId task) const {
  const Rules* rules = rules_of(task);
  return rules != nullptr && rules->limited;
}

void NodeGroup::sign(TaskId task, engine::ClassKey& key) const {
  const model::Task& row = session_->state.task(task);
  key.add(row.job.valid() ? session_->state.job(row.job).queue_id : QueueId());
  key.add(row.shape);
}

void NodeGroup::sign_epoch(Fingerprint& epoch) const {
  for (const Rules& rules : rules_) epoch.add(rules.fingerprint);
}

void NodeGroup::job_inputs(JobId id, Fingerprint& inputs) const {
  const QueueId queue = session_->state.job(id).queue_id;
  if (queue.valid()) inputs.add(rules_[queue].fingerprint);
}

void NodeGroup::charge(TaskId task, Group group, bool add) {
  if (group == kNoGroup) return;
  const QueueId queue = session_->state.job(session_->state.task(task).job).queue_id;
  Cell& cell = rules_[queue].groups[group];
  if (cell.limit == nullptr) return;
  const model::Demand& request = session_->state.shape_of(task).request;
  add ? cell.used.add(request) : cell.used.sub(request);
}

void NodeGroup::on_allocate(TaskId task) {
  if (!reaches_cluster(task)) return;
  const Group group = group_of_[session_->state.task(task).node];
  placed_[task] = group;
  charge(task, group, /*add=*/true);
}

void NodeGroup::on_deallocate(TaskId task) {
  if (!reaches_cluster(task)) return;
  if (const auto at = placed_.find(task); at != placed_.end()) {
    charge(task, at->second, /*add=*/false);
    placed_.erase(at);
    return;
  }
  charge(task, group_of_[session_->state.task(task).node], /*add=*/false);  // evicted: still on its node
}

}  // namespace basalt::plugins

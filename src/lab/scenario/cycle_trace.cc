#include "lab/scenario/cycle_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kube/text/rfc3339.h"
#include "lab/scenario/explain_session.h"

namespace basalt::lab::scenario {

namespace {

using model::ResourceId;

constexpr size_t kMaxRows = 30;

std::string amounts(const model::ClusterState& state, const model::ResourceVec& vec) {
  std::string text;
  for (size_t r = 0; r < state.schema.size(); ++r) {
    const ResourceId id(r);
    if (vec[id] != 0) text += fmt::format(" {} {}", state.schema.name(id), amount_text(state.schema.name(id), vec[id]));
  }
  return text.empty() ? " nothing" : text;
}

std::string quota(const model::ClusterState& state, std::string_view name, const model::Quota& quota) {
  return quota.given.none() ? "" : fmt::format("  {}{}", name, amounts(state, quota.amount));
}

std::string counts(const model::Job& job) {
  std::string text;
  for (size_t s = 0; s < model::kTaskStatuses; ++s) {
    if (job.counts[s] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", job.counts[s],
                        model::to_string(static_cast<model::TaskStatus>(s)));
  }
  return text.empty() ? "no pods" : text;
}

void row(std::string& out, std::string_view name, std::string_view text) {
  out += fmt::format("    {:<12} {}\n", name, text);
}

}  // namespace

void Tracer::describe_nodes(std::string& out) const {
  const model::ClusterState& state = cluster_.state();
  out += "  nodes (used/allocatable)\n";
  const auto nodes = state.nodes_by_name();
  for (const model::NodeId id : nodes.first(std::min(nodes.size(), kMaxRows))) {
    const model::Node& node = state.node(id);
    std::string text;
    for (size_t r = 0; r < state.schema.size(); ++r) {
      const ResourceId dim(r);
      const model::Amount all = dim.index() < state.allocatable(id).size() ? state.allocatable(id)[dim.index()] : 0;
      if (all == 0) continue;
      text += fmt::format("{}{} {}/{}", text.empty() ? "" : "  ", state.schema.name(dim),
                          amount_text(state.schema.name(dim), state.used(id, dim)),
                          amount_text(state.schema.name(dim), all));
    }
    for (const model::Label& label : node.labels) {
      if (state.names.text(label.key) == "kubernetes.io/hostname") continue;
      text += fmt::format("  {}={}", state.names.text(label.key), state.names.text(label.value));
    }
    for (const model::Taint& taint : node.taints) text += fmt::format("  taint {}", state.names.text(taint.key));
    if (node.unschedulable) text += "  unschedulable";
    row(out, node.name, text);
  }
  if (nodes.size() > kMaxRows) out += fmt::format("    … and {} more\n", nodes.size() - kMaxRows);
}

void Tracer::describe_queues(std::string& out) const {
  const model::ClusterState& state = cluster_.state();
  std::map<std::string, std::string> rows;
  for (size_t q = 0; q < state.queue_rows(); ++q) {
    const model::Queue& queue = state.queue(model::QueueId(q));
    if (!queue.alive) continue;
    model::ResourceVec held;
    bool used = queue.name != "root" && queue.name != "default";
    for (size_t j = 0; j < state.job_rows(); ++j) {
      const model::Job& job = state.job(model::JobId(j));
      if (!job.alive || job.queue_id != model::QueueId(q)) continue;
      held.add(job.allocated);
      used = true;
    }
    if (!used) continue;
    rows[queue.name] = fmt::format(
        "weight {}{}{}{}{}{}  holds{}", queue.weight, queue.parent.empty() ? "" : "  parent " + queue.parent,
        quota(state, "capability", queue.capability), quota(state, "deserved", queue.deserved),
        quota(state, "guarantee", queue.guarantee), queue.reclaimable ? "" : "  not reclaimable", amounts(state, held));
  }
  out += "  queues\n";
  for (const auto& [name, text] : rows) row(out, name, text);
}

void Tracer::describe_jobs(std::string& out) {
  const model::ClusterState& state = cluster_.state();
  out += "  jobs\n";
  size_t shown = 0;
  for (const std::string& name : cluster_.job_names()) {
    const model::JobId id = cluster_.job_id(name);
    if (!id.valid()) continue;
    const model::Job& job = state.job(id);
    phases_[name] = model::to_string(job.status.phase);
    if (++shown > kMaxRows) continue;
    row(out, name,
        fmt::format("queue {}  min {}{}  {}, pods: {}", job.queue, job.min_available,
                    job.priority == 0 ? "" : fmt::format("  priority {}", job.priority),
                    model::to_string(job.status.phase), counts(job)));
  }
  if (shown > kMaxRows) out += fmt::format("    … and {} more\n", shown - kMaxRows);
}

std::string Tracer::before(size_t cycle) {
  std::string actions;
  for (const engine::Policy::Action& action : policy_.actions) actions += " " + action.name;
  std::string out = fmt::format("cycle {} at {}:{}\n", cycle, text::format_time(cluster_.now()), actions);
  describe_nodes(out);
  describe_queues(out);
  describe_jobs(out);
  return out;
}

void Tracer::opened(engine::Session& session) { seen_ = explain_session(session); }

std::string Tracer::after(const engine::CycleResult& result, const ScenarioOutcome& outcome) const {
  const model::ClusterState& state = cluster_.state();
  std::string out = seen_;
  out += "  decisions\n";
  const size_t empty = out.size();
  for (const auto& [name, phase] : outcome.phases) {
    const auto old = phases_.find(name);
    const bool waited = old == phases_.end() || old->second.empty() || old->second == "Pending";
    if (waited && phase == "Inqueue") row(out, "admit", name);
  }
  for (const engine::EnqueueRefusal& refusal : result.report.refusals) {
    row(out, "refuse", fmt::format("{}: {} ({})", state.job(refusal.job).name, refusal.message, refusal.plugin));
  }
  for (const engine::Evict& evict : result.decisions.evicts) {
    const model::Task& victim = state.task(evict.task);
    row(out, "evict",
        fmt::format("{} from {}, {} for {}", victim.name,
                    victim.node.valid() ? state.node(victim.node).name : "its node", evict.reason,
                    evict.preemptor.valid() ? state.task(evict.preemptor).name : "others"));
  }
  for (const engine::Bind& bind : result.decisions.binds) {
    row(out, "bind", fmt::format("{} to {}", state.task(bind.task).name, state.node(bind.node).name));
  }
  for (const engine::Pipelined& held : result.decisions.pipelined) {
    row(out, "pipeline",
        fmt::format("{} to {}, once what is being released there is free", state.task(held.task).name,
                    state.node(held.node).name));
  }
  for (const std::string& pod : outcome.ungated) row(out, "ungate", pod);
  if (out.size() == empty)
    out += result.skipped ? "    none: nothing has changed since the last cycle\n" : "    none\n";
  std::string waiting;
  size_t shown = 0;
  for (const auto& [name, text] : outcome.reasons) {
    if (++shown <= kMaxRows) row(waiting, name, text);
  }
  if (shown > kMaxRows) waiting += fmt::format("    … and {} more\n", shown - kMaxRows);
  if (!waiting.empty()) out += "  who waits, and why\n" + waiting;
  out += "  phases\n";
  for (const auto& [name, phase] : outcome.phases) row(out, name, phase);
  return out;
}

}  // namespace basalt::lab::scenario

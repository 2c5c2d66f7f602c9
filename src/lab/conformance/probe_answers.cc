#include "lab/conformance/probe_answers.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/check.h"
#include "engine/model/resource_units.h"
#include "kube/text/scalar.h"
#include "lab/conformance/replay.h"

namespace basalt::lab {

namespace {

using engine::Session;
using text::Array;
using text::Object;
using text::Value;

std::map<std::string, std::vector<model::JobId>> jobs_by_queue(const Session& session) {
  std::map<std::string, std::vector<model::JobId>> out;
  for (const model::JobId job : session.jobs()) out[session.state.job(job).queue].push_back(job);
  return out;
}

Value pending_task_order(const Session& session, const model::Job& job) {
  std::vector<model::TaskId> tasks;
  for (const model::TaskId task : job.tasks) {
    if (session.state.task(task).status == model::TaskStatus::Pending) tasks.push_back(task);
  }
  if (tasks.empty()) return {};
  std::sort(tasks.begin(), tasks.end(), [&](model::TaskId a, model::TaskId b) { return session.task_before(a, b); });
  Array names;
  for (const model::TaskId task : tasks) names.emplace_back(pod_key(session.state, task));
  return in_order(names);
}

Value job_answer(const Session& session, model::JobId id, std::string_view level) {
  const model::Job& job = session.state.job(id);
  if (level == "priority") return job.priority;
  if (level == "minAvailable") return job.min_available;
  if (level == "phase") return Value(std::string(model::to_string(job.status.phase)));
  if (level == "valid") return !session.job_invalid(id).has_value();
  if (level == "ready") return session.job_ready(id);
  if (level == "pipelined") return session.job_pipelined(id);
  if (level == "starving") return session.job_starving(id);
  // Without a minimum the enqueue action asks nobody.
  if (level == "enqueueable") return !job.min_resources || session.job_enqueueable(id);
  if (level == "pendingTaskOrder") return pending_task_order(session, job);
  check(false, "a level of jobs");
  return {};
}

}  // namespace

Value in_order(const Array& names) {
  std::string out;
  for (const Value& name : names) {
    if (name.is_string()) out.append(out.empty() ? "" : " ").append(std::string_view(name.get_string()));
  }
  return Value(out);
}

Value parse_amounts(const Value& written) {
  Object out;
  std::string_view rest = written.is_string() ? std::string_view(written.get_string()) : std::string_view();
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(", "), rest.size());
    const std::string_view entry = rest.substr(0, comma);
    const size_t blank = entry.rfind(' ');
    const double amount = blank == std::string_view::npos ? 0 : text::parse_double(entry.substr(blank + 1)).value_or(0);
    if (amount != 0) out[entry.substr(0, blank)] = amount;
    rest.remove_prefix(std::min(comma + 2, rest.size()));
  }
  return out;
}

Value queue_order(const Session& session, const Array& wanted) {
  std::vector<model::QueueId> queues;
  for (const Value& name : wanted) {
    const model::QueueId queue = session.state.find_queue(name.is_string() ? std::string_view(name.get_string()) : "");
    if (queue.valid()) queues.push_back(queue);
  }
  std::sort(queues.begin(), queues.end(),
            [&](model::QueueId a, model::QueueId b) { return session.queue_before(a, b); });
  Array names;
  for (const model::QueueId queue : queues) names.emplace_back(session.state.queue(queue).name);
  return in_order(names);
}

Value job_orders(const Session& session) {
  Object out;
  for (auto& [queue, jobs] : jobs_by_queue(session)) {
    std::vector<model::JobId> sorted = jobs;
    std::sort(sorted.begin(), sorted.end(), [&](model::JobId a, model::JobId b) { return session.job_before(a, b); });
    Array names;
    for (const model::JobId job : sorted) names.emplace_back(session.state.job(job).id);
    out[queue] = in_order(names);
  }
  return out;
}

Value overused_queues(const Session& session) {
  Object out;
  for (size_t q = 0; q < session.state.queue_rows(); ++q) {
    const model::Queue& queue = session.state.queue(model::QueueId(q));
    if (queue.alive) out[queue.name] = session.overused(model::QueueId(q));
  }
  return out;
}

Value job_answers(const Session& session, std::string_view level) {
  Object out;
  for (const model::JobId job : session.jobs()) {
    Value answer = job_answer(session, job, level);
    if (!answer.is_null()) out[session.state.job(job).id] = std::move(answer);
  }
  return out;
}

Value pending_requests(const Session& session) {
  Object out;
  const model::ClusterState& state = session.state;
  for (const model::JobId job : session.jobs()) {
    for (const model::TaskId task : state.job(job).tasks) {
      if (state.task(task).status != model::TaskStatus::Pending) continue;
      Object amounts;
      for (const auto& [id, amount] : state.shape_of(task).request) {
        amounts[state.schema.name(id)] = amount * model::volcano_factor(state.schema.name(id));
      }
      out[pod_key(state, task)] = std::move(amounts);
    }
  }
  return out;
}

Value node_amounts(const Session& session, std::string_view level) {
  Object out;
  const model::ClusterState& state = session.state;
  for (const model::NodeId node : state.nodes_by_name()) {
    Object amounts;
    for (size_t r = 0; r < state.schema.size(); ++r) {
      const model::ResourceId id(r);
      const auto cell = [&](std::span<const model::Amount> row) { return r < row.size() ? row[r] : 0; };
      model::Amount amount = 0;
      if (level == "allocatable") amount = cell(state.allocatable(node));
      if (level == "idle") amount = cell(state.idle(node));
      if (level == "used") amount = state.used(node, id);
      if (level == "releasing") amount = cell(state.releasing(node));
      if (level == "pipelined") {
        amount = cell(state.idle(node)) + cell(state.releasing(node)) - cell(state.future_idle(node));
      }
      if (amount != 0) amounts[state.schema.name(id)] = amount * model::volcano_factor(state.schema.name(id));
    }
    out[state.node(node).name] = std::move(amounts);
  }
  return out;
}

}  // namespace basalt::lab

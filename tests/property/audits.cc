#include "tests/property/audits.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "engine/core/combine.h"
#include "engine/core/node_search.h"
#include "tests/property/state_digest.h"

namespace basalt::property {

namespace {

using engine::Availability;
using engine::ColumnContext;
using engine::NodeColumn;
using engine::Session;
using model::JobId;
using model::QueueId;
using model::TaskId;
using model::TaskStatus;

// Pending tasks of jobs that take part, by uid.
std::vector<TaskId> pending_tasks(const Session& session) {
  std::vector<TaskId> tasks;
  for (const JobId job : session.jobs()) {
    for (const TaskId task : session.state.job(job).tasks) {
      if (session.state.task(task).status == TaskStatus::Pending) tasks.push_back(task);
    }
  }
  std::sort(tasks.begin(), tasks.end(),
            [&](TaskId a, TaskId b) { return session.state.task(a).uid < session.state.task(b).uid; });
  return tasks;
}

std::string verdict_text(const engine::VerdictTable& table, engine::VerdictId id) {
  std::string text = std::to_string(static_cast<int>(table.fit(id)));
  for (const engine::ReasonId reason : table[id].reasons) text += " " + std::string(table.text(reason));
  return text;
}

// The column row by row, and its choice. Scores are written exactly.
std::string column_text(const NodeColumn& column, const ColumnContext& context) {
  std::ostringstream text;
  text << std::hexfloat;
  for (size_t rank = 0; rank < column.availabilities().size(); ++rank) {
    const Availability availability = column.availabilities()[rank];
    text << context.state.node(context.by_rank[rank]).name << ' ' << static_cast<int>(availability);
    if (availability == Availability::Out) text << ' ' << verdict_text(context.verdicts, column.verdicts()[rank]);
    if (availability != Availability::Out) text << ' ' << column.totals()[rank];
    text << '\n';
  }
  for (size_t v = 0; v < column.verdict_counts().size(); ++v) {
    if (column.verdict_counts()[v] == 0) continue;
    text << "refused " << column.verdict_counts()[v] << ": "
         << verdict_text(context.verdicts, static_cast<engine::VerdictId>(v)) << '\n';
  }
  if (const auto best = column.best(context)) text << "best " << context.state.node(best->node).name << '\n';
  return text.str();
}

std::string sorted_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

// The candidates' totals against the scores of exactly these nodes, and the best against a walk over them.
std::string compare_with_scores(Session& session, TaskId task, const NodeColumn& column) {
  const ColumnContext context = session.columns();
  const auto best = column.best(context);
  if (!best) return "";
  std::vector<model::NodeId> candidates;
  std::vector<double> totals;
  for (size_t rank = 0; rank < column.availabilities().size(); ++rank) {
    if (column.availabilities()[rank] != best->availability) continue;
    candidates.push_back(context.by_rank[rank]);
    totals.push_back(column.totals()[rank]);
  }
  const std::vector<double> scores = engine::score_nodes(session, task, candidates);
  if (scores != totals) return "totals of candidates differ from their scores";
  const auto first_best = std::max_element(scores.begin(), scores.end()) - scores.begin();
  if (candidates[static_cast<size_t>(first_best)] != best->node) return "best is not the first of the highest score";
  return "";
}

// The order in which a column for eviction offers nodes, against filtering, scoring and sorting all of them.
std::string audit_eviction_order(Session& session, TaskId task) {
  NodeColumn column([](model::NodeId) { return true; });
  const ColumnContext context = session.columns();
  column.sync(context, task);
  std::vector<model::NodeId> offered;
  column.any_by_score(context, [&](model::NodeId node) {
    offered.push_back(node);
    return false;
  });
  std::vector<model::NodeId> by_name;
  column.any_by_name(context, [&](model::NodeId node) {
    by_name.push_back(node);
    return false;
  });
  const std::vector<model::NodeId> nodes = engine::nodes_worth_evicting_on(session, task);
  if (by_name != nodes) return "nodes worth evicting on differ";
  const std::vector<double> scores = engine::score_nodes(session, task, nodes);
  std::vector<size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  for (size_t i = 0; i < order.size(); ++i) {
    if (i >= offered.size() || offered[i] != nodes[order[i]]) return "order of nodes to evict on differs";
  }
  return "";
}

engine::Order order_of_queues(const Session& session, QueueId a, QueueId b) {
  return engine::first_nonzero(session.hooks.queue_order, a, b);
}

char sign(engine::Order order) { return order < 0 ? '<' : order > 0 ? '>' : '='; }

}  // namespace

std::string audit_columns(Session& session) {
  // task-topology fixes its buckets when it opens: one opened later may make others.
  const auto& plugins = session.policy.plugins;
  const bool reopens =
      std::none_of(plugins.begin(), plugins.end(), [](const auto& p) { return p.name == "task-topology"; });
  engine::CycleMemory other_memory;
  Session other(session.state, session.policy, session.now, session.rng, other_memory);
  other.open();
  for (const TaskId task : pending_tasks(session)) {
    const std::string about = " for " + session.state.task(task).uid + ": ";
    const ColumnContext context = session.columns();
    const NodeColumn& kept = session.memory.classes.column(context, task);
    NodeColumn fresh;
    fresh.sync(context, task);
    const std::string text = column_text(kept, context);
    if (const auto wrong = first_difference(text, column_text(fresh, context)); !wrong.empty()) {
      return "kept and fresh column" + about + wrong;
    }
    if (const auto wrong = compare_with_scores(session, task, kept); !wrong.empty()) return "column" + about + wrong;
    if (const auto wrong = audit_eviction_order(session, task); !wrong.empty()) return wrong + about;
    if (!reopens) continue;
    const ColumnContext other_context = other.columns();
    NodeColumn reopened;
    reopened.sync(other_context, task);
    // Verdicts are numbered per table, so the counts may come in another order.
    const std::string other_text = sorted_lines(column_text(reopened, other_context));
    if (const auto wrong = first_difference(sorted_lines(text), other_text); !wrong.empty()) {
      return "columns of plugins that counted along and of plugins opened now" + about + wrong;
    }
  }
  return "";
}

std::string answers(Session& session, bool with_admission) {
  std::vector<JobId> jobs(session.jobs().begin(), session.jobs().end());
  std::sort(jobs.begin(), jobs.end(),
            [&](JobId a, JobId b) { return session.state.job(a).id < session.state.job(b).id; });
  std::ostringstream text;
  for (const JobId job : jobs) {
    text << "job " << session.state.job(job).id << ' ';
    for (const JobId other : jobs) text << sign(session.compare_jobs(job, other));
    text << (session.job_ready(job) ? " ready" : "") << (session.job_pipelined(job) ? " pipelined" : "")
         << (session.job_starving(job) ? " starving" : "") << (session.job_invalid(job) ? " invalid" : "");
    if (with_admission && session.is_pending(job) && session.state.job(job).min_resources) {
      text << (session.job_enqueueable(job) ? " enqueueable" : "");
    }
    text << '\n';
  }
  for (size_t a = 0; a < session.state.queue_rows(); ++a) {
    const QueueId queue(a);
    if (!session.state.queue(queue).alive) continue;
    text << "queue " << session.state.queue(queue).name << (session.overused(queue) ? " overused " : " ");
    for (size_t b = 0; b < session.state.queue_rows(); ++b) {
      if (session.state.queue(QueueId(b)).alive) text << sign(order_of_queues(session, queue, QueueId(b)));
    }
    text << '\n';
  }
  for (const TaskId task : pending_tasks(session)) {
    const QueueId queue = session.state.job(session.state.task(task).job).queue_id;
    text << "task " << session.state.task(task).uid << (session.allocatable(queue, task) ? " allocatable" : "")
         << (session.preemptive(queue, task) ? " preemptive" : "") << '\n';
  }
  return text.str();
}

std::string audit_accounts(Session& session) {
  if (!session.result.decisions.evicts.empty()) return "";
  for (const JobId job : session.jobs()) {
    if (session.state.job(job).count(TaskStatus::Pipelined) > 0) return "";
  }
  engine::CycleMemory memory;
  Session other(session.state, session.policy, session.now, session.rng, memory);
  other.open();
  const std::string wrong = first_difference(answers(session, false), answers(other, false));
  return wrong.empty() ? "" : "answers of plugins that counted along and of plugins opened now:" + wrong;
}

engine::Policy audited(const engine::Policy& policy, Rng& rng, std::string& wrong) {
  const auto audit = [&rng, &wrong](Session& session) {
    if (!wrong.empty()) return;
    wrong = session.state.verify();
    if (wrong.empty()) wrong = audit_columns(session);
    if (wrong.empty()) wrong = audit_accounts(session);
    if (wrong.empty()) wrong = audit_rollback(session, rng);
  };
  engine::Policy made = policy;
  made.actions.clear();
  made.actions.push_back({.name = "audit", .run = audit});
  for (const auto& action : policy.actions) {
    made.actions.push_back(action);
    made.actions.push_back({.name = "audit after " + action.name, .run = [audit, &wrong, name = action.name](auto& s) {
                              audit(s);
                              if (!wrong.empty() && !wrong.starts_with("after "))
                                wrong = "after " + name + ": " + wrong;
                            }});
  }
  return made;
}

}  // namespace basalt::property

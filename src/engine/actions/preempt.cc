#include "engine/actions/preempt.h"

#include <algorithm>
#include <map>
#include <vector>

#include "engine/actions/eviction/eviction_columns.h"
#include "engine/actions/eviction/failed_searches.h"
#include "engine/actions/eviction/preemption.h"
#include "engine/actions/eviction/starving.h"
#include "engine/actions/queue_of_jobs.h"
#include "engine/core/node_search.h"

namespace basalt::actions {

namespace {

using engine::Session;
using engine::Statement;
using model::JobId;
using model::NodeId;
using model::QueueId;
using model::TaskId;

bool has_topology(const model::Job& job) {
  return job.topology.given || std::any_of(job.sub_groups.begin(), job.sub_groups.end(),
                                           [](const model::SubGroupPolicy& policy) { return policy.topology.given; });
}

class Preempt {
 public:
  Preempt(Session& session, const PreemptOptions& options)
      : session_(session),
        options_(options),
        columns_(session, [this](TaskId task, TaskId other) { return of_same_queue(task, other); }),
        failed_(session),
        futile_(session, session.policy.preempt_rule) {}

  void run() {
    QueueOfJobs line(session_);
    std::map<QueueId, std::vector<JobId>> starving;
    for (const JobId job : session_.waiting_jobs()) {
      if (!may_take(session_, job) || has_topology(session_.state.job(job))) continue;
      line.add(job);
      starving[session_.state.job(job).queue_id].push_back(job);
    }
    while (const auto queue = line.take_queue()) {
      while (const auto job = line.take_job(*queue)) preempt_other_jobs(*job);
      std::vector<JobId>& own = starving[*queue];
      std::sort(own.begin(), own.end(), [this](JobId a, JobId b) { return session_.job_before(a, b); });
      for (const JobId job : own) preempt_own_tasks(job);
    }
  }

 private:
  void preempt_other_jobs(JobId job) {
    Statement statement(session_);
    TaskQueue tasks = preemptor_tasks(session_, job);
    futile_.clear();
    while (!tasks.empty() && session_.job_starving(job)) {
      const TaskId task = tasks.take();
      if (failed_.covers(task)) continue;
      const bool placed = preempt_for(statement, task, [&](TaskId other) {
        return session_.state.task(other).job != job && of_same_queue(task, other);
      });
      if (!placed) failed_.remember(task);
    }
    keep_or_discard(session_, statement, job, kPreempt);
  }

  void preempt_own_tasks(JobId job) {
    TaskQueue tasks = preemptor_tasks(session_, job);
    while (!tasks.empty()) {
      const TaskId task = tasks.take();
      if (!has_own_victims(task) && !engine::best_node(session_, task)) return;
      Statement statement(session_);
      futile_.clear();
      const bool placed = preempt_for(statement, task, [&](TaskId other) {
        const model::Task& victim = session_.state.task(other);
        return may_be_victim(task, victim) && victim.job == job;
      });
      if (!placed || left_to_allocate(session_, statement, kPreempt)) return;
      statement.commit();
    }
  }

  bool may_be_victim(TaskId preemptor, const model::Task& victim) const {
    if (!model::is_preemptable(victim.status) || !victim.preemptable || !victim.job.valid()) return false;
    if (!session_.state.job(victim.job).schedulable()) return false;
    return victim.best_effort || !session_.state.task(preemptor).best_effort;
  }

  bool of_same_queue(TaskId preemptor, TaskId other) const {
    const model::Task& victim = session_.state.task(other);
    return may_be_victim(preemptor, victim) &&
           session_.state.job(victim.job).queue_id == session_.state.job(session_.state.task(preemptor).job).queue_id;
  }

  bool has_own_victims(TaskId preemptor) const {
    const auto& tasks = session_.state.job(session_.state.task(preemptor).job).tasks;
    return std::any_of(tasks.begin(), tasks.end(),
                       [&](TaskId task) { return may_be_victim(preemptor, session_.state.task(task)); });
  }

  bool preempt_for(Statement& statement, TaskId task, const VictimTest& test) {
    if (!eligible(task) || engine::pre_filter(session_, task) != engine::kFits) return false;
    const engine::NodeColumn& column = columns_.column(task);
    futile_.search_for(task);
    return options_.least_harm ? preempt_with_least_harm(session_, statement, task, column, test, options_)
                               : preempt_on_best_node(session_, statement, task, column, test, futile_);
  }

  // A task that already waits for its victims on a nominated node must not evict more.
  bool eligible(TaskId id) {
    const model::Task& task = session_.state.task(id);
    if (task.never_preempts || task.nominated_unknown) return false;
    if (!task.nominated.valid()) return true;
    const engine::VerdictId verdict = engine::filter_node(session_, id, task.nominated);
    if (verdict == engine::kFits) return false;
    if (session_.memory.verdicts.fit(verdict) == engine::Fit::Never) return true;
    const auto& there = session_.state.node(task.nominated).tasks;
    return std::none_of(there.begin(), there.end(), [&](TaskId other) {
      const model::Task& on_node = session_.state.task(other);
      return on_node.preemption_target && on_node.pod_priority < task.pod_priority;
    });
  }

  Session& session_;
  const PreemptOptions options_;
  EvictionColumns columns_;
  FailedSearches failed_;
  FutileNodes futile_;
};

}  // namespace

Result<engine::ActionRun> configure_preempt(const engine::Arguments& arguments) {
  PreemptOptions options;
  const auto cache = arguments.get_bool("predicateErrorCacheEnable", true);
  const auto least_harm = arguments.get_bool("enableTopologyAwarePreemption", options.least_harm);
  const auto workers = arguments.get_int("topologyAwarePreemptWorkerNum", 16);
  const auto percent = arguments.get_int("minCandidateNodesPercentage", options.min_percent);
  const auto min_nodes = arguments.get_int("minCandidateNodesAbsolute", options.min_nodes);
  const auto max_nodes = arguments.get_int("maxCandidateNodesAbsolute", options.max_nodes);
  if (!cache) return std::unexpected(cache.error());
  if (!least_harm) return std::unexpected(least_harm.error());
  for (const auto* number : {&workers, &percent, &min_nodes, &max_nodes}) {
    if (!*number) return std::unexpected(number->error());
  }
  options = {.least_harm = *least_harm, .min_percent = *percent, .min_nodes = *min_nodes, .max_nodes = *max_nodes};
  return engine::ActionRun([options](Session& session) { Preempt(session, options).run(); });
}

}  // namespace basalt::actions

#include "engine/actions/reclaim.h"

#include "engine/actions/eviction/eviction_columns.h"
#include "engine/actions/eviction/failed_searches.h"
#include "engine/actions/eviction/futile_nodes.h"
#include "engine/actions/eviction/starving.h"
#include "engine/actions/eviction/victims.h"
#include "engine/actions/queue_of_jobs.h"
#include "engine/core/node_search.h"
#include "engine/core/statement.h"
#include "engine/core/victim_order.h"

namespace basalt::actions {

namespace {

using engine::Session;
using engine::Statement;
using model::JobId;
using model::NodeId;
using model::QueueId;
using model::TaskId;

constexpr std::string_view kAction = "reclaim";

class Reclaim {
 public:
  explicit Reclaim(Session& session)
      : session_(session),
        columns_(session, [this](TaskId task, TaskId other) { return reclaimable_from(task, other); }),
        failed_(session),
        futile_(session, session.policy.reclaim_rule) {}

  void run() {
    QueueOfJobs line(session_);
    for (const JobId job : session_.waiting_jobs()) {
      if (may_take(session_, job)) line.add(job);
    }
    while (const auto queue = line.take_queue()) {
      if (session_.overused(*queue)) continue;
      while (const auto job = line.take_job(*queue)) reclaim_for_job(*queue, *job);
    }
  }

 private:
  void reclaim_for_job(QueueId queue, JobId job) {
    Statement statement(session_);
    TaskQueue tasks = preemptor_tasks(session_, job);
    futile_.clear();
    while (!tasks.empty() && session_.job_starving(job)) {
      const TaskId task = tasks.take();
      if (session_.state.task(task).never_preempts || !session_.preemptive(queue, task)) continue;
      if (engine::pre_filter(session_, task) != engine::kFits || failed_.covers(task)) continue;
      if (!reclaim_for_task(statement, task)) failed_.remember(task);
    }
    keep_or_discard(session_, statement, job, kAction);
  }

  bool reclaim_for_task(Statement& statement, TaskId task) {
    const engine::NodeColumn& column = columns_.column(task);
    const engine::ColumnContext context = session_.columns();
    futile_.search_for(task);
    const auto reclaim = [&](NodeId node) { return reclaim_on_node(statement, task, node); };
    return column.any_by_name(context, [&](NodeId node) { return futile_.search_unless_futile(node, reclaim); }) ||
           column.any_by_name(context, [&](NodeId node) { return take_free_room(statement, task, node); });
  }

  bool reclaim_on_node(Statement& statement, TaskId task, NodeId node) {
    const std::vector<TaskId> candidates =
        candidates_on(session_, node, [&](TaskId t) { return reclaimable_from(task, t); });
    if (candidates.empty()) return false;
    std::vector<TaskId> victims = session_.reclaimable(task, candidates);
    if (!room_after(session_, task, node, victims)) return false;
    victims = engine::in_victim_order(session_, task, victims);
    return evict_until(statement, task, node, victims, kAction, [&] { return fits_in_future(session_, task, node); });
  }

  // A gang whose room is free in part takes that part, too: with evictions alone it would never be complete, and the
  // free part would stay idle.
  bool take_free_room(Statement& statement, TaskId task, NodeId node) {
    if (!fits_in_future(session_, task, node)) return false;
    statement.pipeline(task, node, /*evicted=*/false);
    return true;
  }

  bool reclaimable_from(TaskId task, TaskId other) const {
    const model::Task& victim = session_.state.task(other);
    if (victim.status != model::TaskStatus::Running || !victim.preemptable || !victim.job.valid()) return false;
    const model::Job& job = session_.state.job(victim.job);
    if (!job.schedulable() || job.queue_id == session_.state.job(session_.state.task(task).job).queue_id) return false;
    return session_.state.queue(job.queue_id).reclaimable;
  }

  Session& session_;
  EvictionColumns columns_;
  FailedSearches failed_;
  FutileNodes futile_;
};

}  // namespace

Result<engine::ActionRun> configure_reclaim(const engine::Arguments& arguments) {
  if (auto cache = arguments.get_bool("predicateErrorCacheEnable", true); !cache) return std::unexpected(cache.error());
  return engine::ActionRun([](Session& session) { Reclaim(session).run(); });
}

}  // namespace basalt::actions

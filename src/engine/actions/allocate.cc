#include "engine/actions/allocate.h"

#include <map>
#include <optional>

#include "engine/actions/pending_work.h"
#include "engine/actions/queue_of_jobs.h"
#include "engine/actions/role_refusals.h"
#include "engine/core/node_search.h"
#include "engine/core/statement.h"

namespace basalt::actions {

namespace {

using engine::Availability;
using engine::Session;
using engine::Statement;
using model::JobId;
using model::QueueId;
using model::TaskId;

struct Options {
  bool removes_gates = false;
  bool role_refusals = false;
};

class Allocate {
 public:
  Allocate(Session& session, const Options& options) : session_(session), options_(options) {}

  void run() {
    if (!session_.policy.has_action("enqueue")) admit_all();
    QueueOfJobs line(session_);
    for (const JobId job : session_.waiting_jobs()) {
      if (takes_part(job)) line.add(job);
    }
    while (const auto queue = line.take_queue()) {
      if (session_.overused(*queue)) continue;
      const auto job = line.take_job(*queue);
      if (!job) continue;
      if (place_job(*job)) line.put_back(*job);
      line.put_back(*queue);
    }
  }

 private:
  // Without the enqueue action nobody else would let jobs in.
  void admit_all() {
    for (const JobId job : session_.jobs()) {
      if (session_.is_pending(job)) session_.set_phase(job, model::PodGroupPhase::Inqueue);
    }
  }

  bool takes_part(JobId id) const {
    const model::Job& job = session_.state.job(id);
    if (session_.is_pending(id) || job.count(model::TaskStatus::Pending) == job.pending_best_effort) return false;
    return !session_.job_invalid(id);
  }

  // One turn. Returns whether the job has more to place and may have another turn.
  bool place_job(JobId job) {
    auto known = pending_.find(job);
    if (known == pending_.end()) {
      if (session_.remembers_failure(job)) return false;
      known = pending_.emplace(job, make_pending_work(session_, job)).first;
    }
    PendingWork& pending = known->second;
    if (pending.empty()) return false;
    Statement statement(session_);
    found_a_node_ = false;
    const size_t gates_before = session_.result.decisions.gate_removals.size();
    const bool solved = place_sub_jobs(statement, job, pending);
    pending.tried_any = pending.tried_any || found_a_node_;
    if (solved && session_.job_ready(job)) {
      pending.placed_any = pending.placed_any || !statement.empty();
      statement.commit();
      if (!pending.empty()) return true;
    } else if (solved) {
      pending.placed_any = true;  // waits for releasing resources: its place is kept until the cycle ends
      statement.hold();
    }
    // A gate whose removal does not get through must be asked for again, so such a job is not forgotten about.
    const bool ungated = session_.result.decisions.gate_removals.size() > gates_before;
    if (!pending.placed_any && !ungated) session_.remember_failure(job, pending.tried_any);
    return false;
  }

  // Places sub-jobs in order until the job is ready. Returns whether the result stands (ready or pipelined).
  bool place_sub_jobs(Statement& statement, JobId job, PendingWork& pending) {
    const bool grouped = !session_.state.job(job).sub_groups.empty();
    while (!pending.empty()) {
      const size_t next = next_sub_job(session_, job, pending);
      PendingSubJob& work = pending.sub_jobs[next];
      if (grouped) session_.clear_failed_roles(job, work.sub_job);
      const auto before = statement.checkpoint();
      const bool placed = place_tasks(statement, job, work) && (!grouped || statement.checkpoint() > before);
      if (!placed || work.tasks.empty())
        pending.sub_jobs.erase(pending.sub_jobs.begin() + static_cast<ptrdiff_t>(next));
      if (!grouped || (placed && session_.job_ready(job))) break;
    }
    if (session_.job_ready(job) || (!statement.empty() && session_.job_pipelined(job))) return true;
    statement.discard();
    return false;
  }

  // Places tasks of one sub-job until it is ready. Returns false, with everything of it undone, if it is neither ready
  // nor pipelined in the end.
  bool place_tasks(Statement& statement, JobId job, PendingSubJob& work) {
    const auto before = statement.checkpoint();
    const QueueId queue = session_.state.job(job).queue_id;
    RoleRefusals refusals(options_.role_refusals);
    while (!work.tasks.empty()) {
      const TaskId task = work.tasks.take();
      if (!session_.allocatable(queue, task)) {
        session_.record_failure(task, queue_refusal());
        continue;
      }
      if (gated(task)) continue;
      const model::Task& row = session_.state.task(task);
      if (options_.role_refusals && row.role != kEmptyName && session_.role_failed(job, work.sub_job, row.role_index)) {
        session_.record_failure(task, role_refusal());
        continue;
      }
      if (!place_task(statement, task, refusals)) {
        session_.mark_role_failed(job, work.sub_job, row.role_index);
        if (worth_continuing(session_, job, work.sub_job)) continue;
        break;
      }
      if (session_.sub_job_ready(job, work.sub_job)) return true;
    }
    if (session_.sub_job_ready(job, work.sub_job) || session_.sub_job_pipelined(job, work.sub_job)) return true;
    statement.discard_to(before);
    return false;
  }

  bool place_task(Statement& statement, TaskId task, RoleRefusals& refusals) {
    if (const engine::VerdictId refused = engine::pre_filter(session_, task); refused != engine::kFits) {
      session_.record_failure(task, engine::explain_pre_filter(session_, refused));
      return false;
    }
    auto choice = engine::nominated_node(session_, task);
    if (!choice) choice = refusals.best_node(session_, task);
    if (!choice) {
      session_.record_failure(task, engine::explain_failure(session_, task));
      return false;
    }
    found_a_node_ = true;
    if (choice->availability == Availability::Idle) {
      statement.allocate(task, choice->node);
    } else {
      statement.pipeline(task, choice->node, /*evicted=*/false);
    }
    return true;
  }

  // A gated task is never placed; one that only waits for its queue is told apart, since its queue just accepted it.
  bool gated(TaskId id) {
    const model::Task& task = session_.state.task(id);
    if (task.gated && task.only_queue_gate && task.gate_opt_in && options_.removes_gates) {
      session_.result.decisions.gate_removals.push_back(id);
    }
    return task.gated;
  }

  uint32_t shared_failure(std::optional<uint32_t>& index, engine::FitFailure::Kind kind) {
    if (!index) {
      session_.result.report.failures.push_back({.kind = kind});
      index = static_cast<uint32_t>(session_.result.report.failures.size() - 1);
    }
    return *index;
  }
  uint32_t role_refusal() { return shared_failure(role_failure_, engine::FitFailure::Kind::RoleFailedBefore); }
  uint32_t queue_refusal() { return shared_failure(queue_failure_, engine::FitFailure::Kind::QueueRefused); }

  Session& session_;
  const Options options_;
  std::map<JobId, PendingWork> pending_;
  bool found_a_node_ = false;  // some task of the job in turn did
  std::optional<uint32_t> role_failure_, queue_failure_;
};

}  // namespace

Result<engine::ActionRun> configure_allocate(const engine::Arguments& arguments) {
  const auto role_refusals = arguments.get_bool("predicateErrorCacheEnable", false);
  if (!role_refusals) return std::unexpected(role_refusals.error());
  const auto gates = arguments.get_bool("schedulingGatesQueueAdmission", false);
  if (!gates) return std::unexpected(gates.error());
  const Options options{.removes_gates = *gates, .role_refusals = *role_refusals};
  return engine::ActionRun([options](Session& session) { Allocate(session, options).run(); });
}

}  // namespace basalt::actions

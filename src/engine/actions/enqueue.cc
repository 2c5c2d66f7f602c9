#include "engine/actions/enqueue.h"

#include "engine/actions/queue_of_jobs.h"

namespace basalt::actions {

namespace {

void enqueue(engine::Session& session) {
  QueueOfJobs waiting(session);
  for (const model::JobId job : session.jobs()) {
    if (session.is_pending(job)) waiting.add(job);
  }
  while (const auto queue = waiting.take_queue()) {
    const auto job = waiting.take_job(*queue);
    if (!job) continue;
    if (!session.state.job(*job).min_resources || session.job_enqueueable(*job)) {
      session.job_enqueued(*job);
      session.set_phase(*job, model::PodGroupPhase::Inqueue);
    }
    waiting.put_back(*queue);
  }
}

}  // namespace

Result<engine::ActionRun> configure_enqueue(const engine::Arguments& /*arguments*/) { return enqueue; }

}  // namespace basalt::actions

#include "engine/plugins/overcommit.h"

namespace basalt::plugins {

using engine::HookTable;
using engine::Vote;
using model::JobId;

namespace {

constexpr double kDefaultFactor = 1.2;

}  // namespace

Result<Overcommit> Overcommit::make(const engine::Arguments& arguments) {
  const Result<double> factor = arguments.get_float("overcommit-factor", kDefaultFactor);
  if (!factor) return std::unexpected(factor.error());
  Overcommit made;
  made.factor_ = *factor < 1 ? kDefaultFactor : *factor;
  return made;
}

void Overcommit::open(engine::Session& session, engine::HookBinder& binder) {
  session_ = &session;
  idle_.add_scaled(model::RealVec(session.state.total_allocatable()), factor_);
  idle_.add_scaled(model::RealVec(session.state.total_used()), -1);
  for (const JobId id : session.jobs()) {
    const model::Job& job = session.state.job(id);
    // What the job holds already is in `used`.
    if (model::holds_promise(job)) model::add_uncovered_minimum(job, promised_.inqueue);
  }
  binder.bind<&Overcommit::job_enqueueable>(&HookTable::job_enqueueable, *this);
  binder.bind<&Overcommit::job_enqueued>(&HookTable::job_enqueued, *this);
}

Vote Overcommit::job_enqueueable(JobId id) {
  const model::Job& job = session_->state.job(id);
  if (!job.min_resources) return Vote::Permit;
  auto exceeded = promised_.exceeded_with(*job.min_resources, idle_);
  if (exceeded.empty()) return Vote::Permit;
  session_->refuse_enqueue(
      id, kName,
      model::refusal_text("resource in cluster is overused", "overused", std::move(exceeded), session_->state.schema));
  return Vote::Reject;
}

void Overcommit::job_enqueued(JobId id) { model::add_promised_minimum(session_->state.job(id), promised_.inqueue); }

}  // namespace basalt::plugins

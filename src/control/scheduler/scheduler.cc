#include "control/scheduler/scheduler.h"

#include <utility>

#include "control/scheduler/scheduler_loop.h"

namespace basalt::scheduler {

Result<std::unique_ptr<Scheduler>> Scheduler::make(client::ObjectClient& client, SchedulerOptions options) {
  auto loop = std::make_unique<SchedulerLoop>(client, std::move(options));
  if (auto done = loop->load_conf(); !done) return std::unexpected(done.error());
  return std::unique_ptr<Scheduler>(new Scheduler(std::move(loop)));  // NOLINT: the constructor is private
}

Scheduler::Scheduler(std::unique_ptr<SchedulerLoop> loop) : loop_(std::move(loop)) {}
Scheduler::~Scheduler() = default;
void Scheduler::step(Instant now) { loop_->kernel().step(now); }
std::optional<Instant> Scheduler::next_due() const { return loop_->kernel().next_due(); }
void Scheduler::start() { loop_->kernel().start(); }
void Scheduler::stop() { loop_->stop(); }
SchedulerCounters Scheduler::counters() const { return loop_->counters(); }
const model::ClusterState& Scheduler::state() const { return loop_->state(); }
std::string Scheduler::metrics_text() const { return loop_->metrics_text(); }
const loop::LoopHealth& Scheduler::health() const { return loop_->kernel().health(); }
void Scheduler::ask_dump(std::function<void(const Dump&)> done) { loop_->ask_dump(std::move(done)); }

}  // namespace basalt::scheduler

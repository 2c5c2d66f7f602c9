#include "control/scheduler/scheduler.h"

#include <utility>

#include "control/scheduler/desk.h"

namespace basalt::scheduler {

Result<std::unique_ptr<Scheduler>> Scheduler::make(client::ObjectClient& client, SchedulerOptions options) {
  auto desk = std::make_unique<Desk>(client, std::move(options));
  if (auto done = desk->load_conf(); !done) return std::unexpected(done.error());
  return std::unique_ptr<Scheduler>(new Scheduler(std::move(desk)));  // NOLINT: the constructor is private
}

Scheduler::Scheduler(std::unique_ptr<Desk> desk) : desk_(std::move(desk)) {}
Scheduler::~Scheduler() = default;
void Scheduler::step(Instant now) { desk_->step(now); }
std::optional<Instant> Scheduler::next_due() const { return desk_->next_due(); }
void Scheduler::start() { desk_->start(); }
void Scheduler::stop() { desk_->stop(); }
SchedulerFigures Scheduler::figures() const { return desk_->figures(); }
const model::ClusterState& Scheduler::state() const { return desk_->state(); }
std::string Scheduler::metrics_text() const { return desk_->metrics_text(); }
const loop::Pulse& Scheduler::pulse() const { return desk_->pulse(); }
void Scheduler::ask_dump(std::function<void(const Dump&)> done) { desk_->ask_dump(std::move(done)); }

}  // namespace basalt::scheduler

#include "engine/plugins/sla.h"

#include <limits>

#include "base/duration.h"
#include "engine/core/session.h"

namespace basalt::plugins {

using engine::HookTable;
using engine::Order;
using engine::Vote;
using model::JobId;

namespace {
constexpr std::string_view kWaitingTime = "sla-waiting-time";
}

Result<Sla> Sla::make(const engine::Arguments& arguments) {
  Sla sla;
  const Result<std::string> text = arguments.get_string(kWaitingTime, "");
  if (!text) return std::unexpected(text.error());
  if (text->empty()) return sla;
  const Result<Duration> length = parse_duration(*text);
  if (!length) return std::unexpected(length.error().within("arguments.sla-waiting-time"));
  if (length->nanos <= 0) {
    return invalid("arguments.sla-waiting-time: must be above 0; leave it out if jobs have no common limit");
  }
  sla.default_limit_ = *length;
  return sla;
}

void Sla::open(engine::Session& session, engine::HookBinder& binder) {
  session_ = &session;
  binder.bind<&Sla::job_order>(&HookTable::job_order, *this);
  binder.bind<&Sla::overdue>(&HookTable::job_enqueueable, *this);
  binder.bind<&Sla::overdue>(&HookTable::job_pipelined, *this);
  binder.bind<&Sla::job_inputs>(&HookTable::job_inputs, *this);
  for (const JobId id : session.jobs()) {
    if (const auto due = deadline(id); due && *due > session.now) {
      binder.depends_on_time();
      break;
    }
  }
}

std::optional<Duration> Sla::limit(JobId id) const {
  const model::Job& job = session_->state.job(id);
  return job.waiting_time ? job.waiting_time : default_limit_;
}

std::optional<Instant> Sla::deadline(JobId id) const {
  const std::optional<Duration> wait = limit(id);
  if (!wait) return std::nullopt;
  const Instant created = session_->state.job(id).created;
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  if (created.nanos > 0 && wait->nanos > kLast - created.nanos) return Instant{kLast};
  return created + *wait;
}

Order Sla::job_order(JobId a, JobId b) const {
  const std::optional<Instant> left = deadline(a);
  const std::optional<Instant> right = deadline(b);
  if (left.has_value() != right.has_value()) return left ? Order::less : Order::greater;
  if (!left) return Order::equivalent;
  return *left <=> *right;
}

Vote Sla::overdue(JobId id) const {
  const std::optional<Instant> due = deadline(id);
  return due && *due <= session_->now ? Vote::Permit : Vote::Abstain;
}

void Sla::job_inputs(JobId id, Fingerprint& inputs) const { inputs.add(uint64_t{overdue(id) == Vote::Permit}); }

}  // namespace basalt::plugins

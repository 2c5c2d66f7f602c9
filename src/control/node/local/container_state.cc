#include "control/node/local/container_state.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace basalt::node {

bool ContainerState::has_started(const ContainerRunSpec& spec) const {
  if (phase != ContainerPhase::Running) return false;
  return !spec.startup || probe(ProbeKind::Startup).verdict() == ProbeTracker::Verdict::Good;
}

bool ContainerState::is_ready(const ContainerRunSpec& spec) const {
  if (spec.role == ContainerRole::Init) return phase == ContainerPhase::Ended && end->exit_code == 0;
  if (!has_started(spec)) return false;
  return !spec.readiness || probe(ProbeKind::Readiness).verdict() == ProbeTracker::Verdict::Good;
}

bool ContainerState::is_forgiven(const BackOffOptions& options) const {
  return !back_off_set_.is_set() || (end && end->finished - back_off_set_ > options.good_run);
}

Instant ContainerState::may_start_at(const BackOffOptions& options) const {
  if (phase == ContainerPhase::Waiting) return try_at;
  if (!end || is_forgiven(options)) return kNever;
  return end->finished + back_off_;
}

void ContainerState::begin(Instant now, const BackOffOptions& options) {
  check(is_quiet(), "a container is started when nothing of it runs");
  if (phase == ContainerPhase::Ended) {
    back_off_ = is_forgiven(options) ? options.first : Duration{std::min(back_off_.nanos * 2, options.longest.nanos)};
    back_off_set_ = now;
    ++restarts;
    last = std::exchange(end, std::nullopt);
  }
  phase = ContainerPhase::Starting;
  ++run;
  waiting_reason.clear();
  waiting_message.clear();
  try_at = kNever;
  stop.reset();
  hook_sent = lost = back_off_reported = false;
  hook_until = kNever;
  started = kNever;
  for (ProbeTracker& track : probes) track.reset();
}

void ContainerState::has_begun(Instant now) {
  phase = ContainerPhase::Settling;
  started = now;
  tries = 0;
}

void ContainerState::not_yet(std::string reason, std::string message, Instant at) {
  phase = ContainerPhase::Waiting;
  waiting_reason = std::move(reason);
  waiting_message = std::move(message);
  try_at = at;
  stop.reset();
}

void ContainerState::ended(Terminated how) {
  phase = ContainerPhase::Ended;
  end = std::move(how);
  stop.reset();
}

void ContainerState::begin_stop(Instant now, Duration grace) {
  const Instant by = now + grace;
  if (stop) {
    stop->by = std::min(stop->by, by);
    if (stop->kill_at.is_set()) stop->kill_at = std::min(stop->kill_at, by);
    return;
  }
  stop = ContainerStop{.by = by};
}

}  // namespace basalt::node

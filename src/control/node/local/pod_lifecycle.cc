#include "control/node/local/pod_lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kube/api/views/pod_view.h"

namespace basalt::node {

PodLifecycle::PodLifecycle(const text::Object& pod, PodLifecycleOptions options, Instant now,
                           std::span<const DetachedRun> kept)
    : spec_(read_pod_spec(pod)), options_(options), states_(spec_.containers.size()), start_(now) {
  adopt(pod, now);
  for (const DetachedRun& run : kept) adopt_run(run);
  observe(pod, now);
}

void PodLifecycle::observe(const text::Object& object, Instant now) {
  const api::PodView pod(object);
  generation_ = pod.metadata().generation();
  const PodRunSpec fresh = read_pod_spec(object);
  spec_.active_deadline = fresh.active_deadline;  // of what a pod's spec lets change, this is all that concerns us
  open_gates_ = open_gates(object, spec_.readiness_gates);
  const PodPhase phase = parse_pod_phase(pod.status().phase());
  if (!ending_ && (phase == PodPhase::Succeeded || phase == PodPhase::Failed)) {
    final_ = phase;
    reason_ = pod.status().reason();
    message_ = pod.status().message();
    end_pod(spec_.grace, now);
  }
  if (pod.metadata().deletion_timestamp().empty()) return;
  deleted_ = true;
  const int64_t fallback = spec_.grace.nanos / Duration::seconds(1).nanos;
  const int64_t grace = pod.metadata().deletion_grace_period_seconds().value_or(fallback);
  end_pod(Duration::seconds(std::clamp<int64_t>(grace, 0, kMaxPodSeconds)), now);
}

void PodLifecycle::vanished(Instant now) {
  deleted_ = true;
  end_pod(kForcedGrace, now);
}

void PodLifecycle::try_again() {
  try_at_ = kNever;
  for (ContainerState& state : states_) {
    if (state.phase == ContainerPhase::Waiting) state.try_at = kNever;
  }
}

PodSyncResult PodLifecycle::advance(Instant now) {
  PodSyncResult result;
  if (stage_ != Stage::Over) {
    if (!ending_ && spec_.active_deadline) {
      const Instant deadline = start_ + *spec_.active_deadline;
      if (deadline <= now) {
        reason_ = "DeadlineExceeded";
        message_ = "Pod was active on the node longer than the specified deadline";
        end_pod(spec_.grace, now);
      } else {
        result.look_again(deadline);
      }
    }
    if (!ending_) set_up_volumes(now, result);
    for (size_t i = 0; i < states_.size(); ++i) settle(i, now, result);
    if (!ending_ && stage_ == Stage::Open) run_containers(now, result);
    for (size_t i = 0; i < states_.size(); ++i) watch_over(i, now, result);
    if (ending_ && stage_ != Stage::LayingOut && all_quiet()) {
      result.actions.emplace_back(CleanUpPod{});
      stage_ = Stage::Over;
    }
  }
  result.notes = std::exchange(notes_, {});
  return result;
}

void PodLifecycle::set_up_volumes(Instant now, PodSyncResult& result) {
  if (stage_ != Stage::New && stage_ != Stage::Blocked) return;
  if (try_at_ > now) return result.look_again(try_at_);
  stage_ = Stage::LayingOut;
  result.actions.emplace_back(SetUpVolumes{});
}

void PodLifecycle::run_containers(Instant now, PodSyncResult& result) {
  bool through = true;
  for (size_t i = 0; i < spec_.inits && !ending_; ++i) {
    if (initialized_) {
      if (spec_.containers[i].role == ContainerRole::Sidecar) start_if_due(i, now, result);
    } else if (!pass_init(i, now, result)) {
      through = false;
      break;
    }
  }
  if (ending_ || (!through && !initialized_)) return;
  initialized_ = true;
  bool all_settled = true;
  for (size_t i = spec_.inits; i < states_.size(); ++i) {
    start_if_due(i, now, result);
    all_settled = all_settled && is_settled(i);
  }
  if (!all_settled) return;
  for (size_t i = spec_.inits; i < states_.size(); ++i) blame_restart(i);
  end_pod(spec_.grace, now);
}

// Whether the init containers after this one may go on.
bool PodLifecycle::pass_init(size_t index, Instant now, PodSyncResult& result) {
  const ContainerRunSpec& spec = spec_.containers[index];
  ContainerState& state = states_[index];
  if (spec.role == ContainerRole::Sidecar) {
    start_if_due(index, now, result);
    return state.has_started(spec);
  }
  if (state.phase == ContainerPhase::Ended && state.end->exit_code == 0) return true;
  if (is_settled(index)) {
    blame_restart(index);
    end_pod(spec_.grace, now);
    return false;
  }
  start_if_due(index, now, result);
  return false;
}

void PodLifecycle::start_if_due(size_t index, Instant now, PodSyncResult& result) {
  ContainerState& state = states_[index];
  if (!state.is_quiet() || is_settled(index)) return;
  const Instant at = state.may_start_at(options_.back_off);
  if (at <= now) {
    state.begin(now, options_.back_off);
    result.actions.emplace_back(
        StartContainer{.id = {.container = index, .run = state.run}, .restarts = state.restarts});
    return;
  }
  result.look_again(at);
  if (state.phase != ContainerPhase::Ended || std::exchange(state.back_off_reported, true)) return;
  note(index, true, "BackOff",
       fmt::format("Back-off restarting failed container {} in pod {}_{}({})", spec_.containers[index].name, spec_.name,
                   spec_.namespace_name, spec_.uid));
}

bool PodLifecycle::is_settled(size_t index) const {
  const ContainerState& state = states_[index];
  return state.phase == ContainerPhase::Ended && !spec_.containers[index].may_run_again(state.end->exit_code);
}

void PodLifecycle::blame_restart(size_t index) {
  if (!states_[index].lost || !reason_.empty()) return;
  reason_ = kNodeRestarted;
  message_ = fmt::format("container {} was running when the node was restarted", spec_.containers[index].name);
}

bool PodLifecycle::all_quiet() const {
  return std::ranges::all_of(states_, [](const ContainerState& state) { return state.is_quiet(); });
}

Duration PodLifecycle::retry_delay(int64_t tries) const {
  constexpr int64_t kDoublings = 20;
  return std::min(options_.longest_retry, Duration{options_.first_retry.nanos << std::min(tries, kDoublings)});
}

void PodLifecycle::end_pod(Duration grace, Instant now) {
  ending_ = true;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (!states_[i].is_quiet()) stop_container(i, grace, "Stopping container " + spec_.containers[i].name, now);
  }
}

void PodLifecycle::note(size_t container, bool warning, std::string reason, std::string message) {
  notes_.push_back(
      {.container = container, .warning = warning, .reason = std::move(reason), .message = std::move(message)});
}

}  // namespace basalt::node

#include "control/node/local/pod_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kube/api/object_fields.h"

namespace basalt::node {

PodMachine::PodMachine(const text::Object& pod, MachineOptions options, Instant now, std::span<const KeptRun> kept)
    : spec_(read_pod_spec(pod)), options_(options), states_(spec_.containers.size()), start_(now) {
  adopt(pod, now);
  for (const KeptRun& run : kept) adopt_run(run);
  observe(pod, now);
}

void PodMachine::observe(const text::Object& pod, Instant now) {
  generation_ = api::int_at(pod, {"metadata", "generation"});
  const PodSpec fresh = read_pod_spec(pod);
  spec_.active_deadline = fresh.active_deadline;  // of what a pod's spec lets change, this is all that concerns us
  open_gates_ = open_gates(pod, spec_.readiness_gates);
  const PodPhase phase = phase_called(api::string_at(pod, {"status", "phase"}));
  if (!ending_ && (phase == PodPhase::Succeeded || phase == PodPhase::Failed)) {
    final_ = phase;
    reason_ = api::string_at(pod, {"status", "reason"});
    message_ = api::string_at(pod, {"status", "message"});
    end_pod(spec_.grace, now);
  }
  if (api::string_at(pod, {"metadata", "deletionTimestamp"}).empty()) return;
  deleted_ = true;
  const int64_t fallback = spec_.grace.nanos / Duration::seconds(1).nanos;
  const int64_t grace = api::int_at(pod, {"metadata", "deletionGracePeriodSeconds"}, fallback);
  end_pod(Duration::seconds(std::clamp<int64_t>(grace, 0, kMaxPodSeconds)), now);
}

void PodMachine::vanished(Instant now) {
  deleted_ = true;
  end_pod(kForcedGrace, now);
}

void PodMachine::try_again() {
  try_at_ = kNever;
  for (ContainerState& state : states_) {
    if (state.life == Life::Waiting) state.try_at = kNever;
  }
}

Turn PodMachine::advance(Instant now) {
  Turn turn;
  if (stage_ != Stage::Over) {
    if (!ending_ && spec_.active_deadline) {
      const Instant deadline = start_ + *spec_.active_deadline;
      if (deadline <= now) {
        reason_ = "DeadlineExceeded";
        message_ = "Pod was active on the node longer than the specified deadline";
        end_pod(spec_.grace, now);
      } else {
        turn.look_again(deadline);
      }
    }
    if (!ending_) lay_out(now, turn);
    for (size_t i = 0; i < states_.size(); ++i) settle(i, now, turn);
    if (!ending_ && stage_ == Stage::Open) run_containers(now, turn);
    for (size_t i = 0; i < states_.size(); ++i) watch_over(i, now, turn);
    if (ending_ && stage_ != Stage::LayingOut && all_quiet()) {
      turn.orders.emplace_back(CleanUp{});
      stage_ = Stage::Over;
    }
  }
  turn.notes = std::exchange(notes_, {});
  return turn;
}

void PodMachine::lay_out(Instant now, Turn& turn) {
  if (stage_ != Stage::New && stage_ != Stage::Blocked) return;
  if (try_at_ > now) return turn.look_again(try_at_);
  stage_ = Stage::LayingOut;
  turn.orders.emplace_back(LayOutVolumes{});
}

void PodMachine::run_containers(Instant now, Turn& turn) {
  bool through = true;
  for (size_t i = 0; i < spec_.inits && !ending_; ++i) {
    if (initialized_) {
      if (spec_.containers[i].role == Role::Sidecar) start_if_due(i, now, turn);
    } else if (!pass_init(i, now, turn)) {
      through = false;
      break;
    }
  }
  if (ending_ || (!through && !initialized_)) return;
  initialized_ = true;
  bool all_settled = true;
  for (size_t i = spec_.inits; i < states_.size(); ++i) {
    start_if_due(i, now, turn);
    all_settled = all_settled && is_settled(i);
  }
  if (!all_settled) return;
  for (size_t i = spec_.inits; i < states_.size(); ++i) blame_restart(i);
  end_pod(spec_.grace, now);
}

// Whether the init containers after this one may go on.
bool PodMachine::pass_init(size_t index, Instant now, Turn& turn) {
  const ContainerSpec& spec = spec_.containers[index];
  ContainerState& state = states_[index];
  if (spec.role == Role::Sidecar) {
    start_if_due(index, now, turn);
    return state.has_started(spec);
  }
  if (state.life == Life::Ended && state.end->exit_code == 0) return true;
  if (is_settled(index)) {
    blame_restart(index);
    end_pod(spec_.grace, now);
    return false;
  }
  start_if_due(index, now, turn);
  return false;
}

void PodMachine::start_if_due(size_t index, Instant now, Turn& turn) {
  ContainerState& state = states_[index];
  if (!state.is_quiet() || is_settled(index)) return;
  const Instant at = state.may_start_at(options_.back_off);
  if (at <= now) {
    state.begin(now, options_.back_off);
    turn.orders.emplace_back(StartContainer{.id = {.container = index, .run = state.run}, .restarts = state.restarts});
    return;
  }
  turn.look_again(at);
  if (state.life != Life::Ended || std::exchange(state.told_back_off, true)) return;
  note(index, true, "BackOff",
       fmt::format("Back-off restarting failed container {} in pod {}_{}({})", spec_.containers[index].name, spec_.name,
                   spec_.space, spec_.uid));
}

bool PodMachine::is_settled(size_t index) const {
  const ContainerState& state = states_[index];
  return state.life == Life::Ended && !spec_.containers[index].may_run_again(state.end->exit_code);
}

void PodMachine::blame_restart(size_t index) {
  if (!states_[index].lost || !reason_.empty()) return;
  reason_ = kNodeRestarted;
  message_ = fmt::format("container {} was running when the node was restarted", spec_.containers[index].name);
}

bool PodMachine::all_quiet() const {
  return std::ranges::all_of(states_, [](const ContainerState& state) { return state.is_quiet(); });
}

Duration PodMachine::retry_delay(int64_t tries) const {
  constexpr int64_t kDoublings = 20;
  return std::min(options_.longest_retry, Duration{options_.first_retry.nanos << std::min(tries, kDoublings)});
}

void PodMachine::end_pod(Duration grace, Instant now) {
  ending_ = true;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (!states_[i].is_quiet()) stop_container(i, grace, "Stopping container " + spec_.containers[i].name, now);
  }
}

void PodMachine::note(size_t container, bool warning, std::string reason, std::string message) {
  notes_.push_back(
      {.container = container, .warning = warning, .reason = std::move(reason), .message = std::move(message)});
}

}  // namespace basalt::node

// How a PodMachine looks after containers that have a process: postStart, probes, and the way to their end.
#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "control/node/local/pod_machine.h"

namespace basalt::node {

void PodMachine::watch_over(size_t index, Instant now, Turn& turn) {
  ContainerState& state = states_[index];
  if (state.life == Life::Running) make_probes(index, now, turn);
  if (state.stop && state.has_process()) drive_stop(index, now, turn);
}

void PodMachine::settle(size_t index, Instant now, Turn& turn) {
  const ContainerSpec& spec = spec_.containers[index];
  ContainerState& state = states_[index];
  if (state.life != Life::Settling) return;
  if (!spec.post_start) {
    state.life = Life::Running;
    return;
  }
  if (!std::exchange(state.hook_sent, true)) {
    if (spec.post_start->means == Means::Sleep) {
      state.hook_until = now + spec.post_start->sleep;
    } else {
      turn.orders.emplace_back(RunHook{.id = {.container = index, .run = state.run}, .hook = Hook::PostStart});
    }
  }
  if (!state.hook_until.is_set()) return;
  if (state.hook_until <= now) {
    state.life = Life::Running;
  } else {
    turn.look_again(state.hook_until);
  }
}

void PodMachine::make_probes(size_t index, Instant now, Turn& turn) {
  const ContainerSpec& spec = spec_.containers[index];
  ContainerState& state = states_[index];
  for (const ProbeKind kind : {ProbeKind::Startup, ProbeKind::Liveness, ProbeKind::Readiness}) {
    const std::optional<ProbeSpec>& probe = spec.probe(kind);
    if (!probe || (kind != ProbeKind::Startup && !state.has_started(spec))) continue;
    if (state.stop && kind != ProbeKind::Readiness) continue;
    const std::optional<Instant> due = state.probe(kind).due(*probe, state.started);
    if (!due) continue;
    if (*due > now) {
      turn.look_again(*due);
      continue;
    }
    state.probe(kind).sent(*probe, now);
    turn.orders.emplace_back(MakeProbe{.id = {.container = index, .run = state.run}, .kind = kind});
  }
}

// Sidecars serve the others until these are gone, and those that started first go last.
bool PodMachine::is_turn_to_stop(size_t index) const {
  if (!ending_ || spec_.containers[index].role != Role::Sidecar) return true;
  for (size_t i = index + 1; i < states_.size(); ++i) {
    if (!states_[i].is_quiet()) return false;
  }
  return true;
}

void PodMachine::drive_stop(size_t index, Instant now, Turn& turn) {
  const ContainerSpec& spec = spec_.containers[index];
  ContainerState& state = states_[index];
  ContainerStop& stop = *state.stop;
  const RunId id{.container = index, .run = state.run};
  if (!stop.asked) {
    const bool in_time = now < stop.by;
    if (spec.pre_stop && in_time && !std::exchange(stop.hook_sent, true)) {
      if (spec.pre_stop->means == Means::Sleep) {
        stop.hook_until = now + spec.pre_stop->sleep;
      } else {
        turn.orders.emplace_back(RunHook{.id = id, .hook = Hook::PreStop, .longest = stop.by - now});
      }
    }
    const bool slept = stop.hook_until.is_set() && stop.hook_until <= now;
    const bool awaits_hook = stop.hook_sent && !stop.hook_done && !slept;
    if (in_time && (awaits_hook || !is_turn_to_stop(index))) {
      turn.look_again(awaits_hook && stop.hook_until.is_set() ? std::min(stop.hook_until, stop.by) : stop.by);
      return;
    }
    stop.asked = true;
    stop.kill_at = std::max(stop.by, now + kShortestStop);
    turn.orders.emplace_back(SendSignal{.id = id, .signal = spec.stop_signal});
  }
  if (stop.killed) return;
  if (now < stop.kill_at) return turn.look_again(stop.kill_at);
  stop.killed = true;
  turn.orders.emplace_back(SendSignal{.id = id, .signal = SIGKILL});
}

void PodMachine::stop_container(size_t index, Duration grace, std::string why, Instant now) {
  ContainerState& state = states_[index];
  if (!state.stop) note(index, false, "Killing", std::move(why));
  state.begin_stop(now, grace);
}

}  // namespace basalt::node

// How a PodLifecycle looks after containers that have a process: postStart, probes, and the way to their end.
#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "control/node/local/pod_lifecycle.h"

namespace basalt::node {

void PodLifecycle::watch_over(size_t index, Instant now, PodSyncResult& result) {
  ContainerState& state = states_[index];
  if (state.phase == ContainerPhase::Running) make_probes(index, now, result);
  if (state.stop && state.has_process()) drive_stop(index, now, result);
}

void PodLifecycle::settle(size_t index, Instant now, PodSyncResult& result) {
  const ContainerRunSpec& spec = spec_.containers[index];
  ContainerState& state = states_[index];
  if (state.phase != ContainerPhase::Settling) return;
  if (!spec.post_start) {
    state.phase = ContainerPhase::Running;
    return;
  }
  if (!std::exchange(state.hook_sent, true)) {
    if (spec.post_start->kind == HandlerKind::Sleep) {
      state.hook_until = now + spec.post_start->sleep;
    } else {
      result.actions.emplace_back(
          RunHook{.id = {.container = index, .run = state.run}, .hook = LifecycleHook::PostStart});
    }
  }
  if (!state.hook_until.is_set()) return;
  if (state.hook_until <= now) {
    state.phase = ContainerPhase::Running;
  } else {
    result.look_again(state.hook_until);
  }
}

void PodLifecycle::make_probes(size_t index, Instant now, PodSyncResult& result) {
  const ContainerRunSpec& spec = spec_.containers[index];
  ContainerState& state = states_[index];
  for (const ProbeKind kind : {ProbeKind::Startup, ProbeKind::Liveness, ProbeKind::Readiness}) {
    const std::optional<ProbeSpec>& probe = spec.probe(kind);
    if (!probe || (kind != ProbeKind::Startup && !state.has_started(spec))) continue;
    if (state.stop && kind != ProbeKind::Readiness) continue;
    const std::optional<Instant> due = state.probe(kind).due(*probe, state.started);
    if (!due) continue;
    if (*due > now) {
      result.look_again(*due);
      continue;
    }
    state.probe(kind).sent(*probe, now);
    result.actions.emplace_back(RunProbe{.id = {.container = index, .run = state.run}, .kind = kind});
  }
}

// Sidecars serve the others until these are gone, and those that started first go last.
bool PodLifecycle::is_turn_to_stop(size_t index) const {
  if (!ending_ || spec_.containers[index].role != ContainerRole::Sidecar) return true;
  for (size_t i = index + 1; i < states_.size(); ++i) {
    if (!states_[i].is_quiet()) return false;
  }
  return true;
}

void PodLifecycle::drive_stop(size_t index, Instant now, PodSyncResult& result) {
  const ContainerRunSpec& spec = spec_.containers[index];
  ContainerState& state = states_[index];
  ContainerStop& stop = *state.stop;
  const RunId id{.container = index, .run = state.run};
  if (!stop.asked) {
    const bool in_time = now < stop.by;
    if (spec.pre_stop && in_time && !std::exchange(stop.hook_sent, true)) {
      if (spec.pre_stop->kind == HandlerKind::Sleep) {
        stop.hook_until = now + spec.pre_stop->sleep;
      } else {
        result.actions.emplace_back(RunHook{.id = id, .hook = LifecycleHook::PreStop, .longest = stop.by - now});
      }
    }
    const bool slept = stop.hook_until.is_set() && stop.hook_until <= now;
    const bool awaits_hook = stop.hook_sent && !stop.hook_done && !slept;
    if (in_time && (awaits_hook || !is_turn_to_stop(index))) {
      result.look_again(awaits_hook && stop.hook_until.is_set() ? std::min(stop.hook_until, stop.by) : stop.by);
      return;
    }
    stop.asked = true;
    stop.kill_at = std::max(stop.by, now + kShortestStop);
    result.actions.emplace_back(SendSignal{.id = id, .signal = spec.stop_signal});
  }
  if (stop.killed) return;
  if (now < stop.kill_at) return result.look_again(stop.kill_at);
  stop.killed = true;
  result.actions.emplace_back(SendSignal{.id = id, .signal = SIGKILL});
}

void PodLifecycle::stop_container(size_t index, Duration grace, std::string why, Instant now) {
  ContainerState& state = states_[index];
  if (!state.stop) note(index, false, "Killing", std::move(why));
  state.begin_stop(now, grace);
}

}  // namespace basalt::node

// What a PodLifecycle makes of news.
#include <fmt/format.h>

#include <utility>

#include "control/node/local/pod_lifecycle.h"

namespace basalt::node {

void PodLifecycle::tell(const PodLifecycleEvent& news, Instant now) {
  std::visit([&](const auto& one) { take(one, now); }, news);
}

ContainerState* PodLifecycle::state_of(const RunId& id) {
  if (id.container >= states_.size()) return nullptr;
  ContainerState& state = states_[id.container];
  return state.run == id.run && !state.is_quiet() ? &state : nullptr;
}

void PodLifecycle::take(const VolumesReady& /*news*/, Instant /*now*/) {
  if (stage_ != Stage::LayingOut) return;
  stage_ = Stage::Open;
  laid_out_ = true;
  tries_ = 0;
  blocked_.clear();
}

void PodLifecycle::take(const VolumesFailed& news, Instant now) {
  if (stage_ != Stage::LayingOut) return;
  stage_ = Stage::Blocked;
  try_at_ = now + retry_delay(tries_++);
  blocked_ = news.message;
  note(PodEventNote::kWholePod, true, "FailedMount", news.message);
}

void PodLifecycle::take(const ContainerStarted& news, Instant now) {
  ContainerState* state = state_of(news.id);
  if (state == nullptr || state->phase != ContainerPhase::Starting) return;
  state->has_begun(now);
  note(news.id.container, false, "Started", "Container started");
}

void PodLifecycle::take(const ContainerStartFailed& news, Instant now) {
  ContainerState* state = state_of(news.id);
  if (state == nullptr || state->phase != ContainerPhase::Starting) return;
  note(news.id.container, true, "Failed", "Error: " + news.message);
  if (news.configuration) {
    state->not_yet(news.reason, news.message, now + retry_delay(state->tries++));
    return;
  }
  constexpr int64_t kNeverRan = 128;
  state->ended({.exit_code = kNeverRan,
                .signal = 0,
                .reason = news.reason,
                .message = news.message,
                .started = kNever,
                .finished = now,
                .container_id = container_id(news.id.container)});
}

void PodLifecycle::take(const ContainerExited& news, Instant now) {
  ContainerState* state = state_of(news.id);
  if (state == nullptr) return;
  // The end may overtake the news that it had begun.
  if (state->phase == ContainerPhase::Starting) take(ContainerStarted{.id = news.id}, now);
  state->ended({.exit_code = news.code,
                .signal = news.signal,
                .reason = news.out_of_memory ? "OOMKilled" : "",
                .message = news.message,
                .started = state->started,
                .finished = news.at.is_set() ? news.at : now,
                .container_id = container_id(news.id.container)});
}

void PodLifecycle::take(const HookFinished& news, Instant now) {
  ContainerState* state = state_of(news.id);
  if (state == nullptr) return;
  const size_t index = news.id.container;
  if (news.hook == LifecycleHook::PreStop) {
    if (state->stop) state->stop->hook_done = true;
    if (!news.good) note(index, true, "FailedPreStopHook", "PreStopHook failed: " + news.message);
    return;
  }
  if (state->phase != ContainerPhase::Settling) return;
  if (news.good) {
    state->phase = ContainerPhase::Running;
    return;
  }
  note(index, true, "FailedPostStartHook", "PostStartHook failed: " + news.message);
  stop_container(index, spec_.grace, "FailedPostStartHook", now);
}

void PodLifecycle::take(const ProbeFinished& news, Instant now) {
  ContainerState* state = state_of(news.id);
  if (state == nullptr || state->phase != ContainerPhase::Running) return;
  const size_t index = news.id.container;
  const ContainerRunSpec& spec = spec_.containers[index];
  const std::optional<ProbeSpec>& probe = spec.probe(news.kind);
  if (!probe) return;
  const bool changed = state->probe(news.kind).answered(*probe, news.kind, news.good);
  if (news.good) return;
  const std::string_view name = to_text(news.kind);
  note(index, true, "Unhealthy", fmt::format("{} probe failed: {}", name, news.message));
  if (!changed || news.kind == ProbeKind::Readiness || state->stop) return;
  constexpr int64_t kKilled = 137;
  stop_container(
      index, probe->grace.value_or(spec_.grace),
      fmt::format("Container {} failed {} probe{}", spec.name, news.kind == ProbeKind::Startup ? "startup" : "liveness",
                  spec.may_run_again(kKilled) ? ", will be restarted" : ""),
      now);
}

}  // namespace basalt::node

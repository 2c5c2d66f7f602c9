// What a PodMachine makes of news.
#include <fmt/format.h>

#include <utility>

#include "control/node/local/pod_machine.h"

namespace basalt::node {

void PodMachine::tell(const PodNews& news, Instant now) {
  std::visit([&](const auto& one) { take(one, now); }, news);
}

ContainerState* PodMachine::state_of(const RunId& id) {
  if (id.container >= states_.size()) return nullptr;
  ContainerState& state = states_[id.container];
  return state.run == id.run && !state.is_quiet() ? &state : nullptr;
}

void PodMachine::take(const VolumesReady& /*news*/, Instant /*now*/) {
  if (stage_ != Stage::LayingOut) return;
  stage_ = Stage::Open;
  laid_out_ = true;
  tries_ = 0;
}

void PodMachine::take(const VolumesFailed& news, Instant now) {
  if (stage_ != Stage::LayingOut) return;
  stage_ = Stage::Blocked;
  try_at_ = now + retry_delay(tries_++);
  note(PodNote::kWholePod, true, "FailedMount", news.message);
}

void PodMachine::take(const Started& news, Instant now) {
  ContainerState* state = state_of(news.id);
  if (state == nullptr || state->life != Life::Starting) return;
  state->has_begun(now);
  note(news.id.container, false, "Started", "Container started");
}

void PodMachine::take(const StartFailed& news, Instant now) {
  ContainerState* state = state_of(news.id);
  if (state == nullptr || state->life != Life::Starting) return;
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

void PodMachine::take(const Exited& news, Instant now) {
  ContainerState* state = state_of(news.id);
  if (state == nullptr) return;
  // The end may overtake the news that it had begun.
  if (state->life == Life::Starting) take(Started{.id = news.id}, now);
  state->ended({.exit_code = news.code,
                .signal = news.signal,
                .reason = news.out_of_memory ? "OOMKilled" : "",
                .message = news.message,
                .started = state->started,
                .finished = news.at.is_set() ? news.at : now,
                .container_id = container_id(news.id.container)});
}

void PodMachine::take(const HookDone& news, Instant now) {
  ContainerState* state = state_of(news.id);
  if (state == nullptr) return;
  const size_t index = news.id.container;
  if (news.hook == Hook::PreStop) {
    if (state->stop) state->stop->hook_done = true;
    if (!news.good) note(index, true, "FailedPreStopHook", "PreStopHook failed: " + news.message);
    return;
  }
  if (state->life != Life::Settling) return;
  if (news.good) {
    state->life = Life::Running;
    return;
  }
  note(index, true, "FailedPostStartHook", "PostStartHook failed: " + news.message);
  stop_container(index, spec_.grace, "FailedPostStartHook", now);
}

void PodMachine::take(const ProbeAnswered& news, Instant now) {
  ContainerState* state = state_of(news.id);
  if (state == nullptr || state->life != Life::Running) return;
  const size_t index = news.id.container;
  const ContainerSpec& spec = spec_.containers[index];
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

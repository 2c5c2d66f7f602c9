// What a PodLifecycle says about its pod, and what it takes over from a former node's words.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "control/node/local/pod_lifecycle.h"
#include "kube/api/age_text.h"
#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace {

constexpr int64_t kKilled = 137;

Terminated terminated_of(api::ContainerStateTerminatedView at) {
  return {.exit_code = at.exit_code(),
          .signal = at.signal(),
          .reason = std::string(at.reason()),
          .message = std::string(at.message()),
          .started = api::time_of(at.started_at()),
          .finished = api::time_of(at.finished_at()),
          .container_id = std::string(at.container_id())};
}

// The container as the former node left it.
void adopt_container(api::ContainerStatusView status, ContainerState& state, Instant now) {
  state.restarts = std::max<int64_t>(0, status.restart_count());
  const api::ContainerStateTerminatedView last = status.last_state().terminated();
  if (last) state.last = terminated_of(last);
  if (const api::ContainerStateTerminatedView ended = status.state().terminated()) {
    state.phase = ContainerPhase::Ended;
    state.end = terminated_of(ended);
  } else if (const api::ContainerStateRunningView running = status.state().running()) {
    state.phase = ContainerPhase::Ended;
    state.lost = true;
    // For the case that it is not lost.
    if (status.started().value_or(false)) state.probe(ProbeKind::Startup).take_over(ProbeKind::Startup);
    if (status.ready()) state.probe(ProbeKind::Readiness).take_over(ProbeKind::Readiness);
    state.end = Terminated{.exit_code = kKilled,
                           .signal = 0,
                           .reason = std::string(kNodeRestarted),
                           .message = "the node was restarted while it ran",
                           .started = api::time_of(running.started_at()),
                           .finished = now,
                           .container_id = std::string(status.container_id())};
  } else if (last) {
    state.phase = ContainerPhase::Ended;
    state.end = std::exchange(state.last, std::nullopt);
  }
}

bool has_run(const ContainerState& state) { return state.phase == ContainerPhase::Running || state.end || state.last; }

}  // namespace

void PodLifecycle::adopt(const text::Object& pod, Instant now) {
  const api::PodStatusView status = api::PodView(pod).status();
  if (const Instant start = api::time_of(status.start_time()); start.is_set()) start_ = start;
  for (const auto& statuses : {status.init_container_statuses(), status.container_statuses()}) {
    for (const api::ContainerStatusView one : statuses) {
      if (const auto index = find_container(spec_, one.name())) adopt_container(one, states_[*index], now);
    }
  }
  const auto main = states_.begin() + static_cast<std::ptrdiff_t>(spec_.inits);
  initialized_ = std::any_of(main, states_.end(), has_run);
}

// It goes on where the former node saw it last. A run that this node had not told about yet is one whose postStart hook
// may not have run.
void PodLifecycle::adopt_run(const DetachedRun& kept) {
  const auto index = find_container(spec_, kept.container);
  if (!index) return;
  ContainerState& state = states_[*index];
  const bool told = state.lost && state.restarts == kept.restarts;
  state.started = told ? state.end->started : kept.started;
  if (!told && state.end) state.last = state.end;
  if (!told) {
    for (ProbeTracker& track : state.probes) track.reset();
  }
  state.end.reset();
  state.lost = false;
  state.restarts = kept.restarts;
  state.phase = told ? ContainerPhase::Running : ContainerPhase::Settling;
  state.run = 1;
  laid_out_ = true;
  if (*index >= spec_.inits) initialized_ = true;
}

std::string PodLifecycle::container_id(size_t index) const {
  return fmt::format("basalt://{}/{}/{}", spec_.uid, spec_.containers[index].name, states_[index].restarts);
}

ContainerStatusReport PodLifecycle::report_of(size_t index) const {
  const ContainerRunSpec& spec = spec_.containers[index];
  const ContainerState& state = states_[index];
  ContainerStatusReport report{.name = spec.name, .image = spec.image, .image_id = spec.image, .container_id = {}};
  report.last = state.last;
  report.restarts = state.restarts;
  report.ready = state.is_ready(spec);
  report.started = state.has_started(spec);
  report.sidecar = spec.role == ContainerRole::Sidecar;
  if (has_run(state)) report.container_id = container_id(index);
  if (state.phase == ContainerPhase::Running) {
    report.state = Running{.started = state.started};
  } else if (state.phase != ContainerPhase::Ended) {
    const std::string_view usual = spec_.inits > 0 ? "PodInitializing" : "ContainerCreating";
    report.state = Waiting{.reason = state.waiting_reason.empty() ? std::string(usual) : state.waiting_reason,
                           .message = state.waiting_message.empty() ? blocked_ : state.waiting_message};
  } else if (ending_ || stage_ != Stage::Open || is_settled(index)) {
    report.state = *state.end;
  } else {
    report.state = crash_loop(
        state.back_off(), spec.name,
        {.resource = {}, .namespace_name = spec_.namespace_name, .name = spec_.name, .uid = spec_.uid, .version = {}});
    report.last = state.end;
  }
  return report;
}

PodPhase PodLifecycle::phase() const {
  if (final_) return *final_;
  const auto main = states_.begin() + static_cast<std::ptrdiff_t>(spec_.inits);
  if (ending_ && stage_ != Stage::LayingOut && all_quiet()) {
    const bool good = reason_.empty() && initialized_ && std::all_of(main, states_.end(), [](const auto& state) {
                        return state.phase == ContainerPhase::Ended && state.end->exit_code == 0;
                      });
    return good ? PodPhase::Succeeded : PodPhase::Failed;
  }
  return initialized_ && std::all_of(main, states_.end(), has_run) ? PodPhase::Running : PodPhase::Pending;
}

PodStatusReport PodLifecycle::report() const {
  PodStatusReport report{.phase = phase()};
  const bool final = report.phase == PodPhase::Succeeded || report.phase == PodPhase::Failed;
  if (final) {
    report.reason = reason_;
    report.message = message_;
    report.disrupted = report.phase == PodPhase::Failed && reason_ == kNodeRestarted;
  }
  report.start = start_;
  report.sandbox = laid_out_ && !final;
  report.gates = open_gates_;
  report.generation = generation_;
  for (size_t i = 0; i < states_.size(); ++i) {
    (i < spec_.inits ? report.init : report.main).push_back(report_of(i));
  }
  return report;
}

std::vector<std::string> open_gates(const text::Object& pod, const std::vector<std::string>& gates) {
  std::vector<std::string> open;
  for (const std::string& gate : gates) {
    std::string_view status;
    for (const api::PodConditionView condition : api::PodView(pod).status().conditions()) {
      if (condition.type() == gate) status = condition.status();
    }
    if (status.empty()) {
      open.push_back(fmt::format("corresponding condition of pod readiness gate \"{}\" does not exist.", gate));
    } else if (status != "True") {
      open.push_back(fmt::format("the status of pod readiness gate \"{}\" is not \"True\", but {}", gate, status));
    }
  }
  return open;
}

}  // namespace basalt::node

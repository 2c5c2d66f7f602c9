#include "control/node/simulated/simulated_pod.h"

#include <algorithm>

#include "kube/api/age_text.h"
#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace {

using State = SimulatedContainer::State;

constexpr int64_t kSecond = Duration::seconds(1).nanos;
constexpr int64_t kMaxRestarts = 1'000'000'000;

// Whoever may write a status may write nonsense into it: what is far from our time counts as absent, so that sums and
// differences of times stay within their range.
constexpr Instant kLastTime = Instant::from_unix_seconds(7'258'118'400);  // 2200

Instant time_in(std::string_view written) {
  const Instant time = api::time_of(written);
  return time > kNever && time < kLastTime ? time : kNever;
}

SimulatedRun ended_run(api::ContainerStateTerminatedView terminated) {
  return {.started = time_in(terminated.started_at()),
          .finished = time_in(terminated.finished_at()),
          .exit_code = terminated.exit_code()};
}

void read_status(api::ContainerStatusView status, SimulatedContainer& container) {
  container.restarts = std::clamp<int64_t>(status.restart_count(), 0, kMaxRestarts);
  if (const api::ContainerStateRunningView running = status.state().running()) {
    container.state = State::Running;
    container.run.started = time_in(running.started_at());
  } else if (const api::ContainerStateTerminatedView terminated = status.state().terminated()) {
    container.state = State::Ended;
    container.run = ended_run(terminated);
  }
  if (const auto last = status.last_state().terminated()) container.last = ended_run(last);
}

std::vector<SimulatedContainer> containers_of(api::ListView<api::ContainerView> wanted,
                                              api::ListView<api::ContainerStatusView> reported) {
  std::vector<SimulatedContainer> list;
  list.reserve(std::min(wanted.size(), kMaxContainers));
  for (const api::ContainerView spec : wanted) {
    if (list.size() == kMaxContainers) break;
    SimulatedContainer container{.name = std::string(spec.name()),
                                 .image = std::string(spec.image()),
                                 .sidecar = spec.restart_policy() == "Always"};
    for (const api::ContainerStatusView status : reported) {
      if (status.name() != container.name) continue;
      read_status(status, container);
      break;
    }
    list.push_back(std::move(container));
  }
  return list;
}

}  // namespace

loop::WriteTarget SimulatedPod::target() const {
  return {.resource = {.group = "", .version = "v1", .plural = "pods"},
          .namespace_name = namespace_name,
          .name = name,
          .uid = uid,
          .version = version};
}

Instant SimulatedPod::exactly(Instant told) const {
  const bool same_second = told.is_set() && exact.is_set() && exact.nanos / kSecond == told.nanos / kSecond;
  return same_second ? exact : told;
}

SimulatedPod read_simulated_pod(const text::Object& object, const std::optional<RunRange>& run) {
  const api::PodView pod(object);
  const api::ObjectMetaView metadata = pod.metadata();
  return {.namespace_name = std::string(metadata.namespace_name()),
          .name = std::string(metadata.name()),
          .uid = std::string(metadata.uid()),
          .version = std::string(metadata.resource_version()),
          .node = std::string(pod.spec().node_name()),
          .phase = parse_pod_phase(pod.status().phase()),
          .policy = parse_restart_policy(pod.spec().restart_policy()),
          .deleting = !metadata.deletion_timestamp().empty(),
          .finalized = !metadata.finalizers().empty(),
          .host_network = pod.spec().host_network(),
          .deletion = time_in(metadata.deletion_timestamp()),
          .grace = metadata.deletion_grace_period_seconds().value_or(0),
          .deadline = pod.spec().active_deadline_seconds(),
          .start = time_in(pod.status().start_time()),
          .generation = metadata.generation(),
          .seen = seen_conditions(pod.status()),
          .behaviour = behaviour_of(metadata.annotations(), run),
          .init = containers_of(pod.spec().init_containers(), pod.status().init_container_statuses()),
          .main = containers_of(pod.spec().containers(), pod.status().container_statuses())};
}

}  // namespace basalt::node

#include "control/node/simulated/simulated_pod.h"

#include <algorithm>

#include "kube/api/age_text.h"
#include "kube/api/object_fields.h"

namespace basalt::node {
namespace {

using api::string_at;
using State = SimulatedContainer::State;

constexpr int64_t kSecond = Duration::seconds(1).nanos;
constexpr int64_t kMaxRestarts = 1'000'000'000;

// Whoever may write a status may write nonsense into it: what is far from our time counts as absent, so that sums and
// differences of times stay within their range.
constexpr Instant kLastTime = Instant::from_unix_seconds(7'258'118'400);  // 2200

Instant time_in(const text::Object& object, std::initializer_list<std::string_view> path) {
  const Instant time = api::time_at(object, path);
  return time > kNever && time < kLastTime ? time : kNever;
}

const text::Object* status_called(const text::Array* statuses, std::string_view name) {
  if (statuses == nullptr) return nullptr;
  for (const text::Value& value : *statuses) {
    if (value.is_object() && string_at(value.get_object(), "name") == name) return &value.get_object();
  }
  return nullptr;
}

SimulatedRun ended_run(const text::Object& terminated) {
  return {.started = time_in(terminated, {"startedAt"}),
          .finished = time_in(terminated, {"finishedAt"}),
          .exit_code = api::int_at(terminated, {"exitCode"})};
}

void read_status(const text::Object& status, SimulatedContainer& container) {
  container.restarts = std::clamp<int64_t>(api::int_at(status, {"restartCount"}), 0, kMaxRestarts);
  if (const text::Object* running = api::object_at(status, {"state", "running"})) {
    container.state = State::Running;
    container.run.started = time_in(*running, {"startedAt"});
  } else if (const text::Object* terminated = api::object_at(status, {"state", "terminated"})) {
    container.state = State::Ended;
    container.run = ended_run(*terminated);
  }
  if (const text::Object* last = api::object_at(status, {"lastState", "terminated"})) container.last = ended_run(*last);
}

std::vector<SimulatedContainer> containers_of(const text::Object& pod, std::string_view specs,
                                              std::string_view statuses) {
  std::vector<SimulatedContainer> list;
  const text::Array* wanted = api::array_at(pod, {"spec", specs});
  if (wanted == nullptr) return list;
  const text::Array* reported = api::array_at(pod, {"status", statuses});
  list.reserve(std::min(wanted->size(), kMaxContainers));
  for (const text::Value& value : *wanted) {
    if (!value.is_object() || list.size() == kMaxContainers) continue;
    const text::Object& spec = value.get_object();
    SimulatedContainer container{.name = std::string(string_at(spec, "name")),
                                 .image = std::string(string_at(spec, "image")),
                                 .sidecar = string_at(spec, "restartPolicy") == "Always"};
    if (const text::Object* status = status_called(reported, container.name)) read_status(*status, container);
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

SimulatedPod read_simulated_pod(const text::Object& pod, const std::optional<RunRange>& run) {
  SimulatedPod view{.namespace_name = std::string(api::namespace_of(pod)),
                    .name = std::string(api::name_of(pod)),
                    .uid = std::string(string_at(pod, {"metadata", "uid"})),
                    .version = std::string(string_at(pod, {"metadata", "resourceVersion"})),
                    .node = std::string(string_at(pod, {"spec", "nodeName"})),
                    .phase = parse_pod_phase(string_at(pod, {"status", "phase"})),
                    .policy = parse_restart_policy(string_at(pod, {"spec", "restartPolicy"})),
                    .host_network = api::bool_at(pod, {"spec", "hostNetwork"}),
                    .deletion = time_in(pod, {"metadata", "deletionTimestamp"}),
                    .grace = api::int_at(pod, {"metadata", "deletionGracePeriodSeconds"}),
                    .start = time_in(pod, {"status", "startTime"}),
                    .generation = api::int_at(pod, {"metadata", "generation"}),
                    .seen = seen_conditions(pod),
                    .behaviour = behaviour_of(pod, run),
                    .init = containers_of(pod, "initContainers", "initContainerStatuses"),
                    .main = containers_of(pod, "containers", "containerStatuses")};
  view.deleting = !string_at(pod, {"metadata", "deletionTimestamp"}).empty();
  const text::Array* finalizers = api::array_at(pod, {"metadata", "finalizers"});
  view.finalized = finalizers != nullptr && !finalizers->empty();
  const text::Value* deadline = api::value_at(pod, {"spec", "activeDeadlineSeconds"});
  if (deadline != nullptr && deadline->is_int64()) view.deadline = deadline->get_int64();
  return view;
}

}  // namespace basalt::node

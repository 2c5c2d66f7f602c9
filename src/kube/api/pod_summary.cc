#include "kube/api/pod_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "kube/api/age_text.h"
#include "kube/api/object_fields.h"

namespace basalt::api {
namespace {

using Path = std::initializer_list<std::string_view>;

struct Restarts {
  int64_t count = 0;
  Instant last = kNever;

  void add(const text::Object& status) {
    count += std::clamp<int64_t>(int_at(status, {"restartCount"}), 0, std::numeric_limits<int32_t>::max());
    last = std::max(last, time_at(status, {"lastState", "terminated", "finishedAt"}));
  }
};

// The objects of a list; what is no object is left out.
std::vector<const text::Object*> objects_at(const text::Object& object, Path path) {
  std::vector<const text::Object*> found;
  if (const text::Array* list = array_at(object, path)) {
    for (const text::Value& value : *list) {
      if (value.is_object()) found.push_back(&value.get_object());
    }
  }
  return found;
}

// An init container that goes on running beside the main ones.
bool is_sidecar(const text::Object& pod, std::string_view container) {
  for (const text::Object* spec : objects_at(pod, {"spec", "initContainers"})) {
    if (string_at(*spec, "name") == container) return string_at(*spec, "restartPolicy") == "Always";
  }
  return false;
}

// How a container ended: its reason, or the signal, or the code.
std::string ending(const text::Object& terminated) {
  if (const std::string_view reason = string_at(terminated, "reason"); !reason.empty()) return std::string(reason);
  if (const int64_t signal = int_at(terminated, {"signal"}); signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", int_at(terminated, {"exitCode"}));
}

struct Reading {
  PodSummary summary;
  Restarts restarts;
};

// Looks at init containers up to the first that holds the pod up; answers whether there is one.
bool summarize_init(const text::Object& pod, Reading& reading, Restarts& of_sidecars) {
  const auto statuses = objects_at(pod, {"status", "initContainerStatuses"});
  for (size_t i = 0; i < statuses.size(); ++i) {
    const text::Object& status = *statuses[i];
    const bool sidecar = is_sidecar(pod, string_at(status, "name"));
    reading.restarts.add(status);
    if (sidecar) of_sidecars.add(status);
    const text::Object* terminated = object_at(status, {"state", "terminated"});
    if (terminated != nullptr && int_at(*terminated, {"exitCode"}) == 0) continue;
    if (sidecar && bool_at(status, {"started"})) {
      reading.summary.ready += bool_at(status, {"ready"}) ? 1 : 0;
      continue;
    }
    const std::string_view waiting = string_at(status, {"state", "waiting", "reason"});
    if (terminated != nullptr) {
      reading.summary.status = "Init:" + ending(*terminated);
    } else if (!waiting.empty() && waiting != "PodInitializing") {
      reading.summary.status = fmt::format("Init:{}", waiting);
    } else {
      const text::Array* specs = array_at(pod, {"spec", "initContainers"});
      reading.summary.status = fmt::format("Init:{}/{}", i, specs == nullptr ? 0 : specs->size());
    }
    return true;
  }
  return false;
}

// The first container with something to tell names the reason; so the list is read from its end.
void summarize_main(const text::Object& pod, Reading& reading) {
  const auto statuses = objects_at(pod, {"status", "containerStatuses"});
  PodSummary& summary = reading.summary;
  bool running = false;
  std::string failure;
  for (size_t i = statuses.size(); i-- > 0;) {
    const text::Object& status = *statuses[i];
    reading.restarts.add(status);
    const std::string_view waiting = string_at(status, {"state", "waiting", "reason"});
    if (!waiting.empty()) {
      summary.status = waiting;
    } else if (const text::Object* terminated = object_at(status, {"state", "terminated"}); terminated != nullptr) {
      summary.status = ending(*terminated);
      if (int_at(*terminated, {"exitCode"}) != 0) failure = summary.status;
    } else if (bool_at(status, {"ready"}) && object_at(status, {"state", "running"}) != nullptr) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.status != "Completed") return;
  // One container completed, but it is not the whole story.
  if (running && condition_true(pod, "Ready")) {
    summary.status = "Running";
  } else if (!failure.empty()) {
    summary.status = failure;
  } else if (running) {
    summary.status = "NotReady";
  }
}

// What the pod says before anybody looks at its containers.
std::string first_status(const text::Object& pod) {
  for (const text::Object* condition : objects_at(pod, {"status", "conditions"})) {
    if (string_at(*condition, "type") == "PodScheduled" && string_at(*condition, "reason") == "SchedulingGated") {
      return "SchedulingGated";
    }
  }
  const std::string_view reason = string_at(pod, {"status", "reason"});
  return std::string(reason.empty() ? string_at(pod, {"status", "phase"}) : reason);
}

}  // namespace

bool condition_true(const text::Object& object, std::string_view type) {
  for (const text::Object* condition : objects_at(object, {"status", "conditions"})) {
    if (string_at(*condition, "type") == type) return string_at(*condition, "status") == "True";
  }
  return false;
}

PodSummary summarize_pod(const text::Object& pod) {
  Reading reading;
  PodSummary& summary = reading.summary;
  summary.status = first_status(pod);
  if (const text::Array* containers = array_at(pod, {"spec", "containers"})) {
    summary.total = static_cast<int64_t>(containers->size());
  }
  for (const text::Object* spec : objects_at(pod, {"spec", "initContainers"})) {
    if (string_at(*spec, "restartPolicy") == "Always") ++summary.total;
  }
  Restarts of_sidecars;
  if (!summarize_init(pod, reading, of_sidecars) || condition_true(pod, "Initialized")) {
    reading.restarts = of_sidecars;
    summarize_main(pod, reading);
  }
  const std::string_view phase = string_at(pod, {"status", "phase"});
  if (const text::Value* deletion = value_at(pod, {"metadata", "deletionTimestamp"});
      deletion != nullptr && !deletion->is_null()) {
    if (string_at(pod, {"status", "reason"}) == "NodeLost") {
      summary.status = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      summary.status = "Terminating";
    }
  }
  summary.restarts = reading.restarts.count;
  summary.last_restart = reading.restarts.last;
  return summary;
}

std::string PodSummary::ready_text() const { return fmt::format("{}/{}", ready, total); }

std::string PodSummary::restarts_text(Instant now) const {
  if (restarts == 0 || !last_restart.is_set()) return std::to_string(restarts);
  return fmt::format("{} ({} ago)", restarts, age_since(last_restart, now));
}

}  // namespace basalt::api

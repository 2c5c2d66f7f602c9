#include "kube/api/pod_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kube/api/age_text.h"

namespace basalt::api {
namespace {

struct Restarts {
  int64_t count = 0;
  Instant last = kNever;

  void add(ContainerStatusView status) {
    count += std::clamp<int64_t>(status.restart_count(), 0, std::numeric_limits<int32_t>::max());
    last = std::max(last, time_of(status.last_state().terminated().finished_at()));
  }
};

// An init container that goes on running beside the main ones.
bool is_sidecar(PodSpecView spec, std::string_view name) {
  for (const ContainerView container : spec.init_containers()) {
    if (container.name() == name) return container.restart_policy() == "Always";
  }
  return false;
}

// How a container ended: its reason, or the signal, or the code.
std::string ending(ContainerStateTerminatedView terminated) {
  if (const std::string_view reason = terminated.reason(); !reason.empty()) return std::string(reason);
  if (const int64_t signal = terminated.signal(); signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", terminated.exit_code());
}

struct Reading {
  PodSummary summary;
  Restarts restarts;
};

// Looks at init containers up to the first that holds the pod up; answers whether there is one.
bool summarize_init(PodView pod, Reading& reading, Restarts& of_sidecars) {
  size_t done = 0;
  for (const ContainerStatusView status : pod.status().init_container_statuses()) {
    const size_t index = done++;
    const bool sidecar = is_sidecar(pod.spec(), status.name());
    reading.restarts.add(status);
    if (sidecar) of_sidecars.add(status);
    const ContainerStateTerminatedView terminated = status.state().terminated();
    if (terminated && terminated.exit_code() == 0) continue;
    if (sidecar && status.started().value_or(false)) {
      reading.summary.ready += status.ready() ? 1 : 0;
      continue;
    }
    const std::string_view waiting = status.state().waiting().reason();
    if (terminated) {
      reading.summary.status = "Init:" + ending(terminated);
    } else if (!waiting.empty() && waiting != "PodInitializing") {
      reading.summary.status = fmt::format("Init:{}", waiting);
    } else {
      reading.summary.status = fmt::format("Init:{}/{}", index, pod.spec().init_containers().size());
    }
    return true;
  }
  return false;
}

// The first container with something to tell names the reason; so the list is read from its end.
void summarize_main(PodStatusView of_pod, Reading& reading) {
  const ListView<ContainerStatusView> statuses = of_pod.container_statuses();
  PodSummary& summary = reading.summary;
  bool running = false;
  std::string failure;
  for (size_t i = statuses.size(); i-- > 0;) {
    const ContainerStatusView status = statuses[i];
    reading.restarts.add(status);
    if (const std::string_view waiting = status.state().waiting().reason(); !waiting.empty()) {
      summary.status = waiting;
    } else if (const ContainerStateTerminatedView terminated = status.state().terminated()) {
      summary.status = ending(terminated);
      if (terminated.exit_code() != 0) failure = summary.status;
    } else if (status.ready() && status.state().running()) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.status != "Completed") return;
  // One container completed, but it is not the whole story.
  if (running && condition_true(of_pod.conditions(), "Ready")) {
    summary.status = "Running";
  } else if (!failure.empty()) {
    summary.status = failure;
  } else if (running) {
    summary.status = "NotReady";
  }
}

// What the pod says before anybody looks at its containers.
std::string first_status(PodStatusView status) {
  for (const PodConditionView condition : status.conditions()) {
    if (condition.type() == "PodScheduled" && condition.reason() == "SchedulingGated") return "SchedulingGated";
  }
  return std::string(status.reason().empty() ? status.phase() : status.reason());
}

}  // namespace

bool condition_true(ListView<PodConditionView> conditions, std::string_view type) {
  for (const PodConditionView condition : conditions) {
    if (condition.type() == type) return condition.status() == "True";
  }
  return false;
}

PodSummary summarize_pod(PodView pod) {
  Reading reading;
  PodSummary& summary = reading.summary;
  const PodStatusView status = pod.status();
  summary.status = first_status(status);
  summary.total = static_cast<int64_t>(pod.spec().containers().size());
  for (const ContainerView container : pod.spec().init_containers()) {
    if (container.restart_policy() == "Always") ++summary.total;
  }
  Restarts of_sidecars;
  if (!summarize_init(pod, reading, of_sidecars) || condition_true(status.conditions(), "Initialized")) {
    reading.restarts = of_sidecars;
    summarize_main(status, reading);
  }
  if (!pod.metadata().deletion_timestamp().empty()) {
    if (status.reason() == "NodeLost") {
      summary.status = "Unknown";
    } else if (const std::string_view phase = status.phase(); phase != "Succeeded" && phase != "Failed") {
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

// The STATUS of a pod is the hardest word in kubectl: it sums up phase, reasons, init and main containers and deletion.
#include <fmt/format.h>

#include <algorithm>

#include "server/table/cells.h"
#include "server/table/kinds.h"

namespace basalt::server {
namespace {

struct Restarts {
  int64_t count = 0;
  Instant last = kNever;

  void add(const text::Value& status) {
    count += int_at(status, {"restartCount"});
    last = std::max(last, time_at(status, {"lastState", "terminated", "finishedAt"}));
  }
};

struct PodSummary {
  int64_t ready = 0, total = 0;
  std::string reason;
  Restarts restarts;
};

// An init container that goes on running beside the main ones (a sidecar).
bool is_sidecar(const text::Value& pod, std::string_view container) {
  for (const text::Value& spec : list_at(pod, {"spec", "initContainers"})) {
    if (text_at(spec, {"name"}) == container) return text_at(spec, {"restartPolicy"}) == "Always";
  }
  return false;
}

// How a container ended: its reason, or the signal, or the code.
std::string ending(const text::Value& terminated) {
  if (const std::string_view reason = text_at(terminated, {"reason"}); !reason.empty()) return std::string(reason);
  if (const int64_t signal = int_at(terminated, {"signal"}); signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", int_at(terminated, {"exitCode"}));
}

// Looks at init containers up to the first that holds the pod up; answers whether there is one.
bool summarize_init(const text::Value& pod, PodSummary& summary, Restarts& of_sidecars) {
  const text::Array& statuses = list_at(pod, {"status", "initContainerStatuses"});
  for (size_t i = 0; i < statuses.size(); ++i) {
    const text::Value& status = statuses[i];
    const bool sidecar = is_sidecar(pod, text_at(status, {"name"}));
    summary.restarts.add(status);
    if (sidecar) of_sidecars.add(status);
    const text::Value* terminated = at(status, {"state", "terminated"});
    if (terminated != nullptr && int_at(*terminated, {"exitCode"}) == 0) continue;
    if (sidecar && bool_at(status, {"started"})) {
      summary.ready += bool_at(status, {"ready"}) ? 1 : 0;
      continue;
    }
    const std::string_view waiting = text_at(status, {"state", "waiting", "reason"});
    if (terminated != nullptr) {
      summary.reason = "Init:" + ending(*terminated);
    } else if (!waiting.empty() && waiting != "PodInitializing") {
      summary.reason = fmt::format("Init:{}", waiting);
    } else {
      summary.reason = fmt::format("Init:{}/{}", i, list_at(pod, {"spec", "initContainers"}).size());
    }
    return true;
  }
  return false;
}

// The first container with something to tell names the reason; so the list is read from its end.
void summarize_main(const text::Value& pod, PodSummary& summary) {
  const text::Array& statuses = list_at(pod, {"status", "containerStatuses"});
  bool running = false;
  std::string failure;
  for (size_t i = statuses.size(); i-- > 0;) {
    const text::Value& status = statuses[i];
    summary.restarts.add(status);
    const std::string_view waiting = text_at(status, {"state", "waiting", "reason"});
    if (!waiting.empty()) {
      summary.reason = waiting;
    } else if (const text::Value* terminated = at(status, {"state", "terminated"}); terminated != nullptr) {
      summary.reason = ending(*terminated);
      if (int_at(*terminated, {"exitCode"}) != 0) failure = summary.reason;
    } else if (bool_at(status, {"ready"}) && at(status, {"state", "running"}) != nullptr) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.reason != "Completed") return;
  // One container completed, but it is not the whole story.
  if (running && condition_true(pod, "Ready")) {
    summary.reason = "Running";
  } else if (!failure.empty()) {
    summary.reason = failure;
  } else if (running) {
    summary.reason = "NotReady";
  }
}

PodSummary summarize(const text::Value& pod) {
  PodSummary summary;
  const std::string_view phase = text_at(pod, {"status", "phase"});
  const std::string_view status_reason = text_at(pod, {"status", "reason"});
  summary.reason = status_reason.empty() ? phase : status_reason;
  for (const text::Value& condition : list_at(pod, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) == "PodScheduled" && text_at(condition, {"reason"}) == "SchedulingGated") {
      summary.reason = "SchedulingGated";
    }
  }
  summary.total = static_cast<int64_t>(list_at(pod, {"spec", "containers"}).size());
  for (const text::Value& spec : list_at(pod, {"spec", "initContainers"})) {
    if (text_at(spec, {"restartPolicy"}) == "Always") ++summary.total;
  }
  Restarts of_sidecars;
  if (!summarize_init(pod, summary, of_sidecars) || condition_true(pod, "Initialized")) {
    summary.restarts = of_sidecars;
    summarize_main(pod, summary);
  }
  if (is_terminating(pod)) {
    if (status_reason == "NodeLost") {
      summary.reason = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      summary.reason = "Terminating";
    }
  }
  return summary;
}

std::string gates_text(const text::Value& pod) {
  const text::Array& gates = list_at(pod, {"spec", "readinessGates"});
  if (gates.empty()) return "<none>";
  const auto open = std::count_if(gates.begin(), gates.end(), [&pod](const text::Value& gate) {
    return condition_true(pod, text_at(gate, {"conditionType"}));
  });
  return fmt::format("{}/{}", open, gates.size());
}

}  // namespace

void fill_pod(const text::Value& object, Instant now, text::Array& cells) {
  const PodSummary summary = summarize(object);
  std::string restarts = std::to_string(summary.restarts.count);
  if (summary.restarts.count != 0 && summary.restarts.last.is_set()) {
    restarts += fmt::format(" ({} ago)", age_since(summary.restarts.last, now));
  }
  const text::Array& ips = list_at(object, {"status", "podIPs"});
  cells.emplace_back(name_of(object));
  cells.emplace_back(fmt::format("{}/{}", summary.ready, summary.total));
  cells.emplace_back(summary.reason);
  cells.emplace_back(restarts);
  cells.emplace_back(age_of(object, now));
  cells.emplace_back(ips.empty() ? "<none>" : text_or(ips[0], {"ip"}, "<none>"));
  cells.emplace_back(text_or(object, {"spec", "nodeName"}, "<none>"));
  cells.emplace_back(text_or(object, {"status", "nominatedNodeName"}, "<none>"));
  cells.emplace_back(gates_text(object));
}

text::Value row_conditions_of_pod(const text::Value& pod) {
  const std::string_view phase = text_at(pod, {"status", "phase"});
  if (phase != "Succeeded" && phase != "Failed") return nullptr;
  const std::string_view message = phase == "Failed" ? "The pod failed." : "The pod succeeded.";
  return text::Array{text::Object{{"type", "Completed"}, {"status", "True"}, {"reason", phase}, {"message", message}}};
}

}  // namespace basalt::server

#include "control/node/pod_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kube/api/views/pod_view.h"
#include "kube/text/go_duration.h"
#include "kube/text/rfc3339.h"

namespace basalt::node {
namespace {

constexpr std::array<std::string_view, 5> kConditions = {"PodReadyToStartContainers", "Initialized", "ContainersReady",
                                                         "Ready", "DisruptionTarget"};
enum : uint8_t { kSandbox, kInitialized, kContainersReady, kReady, kDisruption };

constexpr Duration kFirstBackOff = Duration::seconds(10);
constexpr Duration kLongestBackOff = Duration::seconds(300);
constexpr Duration kForgiven = Duration::seconds(600);

struct Verdict {
  bool holds = false;
  std::string reason, message;
};

bool has_started(const ContainerStatusReport& container) {
  return !std::holds_alternative<Waiting>(container.state) || container.last.has_value();
}

// "[a b]", as Go prints a list.
std::string listed(const std::vector<std::string_view>& names) { return fmt::format("[{}]", fmt::join(names, " ")); }

bool has_ended(PodPhase phase) { return phase == PodPhase::Succeeded || phase == PodPhase::Failed; }

Verdict initialized(const PodStatusReport& report) {
  if (report.phase == PodPhase::Succeeded) return {.holds = true, .reason = "PodCompleted", .message = ""};
  if (std::ranges::any_of(report.main, has_started)) return {.holds = true};
  std::vector<std::string_view> open;
  for (const ContainerStatusReport& one : report.init) {
    if (one.sidecar ? !one.started : !one.ready) open.push_back(one.name);
  }
  if (open.empty()) return {.holds = true};
  return {.holds = false,
          .reason = "ContainersNotInitialized",
          .message = "containers with incomplete status: " + listed(open)};
}

Verdict containers_ready(const PodStatusReport& report) {
  if (has_ended(report.phase)) {
    return {.holds = false, .reason = report.phase == PodPhase::Failed ? "PodFailed" : "PodCompleted", .message = ""};
  }
  std::vector<std::string_view> unready;
  for (const ContainerStatusReport& one : report.init) {
    if (one.sidecar && !one.ready) unready.push_back(one.name);
  }
  for (const ContainerStatusReport& one : report.main) {
    if (!one.ready) unready.push_back(one.name);
  }
  if (unready.empty()) return {.holds = true};
  return {
      .holds = false, .reason = "ContainersNotReady", .message = "containers with unready status: " + listed(unready)};
}

std::array<Verdict, 5> verdicts(const PodStatusReport& report) {
  std::array<Verdict, 5> all;
  all[kSandbox].holds = report.sandbox;
  all[kInitialized] = initialized(report);
  all[kContainersReady] = containers_ready(report);
  all[kReady] = all[kContainersReady];
  if (all[kReady].holds && !report.gates.empty()) {
    all[kReady] = {.holds = false,
                   .reason = "ReadinessGatesNotReady",
                   .message = fmt::format("{}", fmt::join(report.gates, ", "))};
  }
  if (report.disrupted) all[kDisruption] = {.holds = true, .reason = report.reason, .message = report.message};
  return all;
}

// `worded`: what was said before has to be taken back.
void put_words(text::Object& condition, std::string_view key, const std::string& words, bool worded) {
  if (!words.empty()) {
    condition[key] = words;
  } else if (worded) {
    condition[key] = nullptr;
  }
}

text::Array conditions_patch(const PodStatusReport& report, const SeenConditions& seen, const std::string& stamp) {
  text::Array list;
  const std::array<Verdict, 5> all = verdicts(report);
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == kDisruption && !all[i].holds) continue;  // others tell of disruptions too: theirs stay as they are
    using Status = SeenConditions::Status;
    const SeenConditions::One& before = seen.of[i];
    text::Object condition{{"type", kConditions[i]}, {"status", all[i].holds ? "True" : "False"}};
    if (before.status != (all[i].holds ? Status::True : Status::False)) condition["lastTransitionTime"] = stamp;
    put_words(condition, "reason", all[i].reason, before.worded);
    put_words(condition, "message", all[i].message, before.worded);
    if (report.generation > 0) condition["observedGeneration"] = report.generation;
    list.emplace_back(std::move(condition));
  }
  return list;
}

text::Object terminated_object(const Terminated& end) {
  std::string_view reason = end.reason;
  if (reason.empty()) reason = end.exit_code == 0 ? "Completed" : "Error";
  text::Object value{{"exitCode", end.exit_code}, {"reason", reason}};
  if (end.signal != 0) value["signal"] = end.signal;
  if (!end.message.empty()) value["message"] = end.message;
  if (end.started.is_set()) value["startedAt"] = text::format_time(end.started);
  if (end.finished.is_set()) value["finishedAt"] = text::format_time(end.finished);
  if (!end.container_id.empty()) value["containerID"] = end.container_id;
  return value;
}

text::Object state_object(const std::variant<Waiting, Running, Terminated>& state) {
  if (const auto* waiting = std::get_if<Waiting>(&state)) {
    text::Object value{{"reason", waiting->reason}};
    if (!waiting->message.empty()) value["message"] = waiting->message;
    return {{"waiting", std::move(value)}};
  }
  if (const auto* running = std::get_if<Running>(&state)) {
    return {{"running", text::Object{{"startedAt", text::format_time(running->started)}}}};
  }
  return {{"terminated", terminated_object(std::get<Terminated>(state))}};
}

text::Array statuses(const std::vector<ContainerStatusReport>& containers) {
  text::Array list;
  list.reserve(containers.size());
  for (const ContainerStatusReport& one : containers) list.emplace_back(container_status(one));
  return list;
}

}  // namespace

PodPhase parse_pod_phase(std::string_view text) {
  const PodPhase phase = api::parse_pod_phase(text);
  return phase == PodPhase::Unknown ? PodPhase::Pending : phase;
}

RestartPolicy parse_restart_policy(std::string_view text) {
  if (text == "Never") return RestartPolicy::Never;
  return text == "OnFailure" ? RestartPolicy::OnFailure : RestartPolicy::Always;
}

bool may_restart(RestartPolicy policy, int64_t exit_code) {
  return policy == RestartPolicy::Always || (policy == RestartPolicy::OnFailure && exit_code != 0);
}

PodPhase phase_of(const PodStatusReport& report, RestartPolicy policy) {
  for (const ContainerStatusReport& init : report.init) {
    const auto* ended = std::get_if<Terminated>(&init.state);
    if (!init.sidecar && ended != nullptr && ended->exit_code != 0 && policy == RestartPolicy::Never) {
      return PodPhase::Failed;
    }
  }
  bool running = false;
  bool failed = false;
  bool restarts = false;
  for (const ContainerStatusReport& one : report.main) {
    if (!has_started(one)) return PodPhase::Pending;
    const auto* ended = std::get_if<Terminated>(&one.state);
    running = running || std::holds_alternative<Running>(one.state);
    restarts = restarts || std::holds_alternative<Waiting>(one.state);  // it ended and waits for its next run
    if (ended == nullptr) continue;
    failed = failed || ended->exit_code != 0;
    restarts = restarts || may_restart(policy, ended->exit_code);
  }
  if (report.main.empty()) return PodPhase::Pending;
  if (running || restarts) return PodPhase::Running;
  return failed ? PodPhase::Failed : PodPhase::Succeeded;
}

SeenConditions seen_conditions(api::PodStatusView status) {
  SeenConditions seen;
  for (const api::PodConditionView condition : status.conditions()) {
    const auto at = std::ranges::find(kConditions, condition.type());
    if (at == kConditions.end()) continue;
    using Status = SeenConditions::Status;
    seen.of[static_cast<size_t>(at - kConditions.begin())] = {
        .status = condition.status() == "True" ? Status::True : Status::False,
        .worded = !condition.reason().empty() || !condition.message().empty()};
  }
  return seen;
}

text::Object container_status(const ContainerStatusReport& report) {
  text::Object value{{"name", report.name},
                     {"image", report.image},
                     {"imageID", report.image_id},
                     {"restartCount", report.restarts},
                     {"ready", report.ready},
                     {"started", report.started},
                     {"state", state_object(report.state)},
                     {"lastState", text::Object()}};
  if (report.last) value["lastState"] = text::Object{{"terminated", terminated_object(*report.last)}};
  if (!report.container_id.empty()) value["containerID"] = report.container_id;
  return value;
}

text::Object status_patch(const PodStatusReport& report, const SeenConditions& seen, Instant now) {
  text::Object status{{"phase", to_text(report.phase)},
                      {"conditions", conditions_patch(report, seen, text::format_time(now))},
                      {"containerStatuses", statuses(report.main)}};
  if (!report.init.empty()) status["initContainerStatuses"] = statuses(report.init);
  if (!report.reason.empty()) status["reason"] = report.reason;
  if (!report.message.empty()) status["message"] = report.message;
  if (report.start.is_set()) status["startTime"] = text::format_time(report.start);
  if (report.generation > 0) status["observedGeneration"] = report.generation;
  if (!report.host_ip.empty()) {
    status["hostIP"] = report.host_ip;
    status["hostIPs"] = text::Array{text::Object{{"ip", report.host_ip}}};
  }
  if (!report.pod_ip.empty()) {
    status["podIP"] = report.pod_ip;
    status["podIPs"] = text::Array{text::Object{{"ip", report.pod_ip}}};
  }
  return status;
}

api::Call report_call(const loop::WriteTarget& pod, const PodStatusReport& report, const SeenConditions& seen,
                      Instant now) {
  api::Call call{
      .verb = api::Verb::Patch, .resource = pod.resource, .namespace_name = pod.namespace_name, .name = pod.name};
  call.subresource = "status";
  call.patch = api::PatchType::Strategic;
  call.body = text::Object{{"metadata", text::Object{{"uid", pod.uid}}}, {"status", status_patch(report, seen, now)}};
  return call;
}

api::Call final_delete_call(const loop::WriteTarget& pod) {
  return loop::remove(pod, {.propagation = "", .grace = 0, .same_version = false});
}

Duration back_off(int64_t restarts, Duration last_run) {
  if (restarts <= 0 || last_run > kForgiven) return {};
  Duration delay = kFirstBackOff;
  for (int64_t i = 1; i < restarts && delay < kLongestBackOff; ++i) delay.nanos *= 2;
  return std::min(delay, kLongestBackOff);
}

Waiting crash_loop(Duration delay, std::string_view container, const loop::WriteTarget& pod) {
  return {.reason = "CrashLoopBackOff",
          .message = fmt::format("back-off {} restarting failed container={} pod={}_{}({})",
                                 text::format_duration(delay), container, pod.name, pod.namespace_name, pod.uid)};
}

}  // namespace basalt::node

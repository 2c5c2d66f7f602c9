// Drives a PodLifecycle in virtual time; actions are carried out at once unless configured otherwise.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "control/node/local/pod_lifecycle.h"
#include "kube/api/object_fields.h"
#include "kube/text/yaml.h"

namespace basalt::node {

class PodLifecycleFixture {
 public:
  // `spec` in YAML flow style, without the braces: "restartPolicy: Never, containers: [{name: a}]".
  explicit PodLifecycleFixture(std::string_view spec, std::string_view status = "", PodLifecycleOptions options = {},
                               const std::vector<DetachedRun>& kept = {})
      : pod_(parse("{metadata: {name: p, namespace: ns, uid: u1}, spec: {" + std::string(spec) + "}, status: {" +
                   std::string(status) + "}}")),
        machine_(pod_, options, now_, kept) {}

  static text::Object parse(const std::string& yaml) {
    auto value = text::parse_yaml(yaml);
    EXPECT_TRUE(value.has_value()) << (value ? "" : value.error().message) << "\n" << yaml;
    return value ? value->value.get_object() : text::Object();
  }

  // What is ordered now, as one line. Volumes are laid out and containers started at once (see `broken`, `slow`).
  std::string step() {
    std::string words;
    for (bool more = true; more;) {
      PodSyncResult result = machine_.advance(now_);
      again_ = result.again;
      more = false;
      for (const PodEventNote& note : result.notes) notes_.push_back(note.reason + ": " + note.message);
      for (const PodAction& action : result.actions) {
        words += (words.empty() ? "" : ", ") + word(action);
        more = carry_out(action) || more;
      }
    }
    return words;
  }
  // Lets time pass, stepping when the machine asks to. What was ordered, with the seconds since the beginning.
  std::string pass(double seconds) {
    const Instant end = now_ + Duration{static_cast<int64_t>(seconds * 1e9)};
    std::string words;
    const auto add = [&](const std::string& more) {
      if (more.empty()) return;
      words += (words.empty() ? "" : "; ") + std::to_string((now_ - begin_).nanos / 1'000'000'000) + " " + more;
    };
    add(step());
    while (again_.is_set() && again_ <= end) {
      now_ = std::max(now_, again_);
      add(step());
    }
    now_ = end;
    add(step());
    return words;
  }
  std::string exit(std::string_view container, int code, int signal = 0, bool out_of_memory = false) {
    machine_.tell(ContainerExited{.id = id(container), .code = code, .signal = signal, .out_of_memory = out_of_memory},
                  now_);
    return step();
  }
  std::string probed(std::string_view container, ProbeKind kind, bool good) {
    machine_.tell(ProbeFinished{.id = id(container), .kind = kind, .good = good, .message = good ? "" : "no"}, now_);
    return step();
  }
  std::string hooked(std::string_view container, LifecycleHook hook, bool good) {
    machine_.tell(HookFinished{.id = id(container), .hook = hook, .good = good, .message = good ? "" : "no"}, now_);
    return step();
  }
  std::string remove(int64_t grace) {
    text::Object& metadata = api::metadata_of(pod_);
    metadata["deletionTimestamp"] = "2024-01-01T00:00:00Z";
    metadata["deletionGracePeriodSeconds"] = grace;
    machine_.observe(pod_, now_);
    return step();
  }
  void tell(const PodLifecycleEvent& news) { machine_.tell(news, now_); }

  // "Running a:running b:waiting(CrashLoopBackOff)", init containers first.
  [[nodiscard]] std::string status() const {
    const PodStatusReport report = machine_.report();
    std::string text(to_text(report.phase));
    if (!report.reason.empty()) text += "(" + report.reason + ")";
    for (const auto* list : {&report.init, &report.main}) {
      for (const ContainerStatusReport& one : *list) text += " " + one.name + ":" + state(one);
    }
    return text;
  }
  [[nodiscard]] ContainerStatusReport report(std::string_view name) const {
    const PodStatusReport all = machine_.report();
    for (const auto* list : {&all.init, &all.main}) {
      for (const ContainerStatusReport& one : *list) {
        if (one.name == name) return one;
      }
    }
    ADD_FAILURE() << "no container " << name;
    return {};
  }
  [[nodiscard]] bool noted(std::string_view text) const {
    return std::ranges::any_of(notes_, [&](const std::string& note) { return note.contains(text); });
  }
  [[nodiscard]] size_t count_noted(std::string_view text) const {
    return static_cast<size_t>(std::ranges::count_if(notes_, [&](const auto& note) { return note.contains(text); }));
  }
  [[nodiscard]] RunId id(std::string_view container) const {
    const auto index = find_container(machine_.spec(), container);
    EXPECT_TRUE(index.has_value()) << container;
    return {.container = index.value_or(0), .run = machine_.container(index.value_or(0)).run};
  }
  [[nodiscard]] PodLifecycle& machine() { return machine_; }
  [[nodiscard]] Instant now() const { return now_; }
  [[nodiscard]] text::Object& pod() { return pod_; }

  std::set<std::string> slow;     // containers whose start is not answered
  std::set<std::string> broken;   // containers that do not start: exec fails
  std::set<std::string> unready;  // containers whose configuration is not there
  bool bad_volumes = false;
  bool obedient = false;  // containers end by SIGTERM, with 143; all by SIGKILL

 private:
  static std::string state(const ContainerStatusReport& one) {
    if (const auto* waiting = std::get_if<Waiting>(&one.state)) return "waiting(" + waiting->reason + ")";
    if (std::holds_alternative<Running>(one.state)) return one.ready ? "ready" : "running";
    const auto& end = std::get<Terminated>(one.state);
    return "ended(" + std::to_string(end.exit_code) + (end.reason.empty() ? "" : " " + end.reason) + ")";
  }
  [[nodiscard]] const std::string& name(const RunId& run) const {
    return machine_.spec().containers[run.container].name;
  }

  [[nodiscard]] std::string word(const PodAction& action) const {
    if (const auto* start = std::get_if<StartContainer>(&action)) return "start " + name(start->id);
    if (const auto* sent = std::get_if<SendSignal>(&action)) {
      const std::string what = sent->signal == SIGTERM   ? "TERM "
                               : sent->signal == SIGKILL ? "KILL "
                                                         : "signal " + std::to_string(sent->signal) + " ";
      return what + name(sent->id);
    }
    if (const auto* hook = std::get_if<RunHook>(&action)) {
      return (hook->hook == LifecycleHook::PostStart ? "postStart " : "preStop ") + name(hook->id);
    }
    if (const auto* probe = std::get_if<RunProbe>(&action)) {
      return std::string(to_text(probe->kind)) + " " + name(probe->id);
    }
    return std::holds_alternative<SetUpVolumes>(action) ? "volumes" : "clean up";
  }
  // Whether there was news.
  bool carry_out(const PodAction& action) {
    if (std::holds_alternative<SetUpVolumes>(action)) {
      machine_.tell(bad_volumes ? PodLifecycleEvent(VolumesFailed{.message = "no"}) : PodLifecycleEvent(VolumesReady{}),
                    now_);
      return true;
    }
    if (const auto* start = std::get_if<StartContainer>(&action)) {
      const std::string& container = name(start->id);
      if (slow.contains(container)) return false;
      if (broken.contains(container) || unready.contains(container)) {
        const bool configuration = unready.contains(container);
        machine_.tell(ContainerStartFailed{.id = start->id,
                                           .configuration = configuration,
                                           .reason = configuration ? "CreateContainerConfigError" : "StartError",
                                           .message = "no"},
                      now_);
      } else {
        machine_.tell(ContainerStarted{.id = start->id}, now_);
      }
      return true;
    }
    const auto* sent = std::get_if<SendSignal>(&action);
    if (sent == nullptr || !(sent->signal == SIGKILL || obedient)) return false;
    machine_.tell(ContainerExited{.id = sent->id, .code = 128 + sent->signal, .signal = sent->signal}, now_);
    return true;
  }

  Instant begin_ = Instant::from_unix_seconds(1'700'000'000);
  Instant now_ = begin_;
  Instant again_ = kNever;
  text::Object pod_;
  PodLifecycle machine_;
  std::vector<std::string> notes_;
};

}  // namespace basalt::node

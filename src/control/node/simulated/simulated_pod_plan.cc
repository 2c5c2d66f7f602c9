#include "control/node/simulated/simulated_pod_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fingerprint.h"

namespace basalt::node {
namespace {

using loop::WritePlan;
using State = SimulatedContainer::State;

constexpr int64_t kEndedByTerm = 143;
constexpr int64_t kEndedByKill = 137;

std::string run_id(const SimulatedPod& pod, const SimulatedContainer& container, int64_t restarts) {
  return fmt::format("simulated://{:016x}",
                     Fingerprint().add(pod.uid).add(container.name).add(static_cast<uint64_t>(restarts)).value());
}

Terminated terminated(const SimulatedPod& pod, const SimulatedContainer& container, const SimulatedRun& run,
                      int64_t restarts) {
  return {.exit_code = run.exit_code,
          .started = run.started,
          .finished = run.finished,
          .container_id = run_id(pod, container, restarts)};
}

ContainerStatusReport report_of(const SimulatedPod& pod, const SimulatedContainer& container) {
  ContainerStatusReport report{.name = container.name, .image = container.image};
  report.restarts = container.restarts;
  report.sidecar = container.sidecar;
  if (container.last) {
    const int64_t before = container.state == State::Waiting ? container.restarts : container.restarts - 1;
    report.last = terminated(pod, container, *container.last, before);
  }
  if (container.state == State::Waiting && !container.last) {
    report.state = Waiting{.reason = "ContainerCreating", .message = ""};
    return report;
  }
  report.image_id = container.image;
  report.container_id = run_id(pod, container, container.restarts);
  if (container.state == State::Waiting) {
    const SimulatedRun& last = *container.last;
    const Duration delay = back_off(container.restarts, last.finished - last.started);
    report.state = crash_loop(delay, container.name, pod.target());
  } else if (container.state == State::Running) {
    report.state = Running{.started = container.run.started};
    report.ready = report.started = true;
  } else {
    report.state = terminated(pod, container, container.run, container.restarts);
  }
  return report;
}

class PodWork {
 public:
  PodWork(const SimulatedPod& pod, const SimulatedPodContext& around, Instant now)
      : seen_(pod), pod_(pod), around_(around), now_(now) {}

  WritePlan plan() {
    if (seen_.deleting) {
      leave();
    } else if (seen_.phase == PodPhase::Pending) {
      arrive();
    } else if (seen_.phase == PodPhase::Running) {
      go_on();
    }
    return std::move(plan_);
  }

 private:
  void leave() {
    if (seen_.grace > 0) {
      const Duration grace = Duration::seconds(std::min(seen_.grace, kMaxRunSeconds));
      const Instant end = seen_.deletion + Duration{std::min(seen_.behaviour.stop, grace).nanos - grace.nanos};
      if (now_ < end) return plan_.look_again(end);
    }
    const bool ended = seen_.phase == PodPhase::Succeeded || seen_.phase == PodPhase::Failed;
    // Somebody waits for how it ended; else its going says enough.
    if (!ended && seen_.finalized) {
      end_all(kEndedByTerm);
      tell();
      plan_.then();
    }
    if (seen_.grace > 0 || !seen_.finalized) plan_.write(final_delete_call(seen_.target()));
  }

  void arrive() {
    if (!seen_.start.is_set()) {
      for (const std::string& sentence : seen_.behaviour.wrong) note(sentence);
    }
    const Instant due = (seen_.start.is_set() ? pod_.exactly(seen_.start) : now_) + seen_.behaviour.start;
    if (!seen_.start.is_set()) pod_.start = now_;
    if (now_ < due) {
      plan_.look_again(due);
      if (!seen_.start.is_set()) tell();
      return;
    }
    for (SimulatedContainer& one : pod_.init) {
      if (one.sidecar) {
        begin(one);
      } else {
        one.state = State::Ended;
        one.run = {.started = now_, .finished = now_, .exit_code = 0};
      }
    }
    for (SimulatedContainer& one : pod_.main) begin(one);
    tell();
  }

  void go_on() {
    if (past_deadline()) {
      end_all(kEndedByKill);
      return tell("DeadlineExceeded", "Pod was active on the node longer than the specified deadline");
    }
    bool changed = false;
    const std::optional<Duration> length = run_length(seen_.behaviour, around_.seed, seen_.uid);
    for (SimulatedContainer& one : pod_.main) changed = advance(one, length) || changed;
    if (changed) tell();
  }

  [[nodiscard]] bool past_deadline() {
    if (!seen_.deadline || !seen_.start.is_set()) return false;
    const Instant end = seen_.start + Duration::seconds(std::min(*seen_.deadline, kMaxRunSeconds));
    if (end <= now_) return true;
    plan_.look_again(end);
    return false;
  }

  // False: it stays as it is.
  bool advance(SimulatedContainer& one, std::optional<Duration> length) {
    if (one.state == State::Ended) return false;
    if (one.state == State::Waiting) {
      if (one.last) {
        const Instant due = one.last->finished + back_off(one.restarts, one.last->finished - one.last->started);
        if (now_ < due) return plan_.look_again(due), false;
        ++one.restarts;
      }
      begin(one);
      return true;
    }
    if (!length) return false;
    const Instant started = pod_.exactly(one.run.started);
    const Instant end = started + *length;
    if (now_ < end) return plan_.look_again(end), false;
    one.run.finished = end;
    one.run.exit_code = exit_code_of(seen_.behaviour, around_.seed, seen_.uid, one.name, one.restarts);
    if (!may_restart(seen_.policy, one.run.exit_code)) {
      one.state = State::Ended;
      return true;
    }
    one.last = one.run;
    one.state = State::Waiting;
    if (back_off(one.restarts, *length).nanos > 0) return true;
    ++one.restarts;
    begin(one);
    return true;
  }

  void begin(SimulatedContainer& one) {
    one.state = State::Running;
    one.run = {.started = now_};
  }

  void end_all(int64_t exit_code) {
    for (std::vector<SimulatedContainer>* list : {&pod_.init, &pod_.main}) {
      for (SimulatedContainer& one : *list) {
        if (one.state == State::Ended) continue;
        if (one.state == State::Waiting) one.run.started = now_;
        one.state = State::Ended;
        one.run.finished = now_;
        one.run.exit_code = exit_code;
      }
    }
  }

  // Reports what pod_ has become.
  void tell(std::string_view reason = "", std::string_view message = "") {
    PodStatusReport report{.reason = std::string(reason), .message = std::string(message)};
    report.main.reserve(pod_.main.size());
    for (const SimulatedContainer& one : pod_.main) report.main.push_back(report_of(pod_, one));
    const PodPhase by_containers = phase_of(report, pod_.policy);
    const bool leaves = seen_.deleting || !reason.empty();  // its containers do not restart, whatever the policy says
    report.phase = leaves ? PodPhase::Failed : by_containers;
    const bool ended = report.phase == PodPhase::Succeeded || report.phase == PodPhase::Failed;
    if (ended) stop_sidecars();
    for (const SimulatedContainer& one : pod_.init) report.init.push_back(init_report(one, report.phase));
    report.sandbox = report.phase == PodPhase::Running;
    report.start = pod_.start;
    report.generation = pod_.generation;
    report.host_ip = around_.host_ip;
    if (report.phase != PodPhase::Pending) {
      report.pod_ip = pod_.host_network ? report.host_ip : pod_address(pod_.uid);
    }
    plan_.write(report_call(pod_.target(), report, pod_.seen, now_));
    schedule_end(report.phase);
  }

  void stop_sidecars() {
    for (SimulatedContainer& one : pod_.init) {
      if (!one.sidecar || one.state == State::Ended) continue;
      one.state = State::Ended;
      one.run.finished = now_;
    }
  }

  ContainerStatusReport init_report(const SimulatedContainer& one, PodPhase phase) {
    ContainerStatusReport report = report_of(pod_, one);
    if (!one.sidecar) report.ready = one.state == State::Ended && one.run.exit_code == 0;
    if (phase == PodPhase::Pending) report.state = Waiting{.reason = "PodInitializing", .message = ""};
    return report;
  }

  // The write comes back and the pod is planned again; should it not, this finds it.
  void schedule_end(PodPhase phase) {
    if (phase != PodPhase::Running) return;
    const std::optional<Duration> length = run_length(seen_.behaviour, around_.seed, seen_.uid);
    if (length) plan_.look_again(now_ + *length);
  }

  void note(const std::string& sentence) {
    plan_.notes.push_back({.regarding = {{"apiVersion", "v1"},
                                         {"kind", "Pod"},
                                         {"namespace", seen_.namespace_name},
                                         {"name", seen_.name},
                                         {"uid", seen_.uid}},
                           .warning = true,
                           .reason = "InvalidAnnotation",
                           .message = sentence});
  }

  const SimulatedPod& seen_;
  SimulatedPod pod_;  // as it becomes
  const SimulatedPodContext& around_;
  Instant now_;
  WritePlan plan_;
};

}  // namespace

WritePlan plan_pod(const SimulatedPod& pod, const SimulatedPodContext& around, Instant now) {
  return PodWork(pod, around, now).plan();
}

std::string pod_address(std::string_view uid) {
  const uint64_t mixed = Fingerprint().add(uid).value();
  return fmt::format("10.{}.{}.{}", (mixed >> 16U) & 0xFFU, (mixed >> 8U) & 0xFFU, 1 + (mixed & 0xFFU) % 254);
}

}  // namespace basalt::node

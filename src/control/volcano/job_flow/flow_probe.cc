#include "control/volcano/job_flow/flow_probe.h"

#include <algorithm>

#include "control/volcano/job/expand/job_view.h"
#include "kube/api/views/volcano_flow_view.h"

namespace basalt::volcano {
namespace {

enum class Check : uint8_t { Silent, Good, Bad };  // Silent: it is not about this target

// The checks of one probe about one target.
class TargetProbe {
 public:
  TargetProbe(const VolcanoContext& context, const text::Object& job, Instant now, StepReadiness& readiness)
      : world_(context), view_(job), now_(now), readiness_(readiness) {}

  bool is_good(api::FlowProbeView probe) {
    bool any = false;
    bool good = true;
    const auto take = [&](Check check) {
      any = any || check != Check::Silent;
      good = good && check != Check::Bad;
    };
    for (const api::TaskStatusView entry : probe.task_status_list()) take(task_status(entry));
    for (const api::HttpGetView entry : probe.http_get_list()) {
      const api::HttpHeaderView header = entry.http_header();
      take(sockets(entry.task_name(), {.port = port_of(entry.port()),
                                       .http = true,
                                       .path = std::string(entry.path()),
                                       .header_name = std::string(header.name()),
                                       .header_value = std::string(header.value())}));
    }
    for (const api::TcpSocketView entry : probe.tcp_socket_list()) {
      take(sockets(entry.task_name(), {.port = port_of(entry.port())}));
    }
    return any && good;
  }

 private:
  static uint16_t port_of(std::optional<int64_t> port) { return static_cast<uint16_t>(port.value_or(0)); }

  Check task_status(api::TaskStatusView entry) {
    const TaskView* task = view_.find_task(entry.task_name());
    if (task == nullptr) return Check::Silent;
    const std::string_view phase = entry.phase();
    int64_t count = 0;
    for (const auto& [name, pod] : world_.seen.pods_of(view_.uid).pods) {
      if (pod.task == task->key() && to_text(pod.phase) == phase) ++count;
    }
    return count >= std::max<int64_t>(task->min_members(), 1) ? Check::Good : Check::Bad;
  }

  // `ask`: but for the host.
  Check sockets(std::string_view task_name, const loop::Probe& ask) {
    const TaskView* task = view_.find_task(task_name);
    if (task == nullptr) return Check::Silent;
    size_t reached = 0;
    bool good = true;
    for (const auto& [name, pod] : world_.seen.pods_of(view_.uid).pods) {
      if (pod.task != task->key() || reached == kMaxProbedPods) continue;
      ++reached;
      if (pod.ip.empty() || pod.phase != PodPhase::Running) {
        good = false;
        continue;
      }
      loop::Probe ask_pod = ask;
      ask_pod.host = pod.ip;
      const auto known = world_.probes.find(ask_pod);
      if (known != world_.probes.end() && now_ - known->second < kProbeLife) continue;
      good = false;
      readiness_.asks.push_back(std::move(ask_pod));
    }
    return good && reached > 0 ? Check::Good : Check::Bad;
  }

  const VolcanoContext& world_;
  JobView view_;
  Instant now_;
  StepReadiness& readiness_;
};

}  // namespace

StepReadiness readiness_of(const VolcanoContext& context, const FlowView& flow, const FlowStep& step, Instant now) {
  StepReadiness readiness{.ready = true};
  for (const std::string_view name : step.targets) {
    const FlowStep* target = flow.find(name);
    if (target != nullptr && target->phase == "Completed") continue;
    const bool probed = target != nullptr && target->job != nullptr && step.probe &&
                        TargetProbe(context, *target->job, now, readiness).is_good(step.probe);
    readiness.ready = readiness.ready && probed;
  }
  return readiness;
}

}  // namespace basalt::volcano

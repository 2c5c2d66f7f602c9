#include "control/volcano/job_flow/flow_probe.h"

#include <algorithm>

#include "control/volcano/job/expand/job_view.h"
#include "kube/api/object_fields.h"

namespace basalt::volcano {
namespace {

using api::string_at;

enum class Check : uint8_t { Silent, Good, Bad };  // Silent: it is not about this target

// The checks of one probe about one target.
class TargetProbe {
 public:
  TargetProbe(const VolcanoContext& context, const text::Object& job, Instant now, StepReadiness& readiness)
      : world_(context), view_(job), now_(now), readiness_(readiness) {}

  bool is_good(const text::Object& probe) {
    bool any = false;
    bool good = true;
    const auto take = [&](Check check) {
      any = any || check != Check::Silent;
      good = good && check != Check::Bad;
    };
    each(probe, "taskStatusList", [&](const text::Object& entry) { take(task_status(entry)); });
    each(probe, "httpGetList", [&](const text::Object& entry) { take(sockets(entry, true)); });
    each(probe, "tcpSocketList", [&](const text::Object& entry) { take(sockets(entry, false)); });
    return any && good;
  }

 private:
  template <class Visit>
  static void each(const text::Object& probe, std::string_view list, Visit&& visit) {
    const text::Array* entries = api::array_at(probe, {list});
    if (entries == nullptr) return;
    for (const text::Value& entry : *entries) {
      if (entry.is_object()) visit(entry.get_object());
    }
  }

  Check task_status(const text::Object& entry) {
    const TaskView* task = view_.find_task(string_at(entry, "taskName"));
    if (task == nullptr) return Check::Silent;
    const std::string_view phase = string_at(entry, "phase");
    int64_t count = 0;
    for (const auto& [name, pod] : world_.seen.pods_of(view_.uid).pods) {
      if (pod.task == task->key() && to_text(pod.phase) == phase) ++count;
    }
    return count >= std::max<int64_t>(task->min_members(), 1) ? Check::Good : Check::Bad;
  }

  Check sockets(const text::Object& entry, bool http) {
    const TaskView* task = view_.find_task(string_at(entry, "taskName"));
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
      loop::Probe ask{.host = pod.ip, .port = static_cast<uint16_t>(api::int_at(entry, {"port"})), .http = http};
      if (http) {
        ask.path = string_at(entry, "path");
        ask.header_name = string_at(entry, {"httpHeader", "name"});
        ask.header_value = string_at(entry, {"httpHeader", "value"});
      }
      const auto known = world_.probes.find(ask);
      if (known != world_.probes.end() && now_ - known->second < kProbeLife) continue;
      good = false;
      readiness_.asks.push_back(std::move(ask));
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
    const bool probed = target != nullptr && target->job != nullptr && step.probe != nullptr &&
                        TargetProbe(context, *target->job, now, readiness).is_good(*step.probe);
    readiness.ready = readiness.ready && probed;
  }
  return readiness;
}

}  // namespace basalt::volcano

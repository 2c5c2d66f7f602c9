#include "control/volcano/job/policy/lifecycle_policy.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/duration.h"
#include "control/volcano/job/state/job_states.h"
#include "kube/api/views/volcano_job_view.h"

namespace basalt::volcano {
namespace {

constexpr std::array<std::string_view, 3> kNotForPolicies = {"OutOfSync", "CommandIssued", "PodRunning"};
constexpr std::string_view kSync = "SyncJob";

// Nothing: no timeout is written, or none that can be read.
std::optional<Duration> timeout_of(api::LifecyclePolicyView policy) {
  if (policy.timeout().empty()) return std::nullopt;
  const auto length = parse_duration(policy.timeout());
  return length ? std::optional(*length) : std::nullopt;
}

bool names_event(api::LifecyclePolicyView policy, std::string_view event) {
  const auto is_it = [&](std::string_view word) { return word == event || word == "*"; };
  if (event.empty()) return false;
  if (is_it(policy.event())) return true;
  bool named = false;
  for (const std::string_view one : policy.events()) named = named || is_it(one);
  return named;
}

std::optional<PolicyDecision> first_match(const text::Array* policies, const JobRequest& request) {
  for (const api::LifecyclePolicyView policy : api::ListView<api::LifecyclePolicyView>(policies)) {
    const std::optional<Duration> timeout = timeout_of(policy);
    const bool by_event = names_event(policy, request.event) && (request.event != "PodPending" || timeout.has_value());
    if (!by_event && policy.exit_code() != request.exit_code) continue;
    return PolicyDecision{.action = policy.action(), .delay = timeout.value_or(Duration{})};
  }
  return std::nullopt;
}

}  // namespace

PolicyDecision resolve_policy(const JobView& job, const JobRequest& request) {
  const PolicyDecision sync{.action = kSync, .delay = {}};
  if (!request.action.empty()) return {.action = request.action, .delay = {}};
  if (std::ranges::find(kNotForPolicies, request.event) != kNotForPolicies.end()) return sync;
  if (!request.job_uid.empty() && request.job_uid != job.uid) return sync;
  if (request.job_version < job.version) return sync;
  if (!request.task.empty()) {
    const auto task = std::ranges::find(job.tasks, request.task, &TaskView::name);
    if (task != job.tasks.end()) {
      if (const auto match = first_match(task->policies, request)) return *match;
    }
  }
  return first_match(job.policies, request).value_or(sync);
}

bool has_policies(const JobView& job) {
  const auto some = [](const text::Array* policies) { return policies != nullptr && !policies->empty(); };
  return some(job.policies) ||
         std::ranges::any_of(job.tasks, [&](const TaskView& task) { return some(task.policies); });
}

}  // namespace basalt::volcano

#include "control/volcano/job/policy/lifecycle_policy.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/duration.h"
#include "control/volcano/job/state/job_states.h"
#include "kube/api/object_fields.h"

namespace basalt::volcano {
namespace {

using api::string_at;

constexpr std::array<std::string_view, 3> kNotForPolicies = {"OutOfSync", "CommandIssued", "PodRunning"};
constexpr std::string_view kSync = "SyncJob";

// Nothing: no timeout is written, or none that can be read.
std::optional<Duration> timeout_of(const text::Object& policy) {
  const text::Value* value = policy.if_contains("timeout");
  if (value == nullptr || !value->is_string()) return std::nullopt;
  const auto length = parse_duration(value->get_string());
  return length ? std::optional(*length) : std::nullopt;
}

bool names_event(const text::Object& policy, std::string_view event) {
  const auto is_it = [&](std::string_view word) { return word == event || word == "*"; };
  if (event.empty()) return false;
  if (is_it(string_at(policy, "event"))) return true;
  const text::Array* events = api::array_at(policy, {"events"});
  return events != nullptr && std::ranges::any_of(*events, [&](const text::Value& one) {
           return one.is_string() && is_it(one.get_string());
         });
}

bool has_exit_code(const text::Object& policy, int64_t exit_code) {
  const text::Value* value = policy.if_contains("exitCode");
  return value != nullptr && value->is_int64() && value->get_int64() == exit_code;
}

std::optional<PolicyDecision> first_match(const text::Array* policies, const JobRequest& request) {
  if (policies == nullptr) return std::nullopt;
  for (const text::Value& value : *policies) {
    const text::Object* policy = value.if_object();
    if (policy == nullptr) continue;
    const std::optional<Duration> timeout = timeout_of(*policy);
    const bool by_event = names_event(*policy, request.event) && (request.event != "PodPending" || timeout.has_value());
    if (!by_event && !has_exit_code(*policy, request.exit_code)) continue;
    return PolicyDecision{.action = string_at(*policy, "action"), .delay = timeout.value_or(Duration{})};
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

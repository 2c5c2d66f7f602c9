// Lifecycle policies: which event or exit code leads to which action.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kube/api/go_quote.h"
#include "kube/api/views/volcano_job_view.h"
#include "server/admission/job_admission.h"

namespace basalt::admission {
namespace {

constexpr std::array<std::string_view, 8> kEvents = {"*",       "PodFailed",     "PodEvicted", "PodPending",
                                                     "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated"};
constexpr std::array<std::string_view, 8> kActions = {"AbortJob",         "RestartJob",   "RestartTask", "RestartPod",
                                                      "RestartPartition", "TerminateJob", "CompleteJob", "ResumeJob"};

// The events and codes that earlier policies of the list have taken.
struct Taken {
  std::set<std::string_view> events;
  std::set<int64_t> codes;
};

// The events of a policy, each once, `events` before `event`.
std::vector<std::string_view> events_of(api::LifecyclePolicyView policy) {
  std::vector<std::string_view> events;
  std::set<std::string_view> seen;
  const auto add = [&](std::string_view event) {
    if (seen.insert(event).second) events.push_back(event);
  };
  for (const std::string_view event : policy.events()) add(event);
  if (const std::string_view event = policy.event(); !event.empty()) add(event);
  return events;
}

std::string invalid_value(std::string_view path, std::string_view value, std::string_view what) {
  return fmt::format("{}: Invalid value: {}: {}", path, api::go_quote(value), what);
}

std::string event_complaint(api::LifecyclePolicyView policy, const std::vector<std::string_view>& events,
                            std::string_view path, Taken& taken) {
  const std::string_view action = policy.action();
  for (const std::string_view event : events) {
    if (std::ranges::find(kEvents, event) == kEvents.end()) return invalid_value(path, event, "invalid policy event");
    if (std::ranges::find(kActions, action) == kActions.end()) {
      return invalid_value(path, action, "invalid policy action");
    }
    if (!taken.events.insert(event).second) return fmt::format("duplicate event {}  across different policy", event);
  }
  return "";
}

std::string policy_complaint(api::LifecyclePolicyView policy, std::string_view path, Taken& taken) {
  const std::vector<std::string_view> events = events_of(policy);
  const bool by_event = !policy.event().empty() || !policy.events().empty();
  const bool by_code = policy.exit_code().has_value();
  if (by_event && by_code) return "must not specify event and exitCode simultaneously";
  if (!by_event && !by_code) return "either event and exitCode should be specified";
  if (by_event) return event_complaint(policy, events, path, taken);
  const int64_t code = policy.exit_code().value_or(0);
  if (code == 0) return "0 is not a valid error code";
  if (!taken.codes.insert(code).second) return fmt::format("duplicate exitCode {}", code);
  return "";
}

}  // namespace

void check_policies(api::ListView<api::LifecyclePolicyView> policies, std::string_view path, RefusalMessage& refusal) {
  Taken taken;
  std::vector<std::string> complaints;
  for (const api::LifecyclePolicyView policy : policies) {
    std::string complaint = policy_complaint(policy, path, taken);
    if (complaint.empty()) continue;
    complaints.push_back(std::move(complaint));
    break;
  }
  if (taken.events.contains("*") && taken.events.size() > 1) {
    complaints.emplace_back("if there's * here, no other policy should be here");
  }
  if (complaints.empty()) return;
  refusal.say(fmt::format("{} error{} occurred:\n", complaints.size(), complaints.size() == 1 ? "" : "s"));
  for (const std::string& complaint : complaints) refusal.say(fmt::format("\t* {}\n", complaint));
  refusal.say(fmt::format("\n valid events are [{}], valid actions are [{}];", fmt::join(kEvents, " "),
                          fmt::join(kActions, " ")));
}

}  // namespace basalt::admission

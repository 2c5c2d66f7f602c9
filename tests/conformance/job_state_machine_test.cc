// The job's state machine and policy resolution against what Volcano's own code answered.
#include <gtest/gtest.h>

#include <algorithm>

#include "control/volcano/job/policy/lifecycle_policy.h"
#include "control/volcano/job/state/job_transition.h"
#include "kube/api/object_fields.h"
#include "tests/conformance/recorded.h"

namespace basalt::volcano {
namespace {

using api::int_at;
using api::string_at;

std::optional<int64_t> number_at(const text::Object& object, std::string_view key) {
  const text::Value* value = object.if_contains(key);
  return value == nullptr || !value->is_int64() ? std::nullopt : std::optional(value->get_int64());
}

std::string_view to_text(JobOperation call) {
  return call == JobOperation::SyncJob ? "SyncJob" : call == JobOperation::KillJob ? "KillJob" : "KillTarget";
}

// The answer in the recorded form.
text::Object answer_of(const JobTransition& transition) {
  text::Object out{{"called", to_text(transition.call)}};
  if (transition.call == JobOperation::KillJob) {
    out["retainPhases"] =
        transition.retain == PodRetainPhase::Soft ? text::Array{"Failed", "Succeeded"} : text::Array{};
  }
  if (transition.no_verdict) {
    out["updateFn"] = nullptr;
    return out;
  }
  out["phase"] = to_text(transition.phase);
  out["phaseChanged"] = transition.changed;
  out["retryCount"] = transition.retry_count;
  return out;
}

JobTransition replay(const text::Object& row) {
  const text::Object& job = *api::object_at(row, {"job"});
  const text::Object& seen = *api::object_at(row, {"counts"});
  const PodCounts counts{.pending = int_at(seen, {"pending"}),
                         .running = int_at(seen, {"running"}),
                         .succeeded = int_at(seen, {"succeeded"}),
                         .failed = int_at(seen, {"failed"}),
                         .terminating = int_at(seen, {"terminating"})};
  const TaskOutcome task{.replicas = int_at(job, {"replicas"}),
                         .min_available = number_at(job, "taskMinAvailable"),
                         .counted = true,
                         .succeeded = counts.succeeded};
  const TransitionInput facts{.replicas = task.replicas,
                              .min_available = int_at(job, {"minAvailable"}),
                              .known_min_available = int_at(job, {"minAvailable"}),
                              .max_retry = int_at(job, {"maxRetry"}),
                              .retry_count = int_at(job, {"retryCount"}),
                              .min_success = number_at(job, "minSuccess"),
                              .tasks = {&task, 1}};
  return transition(phase_of(string_at(row, "phase")), action_of(string_at(row, "action")), counts, facts);
}

TEST(JobConformance, StateMachine) {
  const auto rows = conformance::recorded_cases("jobplugins/jobcontroller_statemachine.json");
  if (!rows) GTEST_SKIP() << conformance::kNotRecorded;
  size_t equal = 0;
  for (const text::Value& value : *rows) {
    const text::Object& row = value.get_object();
    const text::Object answer = answer_of(replay(row));
    if (answer == *api::object_at(row, {"out"})) {
      ++equal;
    } else {
      ADD_FAILURE() << text::to_json(row) << "\nours: " << text::to_json(answer);
    }
  }
  std::printf("state machine: %zu of %zu rows equal\n", equal, rows->size());
}

TEST(JobConformance, ApplyPolicies) {
  const auto cases = conformance::recorded_cases("jobplugins/jobcontroller_applyPolicies.json");
  if (!cases) GTEST_SKIP() << conformance::kNotRecorded;
  size_t equal = 0;
  for (const text::Value& value : *cases) {
    const text::Object& one = value.get_object();
    const JobView job(*api::object_at(one, {"in", "job"}));
    const text::Object& asked = *api::object_at(one, {"in", "request"});
    const text::Object& out = *api::object_at(one, {"out"});
    const PolicyDecision answer = resolve_policy(job, {.event = string_at(asked, "Event"),
                                                       .action = string_at(asked, "Action"),
                                                       .job_uid = string_at(asked, "JobUid"),
                                                       .task = string_at(asked, "TaskName"),
                                                       .exit_code = int_at(asked, {"ExitCode"}),
                                                       .job_version = int_at(asked, {"JobVersion"})});
    EXPECT_EQ(answer.action, string_at(out, "action")) << text::to_json(one);
    EXPECT_EQ(answer.delay, Duration::millis(int_at(out, {"delayMs"}))) << text::to_json(one);
    equal += answer.action == string_at(out, "action") ? 1 : 0;
  }
  EXPECT_FALSE(cases->empty());
  std::printf("applyPolicies: %zu of %zu cases equal\n", equal, cases->size());
}

}  // namespace
}  // namespace basalt::volcano

#include "control/node/pod_status.h"

#include <gtest/gtest.h>

#include "control/node/node_test_time.h"
#include "kube/api/object_fields.h"
#include "kube/api/pod_summary.h"

namespace basalt::node {
namespace {

ContainerStatusReport container(std::string name, std::variant<Waiting, Running, Terminated> state) {
  ContainerStatusReport report{.name = std::move(name), .image = "i", .state = std::move(state)};
  report.ready = report.started = std::holds_alternative<Running>(report.state);
  return report;
}
Terminated ended(int64_t exit_code) { return {.exit_code = exit_code}; }

PodPhase phase(std::vector<ContainerStatusReport> main, RestartPolicy policy) {
  PodStatusReport report;
  report.main = std::move(main);
  return phase_of(report, policy);
}

text::Object condition_of(const text::Object& status, std::string_view type) {
  for (const text::Value& value : *api::array_at(status, {"conditions"})) {
    if (api::string_at(value.get_object(), "type") == type) return value.get_object();
  }
  return {};
}

TEST(PodStatus, PhaseFollowsFromContainers) {
  const ContainerStatusReport runs = container("a", Running{kNow});
  const ContainerStatusReport good = container("b", ended(0));
  const ContainerStatusReport bad = container("c", ended(1));
  const ContainerStatusReport waits = container("d", Waiting{"ContainerCreating", ""});
  ContainerStatusReport pauses = container("e", Waiting{"CrashLoopBackOff", ""});
  pauses.last = ended(1);
  EXPECT_EQ(phase({}, RestartPolicy::Never), PodPhase::Pending);
  EXPECT_EQ(phase({runs, waits}, RestartPolicy::Never), PodPhase::Pending);
  EXPECT_EQ(phase({runs, bad}, RestartPolicy::Never), PodPhase::Running);
  EXPECT_EQ(phase({good, good}, RestartPolicy::Never), PodPhase::Succeeded);
  EXPECT_EQ(phase({good, bad}, RestartPolicy::Never), PodPhase::Failed);
  EXPECT_EQ(phase({good, bad}, RestartPolicy::OnFailure), PodPhase::Running);
  EXPECT_EQ(phase({good, good}, RestartPolicy::OnFailure), PodPhase::Succeeded);
  EXPECT_EQ(phase({good, good}, RestartPolicy::Always), PodPhase::Running);
  EXPECT_EQ(phase({good, pauses}, RestartPolicy::OnFailure), PodPhase::Running);
}

TEST(PodStatus, AFailedInitContainerEndsAPodThatNeverRestarts) {
  PodStatusReport report;
  report.init = {container("setup", ended(1))};
  report.main = {container("main", Waiting{"PodInitializing", ""})};
  EXPECT_EQ(phase_of(report, RestartPolicy::Never), PodPhase::Failed);
  EXPECT_EQ(phase_of(report, RestartPolicy::OnFailure), PodPhase::Pending);
}

TEST(PodStatus, ADisruptionIsACondition) {
  PodStatusReport report{.phase = PodPhase::Failed, .reason = "NodeRestarted", .message = "why"};
  report.main = {container("a", ended(137))};
  EXPECT_TRUE(condition_of(status_patch(report, {}, kNow), "DisruptionTarget").empty());
  report.disrupted = true;
  const text::Object told = condition_of(status_patch(report, {}, kNow), "DisruptionTarget");
  EXPECT_EQ(api::string_at(told, "status"), "True");
  EXPECT_EQ(api::string_at(told, "reason"), "NodeRestarted");
  EXPECT_FALSE(api::string_at(told, "lastTransitionTime").empty());
  SeenConditions seen;
  seen.of[4] = {.status = SeenConditions::Status::True, .worded = true};
  EXPECT_TRUE(
      api::string_at(condition_of(status_patch(report, seen, kNow), "DisruptionTarget"), "lastTransitionTime").empty());
}

TEST(PodStatus, ConditionsNameWhoIsNotReady) {
  PodStatusReport report;
  report.init = {container("setup", Running{kNow})};
  report.init[0].ready = false;
  report.main = {container("a", Waiting{"PodInitializing", ""}), container("b", Waiting{"PodInitializing", ""})};
  const text::Object status = status_patch(report, {}, kNow);
  const text::Object ready = condition_of(status, "Ready");
  EXPECT_EQ(api::string_at(ready, "status"), "False");
  EXPECT_EQ(api::string_at(ready, "reason"), "ContainersNotReady");
  EXPECT_EQ(api::string_at(ready, "message"), "containers with unready status: [a b]");
  EXPECT_EQ(api::string_at(condition_of(status, "Initialized"), "message"),
            "containers with incomplete status: [setup]");
}

TEST(PodStatus, AnUnsatisfiedGateKeepsReadyFalse) {
  PodStatusReport report{.phase = PodPhase::Running, .sandbox = true};
  report.main = {container("a", Running{kNow})};
  report.gates = {"corresponding condition of pod readiness gate \"x\" does not exist."};
  const text::Object status = status_patch(report, {}, kNow);
  EXPECT_EQ(api::string_at(condition_of(status, "ContainersReady"), "status"), "True");
  EXPECT_EQ(api::string_at(condition_of(status, "Ready"), "reason"), "ReadinessGatesNotReady");
}

TEST(PodStatus, WhatDoesNotChangeKeepsItsTimeAndOldWordsAreTakenBack) {
  const text::Object pod{
      {"status",
       text::Object{{"conditions",
                     text::Array{text::Object{{"type", "Initialized"}, {"status", "True"}},
                                 text::Object{{"type", "Ready"}, {"status", "False"}, {"reason", "ContainersNotReady"}},
                                 text::Object{{"type", "Other"}, {"status", "True"}}, 5}}}}};
  PodStatusReport report{.phase = PodPhase::Running, .sandbox = true};
  report.main = {container("a", Running{kNow})};
  const text::Object status = status_patch(report, seen_conditions(api::PodView(pod).status()), kNow);
  EXPECT_FALSE(condition_of(status, "Initialized").contains("lastTransitionTime"));
  EXPECT_TRUE(condition_of(status, "ContainersReady").contains("lastTransitionTime"));
  const text::Object ready = condition_of(status, "Ready");
  EXPECT_TRUE(ready.contains("lastTransitionTime"));
  EXPECT_TRUE(ready.at("reason").is_null());
  EXPECT_FALSE(condition_of(status, "ContainersReady").contains("reason"));
  EXPECT_TRUE(condition_of(status, "Other").empty());
}

TEST(PodStatus, ReadsAsKubectlShowsIt) {
  PodStatusReport report{.phase = PodPhase::Failed};
  report.main = {container("a", ended(0)), container("b", Terminated{.exit_code = 137, .reason = "OOMKilled"})};
  report.main[1].restarts = 2;
  const text::Object pod{{"spec", text::Object{{"containers", text::Array{text::Object(), text::Object()}}}},
                         {"status", status_patch(report, {}, kNow)}};
  const api::PodSummary summary = api::summarize_pod(api::PodView(pod));
  EXPECT_EQ(summary.ready_text(), "0/2");
  EXPECT_EQ(summary.status, "OOMKilled");
  EXPECT_EQ(summary.restarts, 2);
}

TEST(PodStatus, BacksOffAsAKubeletDoes) {
  EXPECT_EQ(back_off(0, {}), Duration{});
  EXPECT_EQ(back_off(1, {}), Duration::seconds(10));
  EXPECT_EQ(back_off(2, {}), Duration::seconds(20));
  EXPECT_EQ(back_off(5, {}), Duration::seconds(160));
  EXPECT_EQ(back_off(6, {}), Duration::seconds(300));
  EXPECT_EQ(back_off(1'000'000, {}), Duration::seconds(300));
  EXPECT_EQ(back_off(6, Duration::seconds(601)), Duration{});
  EXPECT_EQ(crash_loop(Duration::seconds(80), "main", {.namespace_name = "default", .name = "p", .uid = "u"}).message,
            "back-off 1m20s restarting failed container=main pod=p_default(u)");
}

TEST(PodStatus, WordsAndPhases) {
  for (const PodPhase one : {PodPhase::Pending, PodPhase::Running, PodPhase::Succeeded, PodPhase::Failed}) {
    EXPECT_EQ(parse_pod_phase(to_text(one)), one);
  }
  EXPECT_EQ(parse_pod_phase("Unknown"), PodPhase::Pending);
  EXPECT_EQ(parse_restart_policy(""), RestartPolicy::Always);
  EXPECT_TRUE(may_restart(RestartPolicy::OnFailure, 1));
  EXPECT_FALSE(may_restart(RestartPolicy::OnFailure, 0));
  EXPECT_FALSE(may_restart(RestartPolicy::Never, 1));
}

TEST(PodStatus, CallsAreAboutTheUid) {
  const loop::WriteTarget pod{
      .resource = {"", "v1", "pods"}, .namespace_name = "s", .name = "p", .uid = "u", .version = "5"};
  const api::Call report = report_call(pod, {}, {}, kNow);
  EXPECT_EQ(report.patch, api::PatchType::Strategic);
  EXPECT_EQ(report.subresource, "status");
  EXPECT_EQ(text::to_json(report.body.at("metadata")), R"({"uid":"u"})");
  const api::Call farewell = final_delete_call(pod);
  EXPECT_EQ(farewell.verb, api::Verb::Delete);
  EXPECT_EQ(text::to_json(farewell.body),
            R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"},"gracePeriodSeconds":0})");
}

}  // namespace
}  // namespace basalt::node

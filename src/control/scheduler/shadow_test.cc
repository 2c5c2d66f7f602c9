#include "control/scheduler/shadow.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "control/scheduler/scheduler_fixture.h"
#include "control/scheduler/shadow_text.h"

namespace basalt::scheduler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum ShadowVerdict;

constexpr Instant at(int64_t seconds) { return kTestStart + Duration::seconds(seconds); }

text::Object pod(const std::string& uid, const std::string& node = "", const std::string& more_status = "") {
  return pod_object({.name = "p-" + uid, .uid = uid, .node = node, .more_status = more_status})->get_object();
}

constexpr std::string_view kPreempted =
    R"(,"conditions":[{"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler"}])";

std::vector<std::string> told(ShadowComparison& ledger) {
  std::vector<std::string> lines;
  for (const ShadowFinding& finding : ledger.take_findings()) lines.push_back(finding_text(finding));
  return lines;
}

TEST(ShadowComparison, BothPlacedIt) {
  ShadowComparison ledger({});
  ledger.saw_pod(pod("a"), at(0));
  ledger.saw_pod(pod("b"), at(0));
  ledger.we_bind("a", "n1", at(1));
  ledger.we_bind("b", "n1", at(1));
  ledger.we_bind("b", "n9", at(2));  // decided anew: the first decision counts
  ledger.saw_pod(pod("a", "n1"), at(3));
  ledger.saw_pod(pod("b", "n2"), at(5));
  ledger.saw_pod(pod("b", "n2"), at(6));  // told again
  EXPECT_THAT(told(ledger), ElementsAre("pod default/p-a: both chose node n1, we 2.0 s earlier",
                                        "pod default/p-b: they chose node n2, we would have chosen n1, 4.0 s earlier"));
  const ShadowSummary summary = ledger.summary();
  EXPECT_EQ(summary.of(SameNode), 1U);
  EXPECT_EQ(summary.of(OtherNode), 1U);
  EXPECT_EQ(summary.waiting, 0U);
  EXPECT_DOUBLE_EQ(summary.agreement(), 1.0);
  EXPECT_DOUBLE_EQ(summary.same_node(), 0.5);
  EXPECT_DOUBLE_EQ(summary.ahead_p10, 2.0);
  EXPECT_DOUBLE_EQ(summary.ahead_p90, 4.0);
}

TEST(ShadowComparison, ADecisionThatComesALittleLateIsLaterNotAbsent) {
  ShadowComparison ledger({});
  ledger.saw_pod(pod("a"), at(0));
  ledger.saw_pod(pod("a", "n1"), at(1));
  ledger.we_bind("a", "n1", at(1) + Duration::millis(500));
  ledger.pass_time(at(10));
  EXPECT_THAT(told(ledger), ElementsAre("pod default/p-a: both chose node n1, we 0.5 s later"));
}

TEST(ShadowComparison, OnlyTheyOrTheyFirstByTheAgeOfThePod) {
  ShadowComparison ledger({});
  ledger.saw_pod(pod("young"), at(0));
  ledger.saw_pod(pod("old"), at(0));
  ledger.saw_pod(pod("young", "n1"), at(1));
  ledger.saw_pod(pod("old", "n1"), at(8));
  ledger.pass_time(at(1));
  EXPECT_THAT(told(ledger), ElementsAre());
  ledger.pass_time(at(9));
  EXPECT_THAT(told(ledger), ElementsAre("pod default/p-young: they chose node n1 before we came to it",
                                        "pod default/p-old: they chose node n1, we would have let it wait"));
  EXPECT_DOUBLE_EQ(ledger.summary().agreement(), 0.0);
}

TEST(ShadowComparison, OnlyWeUntilTheyDo) {
  ShadowComparison ledger({});
  ledger.saw_pod(pod("a"), at(0));
  ledger.saw_pod(pod("b"), at(0));
  ledger.we_bind("a", "n1", at(0));
  ledger.we_bind("b", "n1", at(0));
  ledger.pass_time(at(29));
  EXPECT_EQ(ledger.summary().of(OnlyWe), 0U);
  ledger.pass_time(at(30));
  EXPECT_EQ(ledger.summary().of(OnlyWe), 2U);
  ledger.saw_pod(pod("a", "n1"), at(40));
  ledger.pod_gone(pod("b"));
  EXPECT_EQ(ledger.summary().of(OnlyWe), 1U);
  EXPECT_EQ(ledger.summary().of(SameNode), 1U);
  EXPECT_EQ(ledger.summary().waiting, 0U);
  EXPECT_DOUBLE_EQ(ledger.summary().agreement(), 0.5);
}

TEST(ShadowComparison, WhatWasPlacedBeforeOrIsNotOursIsNotCompared) {
  ShadowComparison ledger({.scheduler_names = {"other"}});
  ledger.saw_pod(pod("a"), at(0));
  ledger.saw_pod(pod("a", "n1"), at(1));
  ShadowComparison late({});
  late.saw_pod(pod("b", "n1"), at(0));
  late.we_bind("b", "n2", at(1));
  for (ShadowComparison* one : {&ledger, &late}) {
    one->pass_time(at(100));
    EXPECT_THAT(told(*one), ElementsAre());
    EXPECT_EQ(one->summary().waiting, 0U);
  }
}

TEST(ShadowComparison, Evictions) {
  ShadowComparison ledger({});
  for (const char* uid : {"a", "b", "c"}) ledger.saw_pod(pod(uid, "n1"), at(0));
  ledger.we_evict("a", "default/p-a", at(1));
  ledger.we_evict("b", "default/p-b", at(1));
  ledger.saw_pod(pod("a", "n1", std::string(kPreempted)), at(3));
  ledger.saw_pod(pod("c", "n1", std::string(kPreempted)), at(3));
  ledger.pass_time(at(5));
  ledger.saw_pod(pod("a", "n1", std::string(kPreempted)), at(6));  // it shows its condition until it is gone
  ledger.pass_time(at(40));
  EXPECT_THAT(told(ledger), ElementsAre("pod default/p-a: both evict it, we 2.0 s earlier",
                                        "pod default/p-c: they evict it, we would not have",
                                        "pod default/p-b: we would have evicted it, they did not"));
}

TEST(ShadowComparison, AGangThatTheyPlacedInPart) {
  ShadowComparison ledger({});
  ledger.saw_pod(pod("a"), at(0));
  ledger.saw_pod(pod("a", "n1"), at(0));
  ledger.saw_group(group_object("g", 2)->get_object());
  ledger.pass_time(at(31));
  EXPECT_THAT(told(ledger), testing::Contains("group default/g: they placed 1 of at least 2 pods and no more since"));
  ShadowComparison whole({});
  whole.saw_group(group_object("g", 2)->get_object());
  whole.saw_pod(pod("a", "n1"), at(0));
  whole.saw_pod(pod("b", "n1"), at(1));
  whole.pass_time(at(100));
  EXPECT_EQ(whole.summary().of(GangPartly), 0U);
}

TEST(ShadowComparison, IsBounded) {
  ShadowComparison ledger({});
  for (size_t i = 0; i < kMaxShadowPods + 5; ++i) {
    ledger.saw_pod(text::Object{{"metadata", text::Object{{"name", "p"}, {"uid", std::to_string(i)}}},
                                {"spec", text::Object{{"schedulerName", "volcano"}}}},
                   at(0));
  }
  EXPECT_EQ(ledger.summary().waiting, kMaxShadowPods);
  EXPECT_EQ(ledger.summary().untracked, 5U);
  ledger.pass_time(at(0) + kForgetAfter + kSweepEvery);
  EXPECT_EQ(ledger.summary().waiting, 0U);
}

// A server that counts what reaches it, and lets the test play the watch.
class Server final : public client::ObjectClient {
 public:
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    calls.push_back(line_of(call));
    if (call.verb == api::Verb::Get) return done(std::unexpected(api::not_found("", "pods", call.name)));
    done(client::Reply{.items = {pod_object({.uid = "listed"})}});
  }
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call /*call*/,
                                                     std::function<void(client::WatchEvent)> receive) override {
    tell = std::move(receive);
    return nullptr;
  }
  std::vector<std::string> calls;
  std::function<void(client::WatchEvent)> tell;
};

api::Call about_pod(api::Verb verb, std::string subresource, text::Object body) {
  api::Call call{.verb = verb, .resource = resource_of(SchedulerKind::Pod), .namespace_name = "default", .name = "p"};
  call.subresource = std::move(subresource);
  call.body = std::move(body);
  return call;
}

TEST(Shadow, NoWriteEverReachesTheServer) {
  Server server;
  Shadow shadow(server, {.clock = [] { return at(0); }});
  for (const api::Verb verb :
       {api::Verb::Create, api::Verb::Update, api::Verb::Patch, api::Verb::Delete, api::Verb::DeleteCollection}) {
    for (const char* subresource : {"", "status", "binding", "eviction"}) {
      EXPECT_TRUE(shadow.call(about_pod(verb, subresource, {})).has_value());
    }
  }
  EXPECT_THAT(server.calls, ElementsAre());
  EXPECT_TRUE(shadow.call({.verb = api::Verb::List, .resource = resource_of(SchedulerKind::Node)}).has_value());
  EXPECT_EQ(server.calls.size(), 1U);
}

TEST(Shadow, ComparesWhatPasses) {
  Server server;
  Instant now = at(0);
  std::vector<std::string> report, sentences;
  Shadow shadow(server, {.clock = [&] { return now; },
                         .report = [&](const std::string& line) { report.push_back(line); },
                         .tell = [&](const std::string& line) { sentences.push_back(line); }});
  (void)shadow.call({.verb = api::Verb::List, .resource = resource_of(SchedulerKind::Pod)});
  std::vector<std::string> passed;
  const auto watch =
      shadow.watch({.verb = api::Verb::Watch, .resource = resource_of(SchedulerKind::Pod)},
                   [&](const client::WatchEvent& event) { passed.push_back(api::key_of(event.object->get_object())); });
  (void)shadow.call(
      about_pod(api::Verb::Create, "binding",
                {{"metadata", text::Object{{"uid", "listed"}}}, {"target", text::Object{{"name", "n1"}}}}));
  now = at(3);
  server.tell({.type = client::WatchEventType::Modified, .object = pod_object({.uid = "listed", .node = "n2"})});
  EXPECT_THAT(passed, ElementsAre("default/p-t-0"));
  EXPECT_THAT(report, ElementsAre(R"({"time":"2026-01-01T00:00:03.000000Z","difference":"other-node",)"
                                  R"("pod":"default/p-t-0","group":"default/g","ours":"n1","theirs":"n2",)"
                                  R"("aheadSeconds":3.0})"));
  shadow.step(at(3));
  shadow.step(at(63));
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_THAT(sentences[1], HasSubstr("100.0 % of placements in agreement (1 by both, 0 only by them, 0 only by us), "
                                      "0.0 % of those by both on the same node"));
  shadow.stop();
  shadow.stop();
  EXPECT_EQ(sentences.size(), 3U) << "the last summary is told once";
  EXPECT_THAT(shadow.metrics_text(), HasSubstr("basalt_shadow_verdicts{verdict=\"other-node\"} 1\n"));
}

TEST(Shadow, ObjectsOfAnyShapePass) {
  Server server;
  Shadow shadow(server, {.clock = [] { return at(0); }});
  size_t passed = 0;
  const auto watch = shadow.watch({.verb = api::Verb::Watch, .resource = resource_of(SchedulerKind::PodGroup)},
                                  [&](const client::WatchEvent&) { ++passed; });
  for (const char* json : {"null", "[]", R"({"metadata":1})", R"({"metadata":{"annotations":[]},"spec":""})"}) {
    for (const client::WatchEventType type : {client::WatchEventType::Added, client::WatchEventType::Deleted}) {
      server.tell({.type = type, .object = parsed(json)});
    }
  }
  server.tell({.type = client::WatchEventType::Error, .object = nullptr});
  EXPECT_EQ(passed, 9U);
  (void)shadow.call(about_pod(api::Verb::Create, "binding", {{"metadata", 1}, {"target", nullptr}}));
  EXPECT_EQ(shadow.summary().waiting, 0U);
}

}  // namespace
}  // namespace basalt::scheduler

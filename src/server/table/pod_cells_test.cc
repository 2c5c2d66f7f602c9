#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/table/builtin_columns.h"
#include "server/table/table_test_time.h"

namespace basalt::server {
namespace {

// "READY STATUS RESTARTS" of a pod with these fields beside its metadata; containers c and d unless `spec` says more.
std::string summary(std::string_view status, std::string_view spec = "", std::string_view metadata = "") {
  const std::string json = R"({"metadata":{"name":"p")" + std::string(metadata) +
                           R"(},"spec":{"containers":[{"name":"c"},{"name":"d"}])" + std::string(spec) +
                           R"(},"status":{)" + std::string(status) + "}}";
  const auto pod = text::parse_json(json);
  EXPECT_TRUE(pod.has_value()) << json;
  if (!pod) return {};
  text::Array cells;
  fill_pod(*pod, kNow, cells);
  EXPECT_EQ(cells.size(), columns_of("", "Pod")->columns.size());
  std::string out;
  for (const size_t i : {1U, 2U, 3U}) out += (i == 1 ? "" : " | ") + std::string(cells[i].as_string());
  return out;
}

constexpr std::string_view kInit = R"(,"initContainers":[{"name":"i"},{"name":"j"}])";
constexpr std::string_view kSidecar = R"(,"initContainers":[{"name":"i"},{"name":"s","restartPolicy":"Always"}])";
constexpr std::string_view kDeleted = R"(,"deletionTimestamp":"2026-05-01T11:00:00Z")";

TEST(PodCells, PhaseAndReason) {
  EXPECT_EQ(summary(R"("phase":"Pending")"), "0/2 | Pending | 0");
  EXPECT_EQ(summary(R"("phase":"Failed","reason":"Evicted")"), "0/2 | Evicted | 0");
  EXPECT_EQ(summary(R"("phase":"Pending","conditions":[{"type":"PodScheduled","reason":"SchedulingGated"}])"),
            "0/2 | SchedulingGated | 0");
}

TEST(PodCells, MainContainers) {
  EXPECT_EQ(summary(R"("phase":"Running","containerStatuses":[
      {"name":"c","ready":true,"restartCount":3,"state":{"running":{}},
       "lastState":{"terminated":{"finishedAt":"2026-05-01T11:55:00Z"}}},
      {"name":"d","ready":true,"restartCount":0,"state":{"running":{}}}])"),
            "2/2 | Running | 3 (5m ago)");
  EXPECT_EQ(summary(R"("phase":"Running","containerStatuses":[
      {"name":"c","restartCount":5,"state":{"waiting":{"reason":"CrashLoopBackOff"}}},
      {"name":"d","ready":true,"state":{"running":{}}}])"),
            "1/2 | CrashLoopBackOff | 5");
  EXPECT_EQ(summary(R"("phase":"Failed","containerStatuses":[{"state":{"terminated":{"exitCode":3}}}])"),
            "0/2 | ExitCode:3 | 0");
  EXPECT_EQ(summary(R"("phase":"Failed","containerStatuses":[{"state":{"terminated":{"exitCode":137,"signal":9}}}])"),
            "0/2 | Signal:9 | 0");
}

TEST(PodCells, OneCompletedContainerIsNotTheWholeStory) {
  constexpr std::string_view kCompleted = R"({"name":"c","state":{"terminated":{"exitCode":0,"reason":"Completed"}}})";
  const auto both = [&](std::string_view other, std::string_view rest = "") {
    return summary(R"("containerStatuses":[)" + std::string(kCompleted) + "," + std::string(other) + "]" +
                   std::string(rest));
  };
  constexpr std::string_view kRunning = R"({"name":"d","ready":true,"state":{"running":{}}})";
  EXPECT_EQ(both(kCompleted), "0/2 | Completed | 0");
  EXPECT_EQ(both(kRunning), "1/2 | NotReady | 0");
  EXPECT_EQ(both(kRunning, R"(,"conditions":[{"type":"Ready","status":"True"}])"), "1/2 | Running | 0");
  EXPECT_EQ(both(R"({"name":"d","state":{"terminated":{"exitCode":2,"reason":"Error"}}})"), "0/2 | Error | 0");
}

TEST(PodCells, InitContainers) {
  EXPECT_EQ(summary(R"("phase":"Pending","initContainerStatuses":[{"name":"i","state":{"running":{}}}])", kInit),
            "0/2 | Init:0/2 | 0");
  EXPECT_EQ(summary(R"("initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":0}}},
                       {"name":"j","restartCount":2,"state":{"waiting":{"reason":"ImagePullBackOff"}}}])",
                    kInit),
            "0/2 | Init:ImagePullBackOff | 2");
  EXPECT_EQ(summary(R"("initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":7}}}])", kInit),
            "0/2 | Init:ExitCode:7 | 0");
  EXPECT_EQ(
      summary(R"("initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":7,"signal":11}}}])", kInit),
      "0/2 | Init:Signal:11 | 0");
  EXPECT_EQ(
      summary(R"("initContainerStatuses":[{"name":"i","state":{"waiting":{"reason":"PodInitializing"}}}])", kInit),
      "0/2 | Init:0/2 | 0");
  // Initialized once is enough: then the main containers tell.
  EXPECT_EQ(summary(R"("phase":"Running","conditions":[{"type":"Initialized","status":"True"}],
                       "initContainerStatuses":[{"name":"i","restartCount":9,"state":{"running":{}}}],
                       "containerStatuses":[{"name":"c","ready":true,"restartCount":1,"state":{"running":{}}}])",
                    kInit),
            "1/2 | Init:0/2 | 1");
}

TEST(PodCells, SidecarsCountAsContainers) {
  EXPECT_EQ(summary(R"("phase":"Running","initContainerStatuses":[
                         {"name":"i","restartCount":2,"state":{"terminated":{"exitCode":0}}},
                         {"name":"s","restartCount":1,"ready":true,"started":true,"state":{"running":{}}}],
                       "containerStatuses":[{"name":"c","ready":true,"restartCount":1,"state":{"running":{}}}])",
                    kSidecar),
            "2/3 | Running | 2");
  EXPECT_EQ(summary(R"("phase":"Pending","initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":0}}},
                       {"name":"s","started":false,"state":{"running":{}}}])",
                    kSidecar),
            "0/3 | Init:1/2 | 0");
}

TEST(PodCells, Deletion) {
  EXPECT_EQ(summary(R"("phase":"Running")", "", kDeleted), "0/2 | Terminating | 0");
  EXPECT_EQ(summary(R"("phase":"Running","reason":"NodeLost")", "", kDeleted), "0/2 | Unknown | 0");
  EXPECT_EQ(summary(R"("phase":"Succeeded")", "", kDeleted), "0/2 | Succeeded | 0");
}

TEST(PodCells, WideColumns) {
  const auto pod = text::parse_json(R"({"spec":{"nodeName":"n","readinessGates":[{"conditionType":"a"},
      {"conditionType":"b"}]},"status":{"podIPs":[{"ip":"10.0.0.1"}],"nominatedNodeName":"m",
      "conditions":[{"type":"a","status":"True"}]}})");
  ASSERT_TRUE(pod.has_value());
  text::Array cells;
  fill_pod(*pod, kNow, cells);
  EXPECT_EQ(text::to_json(text::Array(cells.begin() + 4, cells.end())), R"(["<unknown>","10.0.0.1","n","m","1/2"])");
}

TEST(PodCells, EndedPodsSaySoInTheirRow) {
  EXPECT_TRUE(row_conditions_of_pod(*text::parse_json(R"({"status":{"phase":"Running"}})")).is_null());
  const text::Value conditions = row_conditions_of_pod(*text::parse_json(R"({"status":{"phase":"Failed"}})"));
  EXPECT_EQ(conditions.at(0).at("type"), "Completed");
  EXPECT_EQ(conditions.at(0).at("reason"), "Failed");
}

}  // namespace
}  // namespace basalt::server

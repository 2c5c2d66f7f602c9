#include "control/volcano/volcano_metrics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/controllers_fixture.h"

namespace basalt::volcano {
namespace {

using testing::HasSubstr;
using testing::Not;

// What is seen goes into an ControllerCache and from there into the metrics, as in the running controllers.
class ControllersMetrics : public testing::Test {
 protected:
  void see(VolcanoKind kind, const std::string& json) {
    text::Object object = text::parse_json(json).value().as_object();
    object["metadata"].as_object()["resourceVersion"] = std::to_string(++version_);
    seen_.learn(kind, std::make_shared<const text::Value>(std::move(object)),
                [&](const ObjectChange& change) { metrics_.note(seen_, change, kNow); });
  }
  void lose(VolcanoKind kind, const std::string& key) {
    seen_.forget(kind, key, kNow, [&](const ObjectChange& change) { metrics_.note(seen_, change, kNow); });
  }
  void job(std::string_view name, std::string_view phase) {
    see(VolcanoKind::Job, fmt::format(R"({{"metadata":{{"name":"{0}","namespace":"ns","uid":"u-{0}",
         "creationTimestamp":"2023-11-14T22:13:20Z"}},"spec":{{"queue":"q"}},"status":{{"state":{{"phase":"{1}"}}}}}})",
                                      name, phase));
  }
  void group(std::string_view name, std::string_view queue, std::string_view phase) {
    see(VolcanoKind::PodGroup,
        fmt::format(
            R"({{"metadata":{{"name":"{}","namespace":"ns"}},"spec":{{"queue":"{}"}},"status":{{"phase":"{}"}}}})",
            name, queue, phase));
  }
  void queue(std::string_view name) { see(VolcanoKind::Queue, fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name)); }
  void pod(std::string_view name, std::string_view created) {
    see(VolcanoKind::Pod,
        fmt::format(R"({{"metadata":{{"name":"{0}","namespace":"ns","uid":"u-{0}","creationTimestamp":"{1}",
         "ownerReferences":[{{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","name":"j","uid":"u-j",
         "controller":true}}]}},"spec":{{}}}})",
                    name, created));
  }

  ControllerCache seen_{{"volcano"}};
  VolcanoMetrics metrics_;
  int version_ = 0;
};

TEST_F(ControllersMetrics, CountsEndsOfJobsThatAreSeenToHappen) {
  job("done", "Completed");  // before our time
  job("j", "Running");
  job("j", "Completed");
  job("j", "Completed");
  job("k", "Running");
  job("k", "Failed");
  EXPECT_THAT(metrics_.text(), HasSubstr("volcano_job_completed_phase_count{job_name=\"ns/j\",queue_name=\"q\"} 1\n"));
  EXPECT_THAT(metrics_.text(), HasSubstr("volcano_job_failed_phase_count{job_name=\"ns/k\",queue_name=\"q\"} 1\n"));
  EXPECT_THAT(metrics_.text(), Not(HasSubstr("ns/done")));
  lose(VolcanoKind::Job, "ns/j");
  EXPECT_THAT(metrics_.text(), Not(HasSubstr("ns/j")));
}

TEST_F(ControllersMetrics, CountsPodGroupsOfQueuesThatAreThere) {
  group("early", "q", "Pending");
  EXPECT_THAT(metrics_.text(), Not(HasSubstr("queue_name=")));
  queue("q");
  queue("other");
  group("g", "q", "Running");
  EXPECT_THAT(metrics_.text(), HasSubstr("volcano_queue_pod_group_pending_count{queue_name=\"q\"} 1\n"));
  EXPECT_THAT(metrics_.text(), HasSubstr("volcano_queue_pod_group_running_count{queue_name=\"q\"} 1\n"));
  group("g", "other", "Running");
  EXPECT_THAT(metrics_.text(), HasSubstr("volcano_queue_pod_group_running_count{queue_name=\"q\"} 0\n"));
  EXPECT_THAT(metrics_.text(), HasSubstr("volcano_queue_pod_group_running_count{queue_name=\"other\"} 1\n"));
  lose(VolcanoKind::Queue, "q");
  EXPECT_THAT(metrics_.text(), Not(HasSubstr("queue_name=\"q\"")));
}

TEST_F(ControllersMetrics, TimesPodsThatAreMadeNow) {
  job("j", "Running");
  pod("old", "2023-11-14T22:00:00Z");
  EXPECT_THAT(metrics_.text(), HasSubstr("volcano_controller_job_to_pod_creation_latency_milliseconds_count 0\n"));
  pod("new", "2023-11-14T22:13:22Z");
  EXPECT_THAT(metrics_.text(), HasSubstr("volcano_controller_job_to_pod_creation_latency_milliseconds_count 1\n"));
  EXPECT_THAT(metrics_.text(), HasSubstr("volcano_controller_job_to_pod_creation_latency_milliseconds_sum 2000\n"));
}

TEST_F(ControllersMetrics, CountsFlowsByNamespace) {
  for (const std::string_view phase : {"Running", "Succeed"}) {
    see(VolcanoKind::JobFlow,
        fmt::format(R"({{"metadata":{{"name":"f","namespace":"ns"}},"status":{{"state":{{"phase":"{}"}}}}}})", phase));
  }
  EXPECT_THAT(metrics_.text(), HasSubstr("volcano_jobflow_succeed_phase_count{jobflow_namespace=\"ns\"} 1\n"));
}

TEST_F(ControllersMetrics, SeriesAreBounded) {
  for (size_t i = 0; i < text::kMaxFamilySeries + 10; ++i) queue(fmt::format("q{}", i));
  const std::string text = metrics_.text();
  size_t lines = 0;
  for (size_t at = text.find("running_count{"); at != std::string::npos; at = text.find("running_count{", at + 1)) {
    ++lines;
  }
  EXPECT_EQ(lines, text::kMaxFamilySeries);
}

}  // namespace
}  // namespace basalt::volcano

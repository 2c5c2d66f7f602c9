// A job with more pods than finished ones are kept: none of them is collected before the job is over, so none is made
// and run twice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kube/api/object_fields.h"
#include "lab/life/life_cluster.h"

namespace basalt::lab {
namespace {

const api::GroupVersionResource kPods{.group = "", .version = "v1", .plural = "pods"};
const api::GroupVersionResource kJobs{.group = "batch.volcano.sh", .version = "v1alpha1", .plural = "jobs"};
constexpr size_t kLimit = 5;
constexpr int64_t kReplicas = 40;

void create_job(LifeCluster& cluster, std::string_view name, int64_t replicas) {
  const std::string json = fmt::format(
      R"({{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{{"name":"{}","namespace":"default"}},)"
      R"("spec":{{"minAvailable":1,"tasks":[{{"name":"w","replicas":{},"template":{{"spec":{{)"
      R"("restartPolicy":"Never","containers":[{{"name":"c","image":"i"}}]}}}}}}]}}}})",
      name, replicas);
  api::Call call{.verb = api::Verb::Create, .resource = kJobs, .namespace_name = "default"};
  call.body = text::parse_json(json).value();
  const client::ReplyOrError outcome = cluster.user().call(std::move(call));
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
}

// Every pod that was ever there, by name: its uids.
class Seen {
 public:
  void check_all(LifeCluster& cluster) {
    for (const client::ObjectPtr& pod : cluster.list(kPods, "default")) {
      const text::Object& root = pod->get_object();
      uids_[std::string(api::name_of(root))].emplace(api::string_at(root, {"metadata", "uid"}));
    }
  }
  [[nodiscard]] size_t names() const { return uids_.size(); }
  [[nodiscard]] size_t made_again() const {
    size_t again = 0;
    for (const auto& [name, uids] : uids_) again += uids.size() - 1;
    return again;
  }

 private:
  std::map<std::string, std::set<std::string>> uids_;
};

std::string phase_of_job(LifeCluster& cluster, std::string_view name) {
  return std::string(api::string_at(cluster.get(kJobs, "default", name)->get_object(), {"status", "state", "phase"}));
}

int64_t succeeded_of(LifeCluster& cluster, std::string_view name) {
  return api::int_at(cluster.get(kJobs, "default", name)->get_object(), {"status", "succeeded"});
}

TEST(FinishedPods, OfAJobLargerThanTheLimitRunOnce) {
  LifeCluster cluster(kLimit);
  create_job(cluster, "j", kReplicas);
  ASSERT_TRUE(cluster.settle().has_value());
  Seen seen;
  for (int64_t i = 0; i < kReplicas; ++i) {
    const std::string pod = fmt::format("j-w-{}", i);
    for (const char* phase : {"Running", "Succeeded"}) {
      const auto told = cluster.report("default", pod, {.phase = phase});
      ASSERT_TRUE(told.has_value()) << told.error().message;
      ASSERT_TRUE(cluster.settle().has_value());
      seen.check_all(cluster);
    }
    if (i % 10 == 9) cluster.crash();
    if (i + 1 < kReplicas) {
      ASSERT_EQ(succeeded_of(cluster, "j"), i + 1) << "a finished pod was taken from a job that still counts it";
    }
  }
  EXPECT_EQ(seen.names(), static_cast<size_t>(kReplicas));
  EXPECT_EQ(seen.made_again(), 0U);
  EXPECT_EQ(phase_of_job(cluster, "j"), "Completed");
  EXPECT_EQ(cluster.list(kPods, "default").size(), kLimit) << "the job is over: its pods go, but for the limit";
  EXPECT_EQ(succeeded_of(cluster, "j"), kReplicas) << "what a job counted when it ended stays";
}

TEST(FinishedPods, OfAnAbortedJobAreThereWhenItIsResumed) {
  LifeCluster cluster(kLimit);
  create_job(cluster, "j", 8);
  ASSERT_TRUE(cluster.settle().has_value());
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(cluster.report("default", fmt::format("j-w-{}", i), {.phase = "Succeeded"}).has_value());
  }
  ASSERT_TRUE(cluster.settle().has_value());
  const auto order = [&cluster](std::string_view action) {
    const client::ObjectPtr job = cluster.get(kJobs, "default", "j");
    api::Call call{.verb = api::Verb::Create,
                   .resource = {.group = "bus.volcano.sh", .version = "v1alpha1", .plural = "commands"},
                   .namespace_name = "default"};
    call.body =
        text::parse_json(fmt::format(R"({{"apiVersion":"bus.volcano.sh/v1alpha1","kind":"Command",)"
                                     R"("metadata":{{"generateName":"c-","namespace":"default"}},"action":"{}",)"
                                     R"("target":{{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","name":"j",)"
                                     R"("uid":"{}","controller":true}}}})",
                                     action, api::string_at(job->get_object(), {"metadata", "uid"})))
            .value();
    const client::ReplyOrError outcome = cluster.user().call(std::move(call));
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    ASSERT_TRUE(cluster.settle().has_value());
  };
  order("AbortJob");
  EXPECT_EQ(phase_of_job(cluster, "j"), "Aborted");
  EXPECT_EQ(cluster.list(kPods, "default").size(), 7U);
  order("ResumeJob");
  EXPECT_EQ(succeeded_of(cluster, "j"), 7);
  EXPECT_EQ(cluster.list(kPods, "default").size(), 8U);
}

}  // namespace
}  // namespace basalt::lab

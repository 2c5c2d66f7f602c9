#include "engine/model/queue_usage.h"

#include <gtest/gtest.h>

namespace basalt::model {
namespace {

Job job_with(PodGroupPhase phase, Amount holds, std::optional<Amount> minimum) {
  Job job;
  job.status.phase = phase;
  job.allocated.at(kCpu) = holds;
  job.pending.at(kCpu) = 500;
  if (minimum) {
    job.min_resources = Quota();
    job.min_resources->set(kCpu, *minimum);
  }
  return job;
}

TEST(QueueUsage, ChargesWhatAJobHoldsWantsAndWasPromised) {
  QueueUsage usage;
  usage.charge(job_with(PodGroupPhase::Inqueue, 3000, 2000));  // 1000 above its minimum
  usage.charge(job_with(PodGroupPhase::Inqueue, 500, 2000));   // 1500 of its minimum still to come
  usage.charge(job_with(PodGroupPhase::Pending, 0, 2000));     // not let in: no promise
  EXPECT_EQ(usage.allocated[kCpu], 3500);
  EXPECT_EQ(usage.request[kCpu], 5000);  // 3500 + 3 · 500
  EXPECT_EQ(usage.inqueue[kCpu], 1500);
  EXPECT_EQ(usage.elastic[kCpu], 1000);
}

TEST(QueueUsage, WithoutAMinimumAllIsElastic) {
  QueueUsage usage;
  usage.charge(job_with(PodGroupPhase::Inqueue, 3000, std::nullopt));
  EXPECT_EQ(usage.elastic[kCpu], 3000);
  EXPECT_EQ(usage.inqueue[kCpu], 0);
}

TEST(QueueUsage, PromisesLeaveOutWhatIsGated) {
  Job job = job_with(PodGroupPhase::Inqueue, 500, 2000);
  job.gated.at(kCpu) = 400;
  ResourceVec uncovered;
  add_uncovered_minimum(job, uncovered);
  EXPECT_EQ(uncovered[kCpu], 1100);  // 2000 − 500 − 400
  ResourceVec promised;
  add_promised_minimum(job, promised);
  EXPECT_EQ(promised[kCpu], 1600);  // 2000 − 400
  job.gated.at(kCpu) = 9000;
  ResourceVec none;
  add_uncovered_minimum(job, none);
  EXPECT_EQ(none[kCpu], 0);
}

TEST(QueueUsage, ARunningJobHoldsItsPromiseOnlyWithACompleteGang) {
  Job job = job_with(PodGroupPhase::Running, 1000, 2000);
  job.min_available = 2;
  job.counts[slot(TaskStatus::Running)] = 1;
  EXPECT_FALSE(holds_promise(job));
  job.counts[slot(TaskStatus::Running)] = 2;
  EXPECT_TRUE(holds_promise(job));
}

TEST(QueueUsage, ElasticMakesRoomForAMinimum) {
  QueueUsage usage;
  usage.charge(job_with(PodGroupPhase::Inqueue, 3000, 2000));
  Quota minimum;
  minimum.set(kCpu, 2000);
  minimum.set(kPods, 100);  // never counts
  RealVec limit;
  limit.set(kCpu, 4000);
  EXPECT_TRUE(usage.exceeded_with(minimum, limit).empty());  // 2000 + 3000 − 1000 elastic = 4000
  limit.set(kCpu, 3999);
  EXPECT_EQ(usage.exceeded_with(minimum, limit), (std::vector<ResourceId>{kCpu}));
}

}  // namespace
}  // namespace basalt::model

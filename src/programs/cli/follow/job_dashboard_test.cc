#include "programs/cli/follow/job_dashboard.h"

#include <gmock/gmock.h>

#include "kube/text/utf8.h"
#include "programs/cli/follow/follow_fixture.h"

namespace basalt::cli::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + '\n';
  return out;
}

TEST(JobObjects, AnEmptyOneHasABoardAndALine) {
  StringTerminal terminal_fixture;
  const JobObjects objects("train");
  EXPECT_THAT(joined(dashboard_lines(objects, terminal_fixture.terminal)), HasSubstr("job    train  not begun"));
  EXPECT_EQ(state_line(objects), "no job");
  EXPECT_EQ(reached(objects, FollowGoal::Running), std::nullopt);
}

TEST(JobObjects, TheGangIsCountedByWhatItsPodsDo) {
  JobObjects objects("train");
  objects.put(JobObjectKind::Job, object(job("Pending")));
  objects.put(JobObjectKind::Pod, object(pod("train-worker-0", "Running", "n1")));
  objects.put(JobObjectKind::Pod, object(pod("train-worker-1", "Pending", "n1")));
  objects.put(JobObjectKind::Pod, object(pod("train-worker-2", "Pending", "")));
  objects.put(JobObjectKind::Pod, object(pod("train-worker-3", "Succeeded", "n1")));
  objects.put(JobObjectKind::Pod, object(pod("train-worker-4", "Failed", "n1")));
  EXPECT_EQ(gang_progress(objects),
            (GangProgress{.needed = 8, .wanted = 10, .running = 1, .placed = 1, .succeeded = 1, .failed = 1}));
  objects.remove(JobObjectKind::Pod, object(pod("train-worker-0", "Running", "n1"))->get_object());
  EXPECT_EQ(gang_progress(objects).running, 0);
}

TEST(JobObjects, PodsStandInTheOrderOfTheirNumbers) {
  JobObjects objects("train");
  for (const char* name : {"train-worker-10", "train-worker-9", "train-ps-0", "train-worker-2"}) {
    objects.put(JobObjectKind::Pod, object(pod(name, "Running", "n1")));
  }
  std::vector<std::string> names;
  for (const text::Object* each : objects.pods()) names.emplace_back(api::name_of(*each));
  EXPECT_THAT(names, ElementsAre("train-ps-0", "train-worker-2", "train-worker-9", "train-worker-10"));
}

TEST(JobObjects, GroupsAndEventsOfOthersAreLeftOut) {
  JobObjects objects("train");
  objects.put(JobObjectKind::Group, object("{metadata: {name: other, ownerReferences: [{kind: Job, name: other}]}}"));
  objects.put(JobObjectKind::Group, object("{metadata: {name: nobodys, ownerReferences: 5}}"));
  EXPECT_EQ(objects.group(), nullptr);
  objects.put(JobObjectKind::Event, object(event("E2", "train-worker-0", "2026-11-15T18:46:20Z")));
  objects.put(JobObjectKind::Event, object(event("E1", "train", "2026-11-15T18:46:10Z")));
  objects.put(JobObjectKind::Event, object(event("E3", "trainer-0", "2026-11-15T18:46:10Z")));
  EXPECT_THAT(objects.events(), SizeIs(1));  // that pod is not known yet
  objects.put(JobObjectKind::Pod, object(pod("train-worker-0", "Running", "n1")));
  std::vector<std::string> reasons;
  for (const text::Object* each : objects.events()) reasons.emplace_back(api::string_at(*each, "reason"));
  EXPECT_THAT(reasons, ElementsAre("E1", "E2"));
}

TEST(JobObjects, OnlyTheLatestEventsAreKept) {
  JobObjects objects("train");
  for (size_t i = 0; i < kMaxJobEvents + 20; ++i) {
    objects.put(JobObjectKind::Event,
                object(event("E" + std::to_string(i), "train",
                             text::format_time(Instant::from_unix_seconds(1000 + static_cast<int64_t>(i))))));
  }
  ASSERT_THAT(objects.events(), SizeIs(kMaxJobEvents));
  EXPECT_EQ(api::string_at(*objects.events().front(), "reason"), "E20");
}

TEST(BoardTest, ShowsQueueGangReasonPodsAndEvents) {
  StringTerminal terminal_fixture;
  JobObjects objects("train");
  objects.put(JobObjectKind::Job, object(job("Pending")));
  objects.put(JobObjectKind::Queue, object(kQueue));
  objects.put(JobObjectKind::Group, object(kGroup));
  objects.put(JobObjectKind::Pod, object(pod("train-worker-0", "Running", "gpu-3")));
  objects.put(JobObjectKind::Pod, object(pod("train-worker-1", "Pending", "")));
  objects.put(JobObjectKind::Event, object(event("Unschedulable", "train", "2026-11-15T18:46:21Z")));
  const std::string text = joined(dashboard_lines(objects, terminal_fixture.terminal));
  EXPECT_EQ(text, R"(job    lab/train  Pending
why    8/8 tasks in gang unschedulable
queue  research  Open  weight 4  in use: cpu=16  at most: nvidia.com/gpu=16
gang   [##......................] 1 running, of 8 needed (10 wanted)

POD             STATUS   NODE
train-worker-0  Running  gpu-3
train-worker-1  Pending  -

12s   Warning Unschedulable Pod/train: said
)");
}

TEST(BoardTest, AGroupThatIsNotLetInWaitsForTheReasonOfItsLastEvent) {
  JobObjects objects("train");
  objects.put(JobObjectKind::Job, object(job("Pending")));
  objects.put(JobObjectKind::Group,
              object("{metadata: {name: train-u1, ownerReferences: [{kind: Job, name: train}]}}"));
  EXPECT_EQ(waiting_reason(objects), "");
  const auto told = [&objects](const std::string& name, const std::string& message, const std::string& time) {
    objects.put(JobObjectKind::Event,
                object("{metadata: {name: " + name + "}, involvedObject: {name: train-u1}, reason: " +
                       "Unschedulable, message: '" + message + "', lastTimestamp: '" + time + "'}"));
  };
  told("b", "no room yet", "2026-11-15T18:46:21Z");
  told("a", "queue resource quota insufficient", "2026-11-15T18:46:22Z");
  told("c", "0/0 tasks in gang unschedulable", "2026-11-15T18:46:23Z");
  EXPECT_EQ(waiting_reason(objects), "queue resource quota insufficient");
  objects.put(JobObjectKind::Job, object(job("Running")));
  EXPECT_EQ(waiting_reason(objects), "");
}

TEST(BoardTest, OurOwnSentenceComesFirstAndIsNeverStale) {
  JobObjects objects("train");
  objects.put(JobObjectKind::Job, object(job("Pending")));
  const auto told = [&objects](const std::string& status) {
    objects.put(JobObjectKind::Group,
                object("{metadata: {name: train-u1, ownerReferences: [{kind: Job, name: train}]}, status: "
                       "{conditions: [{type: Unschedulable, status: 'True', message: 8/8 tasks}, "
                       "{type: Waiting, status: '" +
                       status + "', message: needs 100 cpu}]}}"));
  };
  told("True");
  EXPECT_EQ(waiting_reason(objects), "needs 100 cpu");
  for (int i = 0; i < 8; ++i)
    objects.put(JobObjectKind::Pod, object(pod("train-worker-" + std::to_string(i), "Pending", "n1")));
  EXPECT_EQ(waiting_reason(objects), "");  // placed, though the group does not say so yet
  told("False");
  EXPECT_EQ(waiting_reason(objects), "");
}

TEST(BoardTest, IsNeverLargerThanTheScreen) {
  StringTerminal terminal_fixture;
  terminal_fixture.terminal.width = 30;
  terminal_fixture.terminal.height = 15;
  JobObjects objects("train");
  objects.put(JobObjectKind::Job, object(job("Running")));
  objects.put(JobObjectKind::Queue, object(kQueue));
  for (int i = 0; i < 100; ++i)
    objects.put(JobObjectKind::Pod, object(pod("train-worker-" + std::to_string(i), "Running", "n")));
  for (int i = 0; i < 50; ++i) {
    objects.put(JobObjectKind::Event, object(event("E" + std::to_string(i), "train", "2026-11-15T18:46:21Z")));
  }
  const auto lines = dashboard_lines(objects, terminal_fixture.terminal);
  EXPECT_LT(lines.size(), 15U);
  for (const std::string& line : lines) EXPECT_LE(text::character_count(line), 30U) << line;
  EXPECT_THAT(joined(lines), HasSubstr("more"));
}

TEST(BoardTest, LongTextsGoOnInTheNextLine) {
  StringTerminal terminal_fixture;
  terminal_fixture.terminal.width = 40;
  terminal_fixture.terminal.height = 30;
  JobObjects objects("train");
  objects.put(JobObjectKind::Job, object(job("Pending")));
  objects.put(JobObjectKind::Queue, object(kQueue));
  objects.put(JobObjectKind::Group, object("{metadata: {name: g, ownerReferences: [{kind: Job, name: train}]}, status: "
                                           "{conditions: [{type: Unschedulable, status: 'True', message: 'needs 100 "
                                           "nvidia.com/gpu, the cluster has 64: cannot ever run'}]}}"));
  objects.put(JobObjectKind::Event,
              object("{metadata: {name: e}, involvedObject: {kind: Job, name: train}, reason: Told, type: "
                     "Normal, message: 'a message that is longer than the screen is wide', "
                     "lastTimestamp: '2026-11-15T18:46:21Z'}"));
  EXPECT_EQ(joined(dashboard_lines(objects, terminal_fixture.terminal)), R"(job    lab/train  Pending
why    needs 100 nvidia.com/gpu, the
       cluster has 64: cannot ever run
queue  research  Open  weight 4  in use:
       cpu=16  at most:
       nvidia.com/gpu=16
gang   [........................] 0
       running, of 8 needed (10 wanted)

POD  STATUS  NODE

12s   Normal Told Job/train: a message
      that is longer than the screen is
      wide
)");
}

// As on a telephone, or in a quarter of a screen.
TEST(BoardTest, NothingIsCutOnANarrowScreen) {
  StringTerminal terminal_fixture;
  terminal_fixture.terminal.width = 38;
  terminal_fixture.terminal.height = 40;
  JobObjects objects("train");
  objects.put(JobObjectKind::Job, object(job("Pending")));
  for (const char* name : {"resnet-50-imagenet-worker-0", "resnet-50-imagenet-worker-1"}) {
    objects.put(JobObjectKind::Pod, object(pod(name, "Running", "gpu-node-17")));
  }
  objects.put(JobObjectKind::Event,
              object("{metadata: {name: e}, involvedObject: {kind: Job, name: train}, reason: Unschedulable, type: "
                     "Warning, message: 'needs 8 × 8 nvidia.com/gpu and 64 cpu; queue research holds 24 of 32 "
                     "nvidia.com/gpu, and the largest free blocks of the cluster are 8, 8, 3: waits for 40 more', "
                     "lastTimestamp: '2026-11-15T18:46:21Z'}"));
  const std::string text = joined(dashboard_lines(objects, terminal_fixture.terminal));
  EXPECT_THAT(text, HasSubstr(R"(
POD
  STATUS  NODE
resnet-50-imagenet-worker-0
  Running  gpu-node-17
resnet-50-imagenet-worker-1
  Running  gpu-node-17

12s   Warning Unschedulable Job/train:
      needs 8 × 8 nvidia.com/gpu and
      64 cpu; queue research holds 24
      of 32 nvidia.com/gpu, and the
      largest free blocks of the
      cluster are 8, 8, 3: waits for
      40 more
)"));
  EXPECT_THAT(text, Not(HasSubstr("…")));
}

TEST(BoardTest, OlderEventsAreShownWholeOrNotAtAll) {
  StringTerminal terminal_fixture;
  terminal_fixture.terminal.width = 38;
  terminal_fixture.terminal.height = 20;
  JobObjects objects("train");
  objects.put(JobObjectKind::Job, object(job("Running")));
  for (int i = 0; i < 3; ++i) {
    objects.put(JobObjectKind::Pod, object(pod("train-" + std::to_string(i), "Running", "n")));
    objects.put(JobObjectKind::Event,
                object("{metadata: {name: e" + std::to_string(i) +
                       "}, involvedObject: {kind: Job, name: train}, reason: Told, type: Normal, message: 'number " +
                       std::to_string(i) + " of a few that take some lines each', lastTimestamp: '2026-11-15T18:46:2" +
                       std::to_string(i) + "Z'}"));
  }
  const auto lines = dashboard_lines(objects, terminal_fixture.terminal);
  EXPECT_LT(lines.size(), 20U);
  EXPECT_THAT(joined(lines), HasSubstr("number 2"));
  EXPECT_THAT(joined(lines), Not(HasSubstr("number 0")));
  EXPECT_THAT(joined(lines), Not(HasSubstr("…")));
}

TEST(BoardTest, WhatAServerSendsDoesNotSteerTheScreen) {
  StringTerminal terminal_fixture;
  JobObjects objects("train");
  objects.put(JobObjectKind::Job,
              object("{metadata: {name: \"train\\e[2J\"}, spec: {queue: \"\\e[1m\"}, status: {state: 7}}"));
  objects.put(JobObjectKind::Group,
              object("{metadata: {name: g, ownerReferences: [{kind: Job, name: train}, 4]}, status: []}"));
  objects.put(JobObjectKind::Pod, object("{metadata: {name: \"a\\e\"}, spec: 5, status: [1]}"));
  EXPECT_THAT(joined(dashboard_lines(objects, terminal_fixture.terminal)), Not(HasSubstr("\033")));
  EXPECT_THAT(state_line(objects), Not(HasSubstr("\033")));
}

TEST(Reached, ByPhaseAndGoal) {
  const auto at = [](const std::string& phase, FollowGoal goal) {
    JobObjects objects("train");
    objects.put(JobObjectKind::Job, object(job(phase)));
    return reached(objects, goal);
  };
  for (const char* bad : {"Failed", "Aborted", "Terminated"}) {
    EXPECT_EQ(at(bad, FollowGoal::Running), false);
    EXPECT_EQ(at(bad, FollowGoal::Completed), false);
  }
  EXPECT_EQ(at("Running", FollowGoal::Running), true);
  EXPECT_EQ(at("Running", FollowGoal::Completed), std::nullopt);
  EXPECT_EQ(at("Completed", FollowGoal::Running), true);
  EXPECT_EQ(at("Completed", FollowGoal::Completed), true);
  EXPECT_EQ(at("Restarting", FollowGoal::Completed), std::nullopt);
}

}  // namespace
}  // namespace basalt::cli::follow

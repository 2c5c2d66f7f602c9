#include "programs/cli/follow/board.h"

#include <gmock/gmock.h>

#include "kube/text/utf8.h"
#include "programs/cli/follow/follow_test_world.h"

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

TEST(Scene, AnEmptyOneHasABoardAndALine) {
  Board board;
  const Scene scene("train");
  EXPECT_THAT(joined(board_lines(scene, board.terminal)), HasSubstr("job    train  not begun"));
  EXPECT_EQ(state_line(scene), "no job");
  EXPECT_EQ(reached(scene, Goal::Running), std::nullopt);
}

TEST(Scene, TheGangIsCountedByWhatItsPodsDo) {
  Scene scene("train");
  scene.put(Part::Job, object(job("Pending")));
  scene.put(Part::Pod, object(pod("train-worker-0", "Running", "n1")));
  scene.put(Part::Pod, object(pod("train-worker-1", "Pending", "n1")));
  scene.put(Part::Pod, object(pod("train-worker-2", "Pending", "")));
  scene.put(Part::Pod, object(pod("train-worker-3", "Succeeded", "n1")));
  scene.put(Part::Pod, object(pod("train-worker-4", "Failed", "n1")));
  EXPECT_EQ(fill_of(scene),
            (GangFill{.needed = 8, .wanted = 10, .running = 1, .placed = 1, .succeeded = 1, .failed = 1}));
  scene.remove(Part::Pod, object(pod("train-worker-0", "Running", "n1"))->get_object());
  EXPECT_EQ(fill_of(scene).running, 0);
}

TEST(Scene, PodsStandInTheOrderOfTheirNumbers) {
  Scene scene("train");
  for (const char* name : {"train-worker-10", "train-worker-9", "train-ps-0", "train-worker-2"}) {
    scene.put(Part::Pod, object(pod(name, "Running", "n1")));
  }
  std::vector<std::string> names;
  for (const text::Object* each : scene.pods()) names.emplace_back(api::name_of(*each));
  EXPECT_THAT(names, ElementsAre("train-ps-0", "train-worker-2", "train-worker-9", "train-worker-10"));
}

TEST(Scene, GroupsAndEventsOfOthersAreLeftOut) {
  Scene scene("train");
  scene.put(Part::Group, object("{metadata: {name: other, ownerReferences: [{kind: Job, name: other}]}}"));
  scene.put(Part::Group, object("{metadata: {name: nobodys, ownerReferences: 5}}"));
  EXPECT_EQ(scene.group(), nullptr);
  scene.put(Part::Event, object(event("E2", "train-worker-0", "2026-11-15T18:46:20Z")));
  scene.put(Part::Event, object(event("E1", "train", "2026-11-15T18:46:10Z")));
  scene.put(Part::Event, object(event("E3", "trainer-0", "2026-11-15T18:46:10Z")));
  EXPECT_THAT(scene.events(), SizeIs(1));  // that pod is not known yet
  scene.put(Part::Pod, object(pod("train-worker-0", "Running", "n1")));
  std::vector<std::string> reasons;
  for (const text::Object* each : scene.events()) reasons.emplace_back(api::string_at(*each, "reason"));
  EXPECT_THAT(reasons, ElementsAre("E1", "E2"));
}

TEST(Scene, OnlyTheLatestEventsAreKept) {
  Scene scene("train");
  for (size_t i = 0; i < kMaxSceneEvents + 20; ++i) {
    scene.put(Part::Event,
              object(event("E" + std::to_string(i), "train",
                           text::format_time(Instant::from_unix_seconds(1000 + static_cast<int64_t>(i))))));
  }
  ASSERT_THAT(scene.events(), SizeIs(kMaxSceneEvents));
  EXPECT_EQ(api::string_at(*scene.events().front(), "reason"), "E20");
}

TEST(BoardTest, ShowsQueueGangReasonPodsAndEvents) {
  Board board;
  Scene scene("train");
  scene.put(Part::Job, object(job("Pending")));
  scene.put(Part::Queue, object(kQueue));
  scene.put(Part::Group, object(kGroup));
  scene.put(Part::Pod, object(pod("train-worker-0", "Running", "gpu-3")));
  scene.put(Part::Pod, object(pod("train-worker-1", "Pending", "")));
  scene.put(Part::Event, object(event("Unschedulable", "train", "2026-11-15T18:46:21Z")));
  const std::string text = joined(board_lines(scene, board.terminal));
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
  Scene scene("train");
  scene.put(Part::Job, object(job("Pending")));
  scene.put(Part::Group, object("{metadata: {name: train-u1, ownerReferences: [{kind: Job, name: train}]}}"));
  EXPECT_EQ(waiting_reason(scene), "");
  const auto told = [&scene](const std::string& name, const std::string& message, const std::string& time) {
    scene.put(Part::Event, object("{metadata: {name: " + name + "}, involvedObject: {name: train-u1}, reason: " +
                                  "Unschedulable, message: '" + message + "', lastTimestamp: '" + time + "'}"));
  };
  told("b", "no room yet", "2026-11-15T18:46:21Z");
  told("a", "queue resource quota insufficient", "2026-11-15T18:46:22Z");
  told("c", "0/0 tasks in gang unschedulable", "2026-11-15T18:46:23Z");
  EXPECT_EQ(waiting_reason(scene), "queue resource quota insufficient");
  scene.put(Part::Job, object(job("Running")));
  EXPECT_EQ(waiting_reason(scene), "");
}

TEST(BoardTest, OurOwnSentenceComesFirstAndIsNeverStale) {
  Scene scene("train");
  scene.put(Part::Job, object(job("Pending")));
  const auto told = [&scene](const std::string& status) {
    scene.put(Part::Group, object("{metadata: {name: train-u1, ownerReferences: [{kind: Job, name: train}]}, status: "
                                  "{conditions: [{type: Unschedulable, status: 'True', message: 8/8 tasks}, "
                                  "{type: Waiting, status: '" +
                                  status + "', message: needs 100 cpu}]}}"));
  };
  told("True");
  EXPECT_EQ(waiting_reason(scene), "needs 100 cpu");
  for (int i = 0; i < 8; ++i) scene.put(Part::Pod, object(pod("train-worker-" + std::to_string(i), "Pending", "n1")));
  EXPECT_EQ(waiting_reason(scene), "");  // placed, though the group does not say so yet
  told("False");
  EXPECT_EQ(waiting_reason(scene), "");
}

TEST(BoardTest, IsNeverLargerThanTheScreen) {
  Board board;
  board.terminal.width = 30;
  board.terminal.height = 15;
  Scene scene("train");
  scene.put(Part::Job, object(job("Running")));
  scene.put(Part::Queue, object(kQueue));
  for (int i = 0; i < 100; ++i) scene.put(Part::Pod, object(pod("train-worker-" + std::to_string(i), "Running", "n")));
  for (int i = 0; i < 50; ++i) {
    scene.put(Part::Event, object(event("E" + std::to_string(i), "train", "2026-11-15T18:46:21Z")));
  }
  const auto lines = board_lines(scene, board.terminal);
  EXPECT_LT(lines.size(), 15U);
  for (const std::string& line : lines) EXPECT_LE(text::character_count(line), 30U) << line;
  EXPECT_THAT(joined(lines), HasSubstr("more"));
}

TEST(BoardTest, LongTextsGoOnInTheNextLine) {
  Board board;
  board.terminal.width = 40;
  board.terminal.height = 30;
  Scene scene("train");
  scene.put(Part::Job, object(job("Pending")));
  scene.put(Part::Queue, object(kQueue));
  scene.put(Part::Group, object("{metadata: {name: g, ownerReferences: [{kind: Job, name: train}]}, status: "
                                "{conditions: [{type: Unschedulable, status: 'True', message: 'needs 100 "
                                "nvidia.com/gpu, the cluster has 64: cannot ever run'}]}}"));
  scene.put(Part::Event, object("{metadata: {name: e}, involvedObject: {kind: Job, name: train}, reason: Told, type: "
                                "Normal, message: 'a message that is longer than the screen is wide', "
                                "lastTimestamp: '2026-11-15T18:46:21Z'}"));
  EXPECT_EQ(joined(board_lines(scene, board.terminal)), R"(job    lab/train  Pending
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

TEST(BoardTest, WhatAServerSendsDoesNotSteerTheScreen) {
  Board board;
  Scene scene("train");
  scene.put(Part::Job, object("{metadata: {name: \"train\\e[2J\"}, spec: {queue: \"\\e[1m\"}, status: {state: 7}}"));
  scene.put(Part::Group, object("{metadata: {name: g, ownerReferences: [{kind: Job, name: train}, 4]}, status: []}"));
  scene.put(Part::Pod, object("{metadata: {name: \"a\\e\"}, spec: 5, status: [1]}"));
  EXPECT_THAT(joined(board_lines(scene, board.terminal)), Not(HasSubstr("\033")));
  EXPECT_THAT(state_line(scene), Not(HasSubstr("\033")));
}

TEST(Reached, ByPhaseAndGoal) {
  const auto at = [](const std::string& phase, Goal goal) {
    Scene scene("train");
    scene.put(Part::Job, object(job(phase)));
    return reached(scene, goal);
  };
  for (const char* bad : {"Failed", "Aborted", "Terminated"}) {
    EXPECT_EQ(at(bad, Goal::Running), false);
    EXPECT_EQ(at(bad, Goal::Completed), false);
  }
  EXPECT_EQ(at("Running", Goal::Running), true);
  EXPECT_EQ(at("Running", Goal::Completed), std::nullopt);
  EXPECT_EQ(at("Completed", Goal::Running), true);
  EXPECT_EQ(at("Completed", Goal::Completed), true);
  EXPECT_EQ(at("Restarting", Goal::Completed), std::nullopt);
}

}  // namespace
}  // namespace basalt::cli::follow

#include "programs/cli/follow/follow.h"

#include <gmock/gmock.h>

#include "programs/cli/follow/follow_fixture.h"

namespace basalt::cli::follow {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FollowJob : public ::testing::Test {
 protected:
  FollowJob() {
    board_.terminal.width = board_.terminal.height = 0;
    api_.put("jobs", job("Pending"));
    api_.put("queues", kQueue);
    api_.put("podgroups", kGroup);
  }
  int follow(FollowGoal goal) {
    return follow_job(api_, {.namespace_name = "lab", .job = "train", .goal = goal}, board_.terminal);
  }
  static std::vector<client::WatchEvent> changed(const std::string& yaml) {
    return {{.type = client::WatchEventType::Modified, .object = object(yaml)}};
  }

  vcctl::FakeApi api_;
  StringTerminal board_;
};

TEST_F(FollowJob, EveryChangeIsOneLineUntilTheGoal) {
  // In the order in which the feed opens them: job, groups, pods, events, queue.
  api_.watches = {
      {},
      {},
      {{.type = client::WatchEventType::Added, .object = object(pod("train-worker-0", "Running", "n1"))}},
      {{.type = client::WatchEventType::Added, .object = object(event("Seen", "train", "2026-11-15T18:46:21Z"))}},
      {}};
  api_.watches[4] = changed(kQueue);
  std::vector<client::WatchEvent> phases = changed(job("Running"));
  api_.watches[0] = phases;
  EXPECT_EQ(follow(FollowGoal::Running), 0);
  EXPECT_THAT(
      board_.out.str(),
      AllOf(StartsWith("2026-11-15T18:46:33Z job lab/train Pending, queue research, group Inqueue, 0 running, of 8 "
                       "needed (10 wanted): 8/8 tasks in gang unschedulable\n"),
            HasSubstr("job lab/train Running, queue research, group Inqueue, 1 running"),
            HasSubstr("  Warning Seen Pod/train: said\n")));
}

TEST_F(FollowJob, AJobThatFailsIsAFailure) {
  api_.watches = {changed(job("Aborted")), {}, {}, {}, {}};
  EXPECT_EQ(follow(FollowGoal::Completed), 1);
}

TEST_F(FollowJob, AJobThatIsDeletedIsAFailure) {
  api_.watches = {{{.type = client::WatchEventType::Deleted, .object = object(job("Pending"))}}, {}, {}, {}, {}};
  EXPECT_EQ(follow(FollowGoal::Completed), 1);
  EXPECT_THAT(board_.err.str(), HasSubstr("job train was deleted"));
}

TEST_F(FollowJob, AnUnknownJobIsToldInTheServersWords) {
  EXPECT_EQ(follow_job(api_, {.namespace_name = "lab", .job = "nope"}, board_.terminal), 1);
  EXPECT_EQ(board_.err.str(), "basalt follow: jobs.batch.volcano.sh \"nope\" not found\n");
}

TEST_F(FollowJob, AWatchThatEndsIsOpenedAgainAndManyInARowAreAFailure) {
  const auto end = vcctl::FakeApi::end_of_watch(504, "WatchEnded", "closed");
  api_.watches = {{end}, {}, {}, {}, {}, changed(job("Running"))};
  EXPECT_EQ(follow(FollowGoal::Running), 0);
  api_.watches = {};  // every watch ends at once
  EXPECT_EQ(follow(FollowGoal::Running), 1);
  EXPECT_THAT(board_.err.str(), HasSubstr("the server ends every watch at once"));
}

TEST_F(FollowJob, OnAScreenTheBoardIsDrawnOverItself) {
  board_.terminal.width = 100;
  board_.terminal.height = 40;
  api_.watches = {changed(job("Running")), {}, {}, {}, {}};
  EXPECT_EQ(follow(FollowGoal::Running), 0);
  EXPECT_THAT(board_.out.str(),
              AllOf(HasSubstr("lab/train  Pending"), HasSubstr("A\r"), HasSubstr("lab/train  Running")));
}

TEST_F(FollowJob, TheTimeCanBeUp) {
  api_.watches = {{}, {}, {}, {}, {}};
  int64_t seconds = 1'000'000;
  board_.terminal.now = [&seconds] { return Instant::from_unix_seconds(seconds += 100); };
  EXPECT_EQ(
      follow_job(api_, {.namespace_name = "lab", .job = "train", .timeout = std::chrono::seconds(50)}, board_.terminal),
      1);
  EXPECT_THAT(board_.err.str(), HasSubstr("job train is still Pending after 50 s"));
}

}  // namespace
}  // namespace basalt::cli::follow

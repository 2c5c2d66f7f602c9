#include "control/volcano/queue/queue_controller.h"

#include <gmock/gmock.h>

#include "control/volcano/controllers_fixture.h"
#include "control/volcano/queue/queue_view.h"

namespace basalt::volcano {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::string queue(const std::string& name, const std::string& state, const std::string& parent = "root",
                  const std::string& annotations = "") {
  return fmt::format(
      R"({{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue",
          "metadata":{{"name":"{}","uid":"u-{}","annotations":{{{}}}}},"spec":{{"parent":"{}"}},
          "status":{{"state":"{}","allocated":{{"cpu":"3"}}}}}})",
      name, name, annotations, parent, state);
}
std::string group(const std::string& name, const std::string& of_queue, const std::string& phase) {
  return fmt::format(
      R"({{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{{"namespace":"n","name":"{}"}},
          "spec":{{"queue":"{}"}},"status":{{"phase":"{}"}}}})",
      name, of_queue, phase);
}
std::string command(const std::string& name, const std::string& action, const std::string& target,
                    const std::string& created = "2023-11-14T22:13:10Z", const std::string& uid = "") {
  return fmt::format(
      R"({{"apiVersion":"bus.volcano.sh/v1alpha1","kind":"Command",
          "metadata":{{"namespace":"n","name":"{}","creationTimestamp":"{}"}},"action":"{}",
          "target":{{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","name":"{}","uid":"{}"}}}})",
      name, created, action, target, uid.empty() ? "u-" + target : uid);
}
constexpr std::string_view kMarked = R"("volcano.sh/closed-by-parent":"true")";

class QueueController : public ::testing::Test {
 protected:
  QueueController() { fixture.see(queue("root", "Open", "")); }
  Lines run(const std::string& item) { return fixture.run(controller, item); }
  std::string state(std::string_view name) { return fixture.json(VolcanoKind::Queue, name, {"status", "state"}); }

  ControllersFixture fixture;
  const VolcanoController controller = queue_controller();
};

TEST(QueueStates, EachCellOfTheTable) {
  using enum QueueLifecycleState;
  struct Cell {
    QueueLifecycleState from;
    QueueAction action;
    QueueLifecycleState empty, holding;
  };
  const Cell cells[] = {
      {None, QueueAction::Open, Open, Open},          {None, QueueAction::Close, Closed, Closing},
      {None, QueueAction::Sync, Open, Open},          {Open, QueueAction::Open, Open, Open},
      {Open, QueueAction::Close, Closed, Closing},    {Open, QueueAction::Sync, Open, Open},
      {Closed, QueueAction::Open, Open, Open},        {Closed, QueueAction::Close, Closed, Closed},
      {Closed, QueueAction::Sync, Closed, Closed},    {Closing, QueueAction::Open, Open, Open},
      {Closing, QueueAction::Close, Closed, Closing}, {Closing, QueueAction::Sync, Closed, Closing},
      {Unknown, QueueAction::Open, Open, Open},       {Unknown, QueueAction::Close, Closed, Closing},
      {Unknown, QueueAction::Sync, Unknown, Unknown},
  };
  for (const Cell& cell : cells) {
    const std::string place = fmt::format("{} {}", to_text(cell.from), static_cast<int>(cell.action));
    EXPECT_EQ(next_state(cell.from, cell.action, false), cell.empty) << place;
    EXPECT_EQ(next_state(cell.from, cell.action, true), cell.holding) << place;
  }
}

TEST_F(QueueController, NewQueueGetsParentAndOpens) {
  fixture.see(queue("q", "", ""));
  EXPECT_THAT(run("q"), ElementsAre(R"(patch queues/q {"spec":{"parent":"root"}})",
                                    R"(patch queues/q/status {"status":{"state":"Open"}})"));
  EXPECT_THAT(run("q"), IsEmpty());
  EXPECT_THAT(run("root"), IsEmpty());
}

TEST_F(QueueController, CountsGroupsByPhaseAndKeepsWhatIsNotOurs) {
  fixture.see(queue("q", "Open"));
  EXPECT_THAT(fixture.see(group("a", "q", "Pending"), controller), ElementsAre("q"));
  fixture.see(group("b", "q", "Running"));
  fixture.see(group("c", "q", ""));
  fixture.see(group("d", "q", "Inqueue"));
  fixture.see(group("e", "q", "Completed"));
  fixture.see(group("f", "q", "Unknown"));
  EXPECT_THAT(run("q"), ElementsAre(R"(patch queues/q/status )"
                                    R"({"status":{"pending":2,"running":1,"inqueue":1,"unknown":1,"completed":1}})"));
  EXPECT_EQ(fixture.json(VolcanoKind::Queue, "q", {"status", "allocated"}), R"({"cpu":"3"})");
  EXPECT_THAT(run("q"), IsEmpty());
  // From none to Pending nothing changes in the counts.
  fixture.see(group("c", "q", "Pending"));
  EXPECT_THAT(run("q"), IsEmpty());
  // A move wakes both queues.
  EXPECT_THAT(fixture.see(group("b", "r", "Running"), controller), UnorderedElementsAre("q", "r"));
  EXPECT_THAT(run("q"), ElementsAre(R"(patch queues/q/status {"status":{"running":0}})"));
  EXPECT_THAT(fixture.lose(VolcanoKind::PodGroup, "n/d", controller), ElementsAre("q"));
  EXPECT_THAT(run("q"), ElementsAre(R"(patch queues/q/status {"status":{"inqueue":0}})"));
  // Other changes of a group are none for its queue.
  EXPECT_THAT(fixture.see(group("a", "q", "Pending"), controller), IsEmpty());
}

TEST_F(QueueController, CommandClosesAndIsDeletedAfterwards) {
  fixture.see(queue("q", "Open"));
  EXPECT_THAT(fixture.see(command("c1", "CloseQueue", "q"), controller), ElementsAre("q"));
  EXPECT_THAT(run("q"), ElementsAre(R"(patch queues/q/status {"status":{"state":"Closed"}})", "then",
                                    "delete commands/n/c1 Background", "event Normal CloseQueue: Close queue succeed"));
  EXPECT_THAT(run("q"), IsEmpty());
}

TEST_F(QueueController, StatesAreWrittenForTheVersionThatWasSeen) {
  fixture.see(queue("q", "Open"));
  fixture.see(command("c1", "CloseQueue", "q"));
  const WritePlan plan = controller.plan(fixture.context(), "q", fixture.now);
  EXPECT_FALSE(api::string_at(plan.stages[0][0].body.get_object(), {"metadata", "resourceVersion"}).empty());
}

TEST_F(QueueController, CommandAfterACrashIsHarmless) {
  fixture.see(queue("q", "Open"));
  fixture.see(command("c1", "CloseQueue", "q"));
  fixture.run(controller, "q", 1);  // the state was written, the Command is still there
  EXPECT_EQ(state("q"), R"("Closed")");
  EXPECT_THAT(run("q"), ElementsAre("delete commands/n/c1 Background"));
  EXPECT_THAT(run("q"), IsEmpty());
}

TEST_F(QueueController, CommandsRunInTheOrderOfTheirCreation) {
  fixture.see(queue("q", "Open"));
  fixture.see(command("b", "OpenQueue", "q", "2023-11-14T22:13:12Z"));
  fixture.see(command("c", "CloseQueue", "q", "2023-11-14T22:13:11Z"));
  fixture.see(command("a", "CloseQueue", "q", "2023-11-14T22:13:12Z"));  // the same second, a later revision
  run("q");
  EXPECT_EQ(state("q"), R"("Closed")");
  run("q");
  EXPECT_EQ(state("q"), R"("Open")");
  run("q");
  EXPECT_EQ(state("q"), R"("Closed")");
  EXPECT_THAT(run("q"), IsEmpty());
}

TEST_F(QueueController, ClosingUntilTheLastGroupIsGone) {
  fixture.see(queue("q", "Open"));
  fixture.see(group("a", "q", "Running"));
  fixture.see(command("c1", "CloseQueue", "q"));
  run("q");
  EXPECT_EQ(state("q"), R"("Closing")");
  EXPECT_THAT(run("q"), IsEmpty());
  fixture.lose(VolcanoKind::PodGroup, "n/a");
  EXPECT_THAT(run("q"), ElementsAre(R"(patch queues/q/status {"status":{"state":"Closed","running":0}})"));
}

TEST_F(QueueController, RootCannotBeClosed) {
  fixture.see(command("c1", "CloseQueue", "root"));
  EXPECT_THAT(run("root"),
              ElementsAre("delete commands/n/c1 Background", "event Warning CloseQueue: Root queue cannot be closed"));
}

TEST_F(QueueController, UnknownActionsOnlyGo) {
  fixture.see(queue("q", "Closed"));
  fixture.see(command("c1", "Dance", "q"));
  EXPECT_THAT(run("q"), ElementsAre("delete commands/n/c1 Background"));
}

TEST_F(QueueController, CommandForAJobIsNotOurs) {
  const std::string json =
      R"({"apiVersion":"bus.volcano.sh/v1alpha1","kind":"Command","metadata":{"namespace":"n","name":"c"},
          "action":"AbortJob",
          "target":{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","name":"q","uid":"u-q"}})";
  fixture.see(queue("q", "Open"));
  EXPECT_THAT(fixture.see(json, controller), IsEmpty());
  EXPECT_THAT(run("q"), IsEmpty());
  EXPECT_THAT(run("n/c"), IsEmpty());
}

TEST_F(QueueController, CommandWithoutItsQueueWaitsThenGoes) {
  fixture.see(queue("q", "Open"));
  EXPECT_THAT(fixture.see(command("c1", "CloseQueue", "q", "2023-11-14T22:13:10Z", "earlier"), controller),
              ElementsAre("n/c1"));
  EXPECT_THAT(run("n/c1"), ElementsAre("again in 50 s"));
  EXPECT_THAT(run("q"), IsEmpty());
  fixture.now = fixture.now + Duration::seconds(50);
  EXPECT_THAT(run("n/c1"), ElementsAre("delete commands/n/c1 Background"));
}

TEST_F(QueueController, QueueThatGoesLeavesItsCommandsToBeDropped) {
  fixture.see(queue("q", "Open"));
  fixture.see(command("c1", "OpenQueue", "q"));
  EXPECT_THAT(fixture.lose(VolcanoKind::Queue, "q", controller), ElementsAre("n/c1"));
}

TEST_F(QueueController, ChildrenCloseAndOpenWithTheirParent) {
  fixture.see(queue("p", "Open"));
  fixture.see(queue("c", "Open", "p"));
  fixture.see(queue("own", "Closed", "p"));
  fixture.see(command("x", "CloseQueue", "p"));
  run("p");
  EXPECT_THAT(run("c"), ElementsAre(R"(patch queues/c {"metadata":{"annotations":)"
                                    R"({"volcano.sh/closed-by-parent":"true"}}})"));
  EXPECT_THAT(run("c"), ElementsAre(R"(patch queues/c/status {"status":{"state":"Closed"}})",
                                    "event Normal CloseQueue: Close queue succeed"));
  EXPECT_THAT(run("own"), IsEmpty());
  EXPECT_THAT(run("c"), IsEmpty());
  fixture.see(command("y", "OpenQueue", "p"));
  run("p");
  EXPECT_EQ(state("p"), R"("Open")");
  EXPECT_THAT(run("c"), ElementsAre(R"(patch queues/c/status {"status":{"state":"Open"}})", "then",
                                    R"(patch queues/c {"metadata":{"annotations":)"
                                    R"({"volcano.sh/closed-by-parent":"false"}}})",
                                    "event Normal OpenQueue: Open queue succeed"));
  EXPECT_THAT(run("own"), IsEmpty());
  EXPECT_THAT(run("c"), IsEmpty());
}

TEST_F(QueueController, CrashesWithinTheHierarchyConverge) {
  fixture.see(queue("p", "Closed"));
  fixture.see(queue("c", "Open", "p"));
  run("c");  // marked, not closed yet
  EXPECT_EQ(state("c"), R"("Open")");
  run("c");
  EXPECT_EQ(state("c"), R"("Closed")");
  fixture.see(queue("p", "Open"));
  fixture.run(controller, "c", 1);  // open, still marked
  EXPECT_EQ(state("c"), R"("Open")");
  EXPECT_THAT(run("c"), ElementsAre(R"(patch queues/c {"metadata":{"annotations":)"
                                    R"({"volcano.sh/closed-by-parent":"false"}}})"));
  EXPECT_THAT(run("c"), IsEmpty());
}

TEST_F(QueueController, StateChangesWakeChildren) {
  fixture.see(queue("p", "Open"));
  fixture.see(queue("c", "Open", "p"));
  EXPECT_THAT(fixture.see(queue("p", "Closed"), controller), UnorderedElementsAre("p", "c"));
  EXPECT_THAT(fixture.see(queue("p", "Closed"), controller), ElementsAre("p"));
}

TEST_F(QueueController, OpenBelowAClosedParentWaitsThenIsRefused) {
  fixture.see(queue("p", "Closed"));
  fixture.see(queue("c", "Closed", "p"));
  fixture.see(command("x", "OpenQueue", "c"));
  EXPECT_THAT(run("c"), ElementsAre("again in 50 s"));
  const Instant asked = fixture.now;
  fixture.now = asked + Duration::seconds(50);
  EXPECT_THAT(fixture.plan(controller, "c"),
              ElementsAre("delete commands/n/x Background",
                          "event Warning OpenQueue: Failed to open queue c because its parent queue p is closing or "
                          "closed. Open the parent queue first."));
  fixture.now = asked;
  fixture.see(queue("p", "Open"));
  run("c");
  EXPECT_EQ(state("c"), R"("Open")");
}

TEST_F(QueueController, OpenBelowAMissingParentIsRefused) {
  fixture.see(queue("c", "Closed", "nobody"));
  fixture.see(command("x", "OpenQueue", "c"));
  fixture.now = fixture.now + Duration::seconds(50);
  EXPECT_THAT(run("c"), ElementsAre("delete commands/n/x Background",
                                    "event Warning OpenQueue: Failed to get parent queue nobody of queue c: it does "
                                    "not exist"));
}

TEST_F(QueueController, CloseByAPersonIsNotUndoneByTheParent) {
  fixture.see(queue("p", "Open"));
  fixture.see(queue("c", "Open", "p", std::string(kMarked)));  // a mark left behind
  fixture.see(command("x", "CloseQueue", "c"));
  EXPECT_THAT(run("c"), ElementsAre(R"(patch queues/c {"metadata":{"annotations":)"
                                    R"({"volcano.sh/closed-by-parent":"false"}}})"));
  EXPECT_THAT(run("c"), ElementsAre(R"(patch queues/c/status {"status":{"state":"Closed"}})", "then",
                                    "delete commands/n/x Background", "event Normal CloseQueue: Close queue succeed"));
  EXPECT_THAT(run("c"), IsEmpty());
  EXPECT_EQ(state("c"), R"("Closed")");
}

TEST_F(QueueController, RefusalsAreToldUnlessTheyPass) {
  fixture.see(queue("q", "Open"));
  std::vector<EventNote> notes;
  const api::Call call{.subresource = "status"};
  controller.refused(fixture.context(), "q", call, {.code = 409, .reason = "Conflict", .message = "changed"}, notes);
  EXPECT_TRUE(notes.empty());
  controller.refused(fixture.context(), "q", call, {.code = 403, .reason = "Forbidden", .message = "no"}, notes);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].message, "Update queue status failed for no");
}

// The counts that are kept are those that a recount gives.
TEST_F(QueueController, CountsEqualARecount) {
  const std::string phases[] = {"", "Pending", "Inqueue", "Running", "Completed", "Unknown"};
  uint64_t random = 7;
  const auto next = [&](uint64_t below) { return (random = random * 6364136223846793005ULL + 1) / 65536 % below; };
  for (int step = 0; step < 500; ++step) {
    const std::string name = std::to_string(next(12));
    if (next(4) == 0) {
      fixture.lose(VolcanoKind::PodGroup, "n/" + name);
    } else {
      fixture.see(group(name, next(2) == 0 ? "q" : "r", phases[next(6)]));
    }
    for (const std::string_view of : {"q", "r"}) {
      PodGroupCounts counts;
      for (const std::string& key : fixture.seen().groups_in(of)) {
        const std::string phase = fixture.json(VolcanoKind::PodGroup, key, {"status", "phase"});
        if (phase == R"("")" || phase == R"("Pending")") ++counts.pending;
        if (phase == R"("Inqueue")") ++counts.inqueue;
        if (phase == R"("Running")") ++counts.running;
        if (phase == R"("Completed")") ++counts.completed;
        if (phase == R"("Unknown")") ++counts.unknown;
      }
      ASSERT_EQ(fixture.seen().group_counts(of), counts) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace basalt::volcano

#include "engine/core/session.h"

#include <gtest/gtest.h>

#include "engine/core/statement.h"

namespace basalt::engine {
namespace {

using model::kCpu;
using model::TaskStatus;

// Remembers what it was told, and orders jobs as it was told.
struct Diary {
  std::vector<std::string> lines;
  std::map<std::string, int> rank;  // of jobs by name; equal ranks are left to the ties
  int ready_at = 1;                 // a job is ready with that many tasks placed
};

class Observing {
 public:
  static constexpr std::string_view kName = "observing";
  explicit Observing(Diary* diary) : diary_(diary) {}
  void open(Session& session, HookBinder& binder) {
    session_ = &session;
    binder.bind<&Observing::on_allocate>(&HookTable::on_allocate, *this);
    binder.bind<&Observing::on_deallocate>(&HookTable::on_deallocate, *this);
    binder.bind<&Observing::job_order>(&HookTable::job_order, *this);
    binder.bind<&Observing::job_ready>(&HookTable::job_ready, *this);
  }

 private:
  void on_allocate(TaskId task) { diary_->lines.push_back("+" + session_->state.task(task).uid); }
  void on_deallocate(TaskId task) { diary_->lines.push_back("-" + session_->state.task(task).uid); }
  Order job_order(JobId a, JobId b) {
    return diary_->rank[session_->state.job(a).name] <=> diary_->rank[session_->state.job(b).name];
  }
  bool job_ready(JobId job) {
    return session_->state.job(job).count(TaskStatus::Allocated) +
               session_->state.job(job).count(TaskStatus::Binding) >=
           diary_->ready_at;
  }
  Diary* diary_;
  Session* session_ = nullptr;
};

class ObservingRun final : public PluginRun {
 public:
  explicit ObservingRun(Diary* diary) : plugin_(diary) {}
  void open(Session& session, HookBinder& binder) override { plugin_.open(session, binder); }
  void close(Session& /*session*/) override {}

 private:
  Observing plugin_;
};

class Sessions : public testing::Test {
 protected:
  void SetUp() override {
    FlagSet flags{};
    flags.fill(true);
    policy.plugins.push_back(
        {.name = "observing", .flags = flags, .make = [this] { return std::make_unique<ObservingRun>(&diary); }});
    state.upsert_queue({.name = "q"});
    for (const char* name : {"n1", "n2"}) {
      model::NodeSpec spec{.name = name, .max_pods = 10};
      spec.allocatable.at(kCpu) = 4000;
      spec.allocatable.at(model::kPods) = 10;
      state.upsert_node(std::move(spec));
    }
  }
  JobId job(const std::string& name, int64_t created = 0) {
    return state.upsert_job(
        {.ns = "ns", .name = name, .queue = "q", .min_available = 1, .created = Instant::from_unix_seconds(created)});
  }
  TaskId pod(const std::string& uid, const std::string& group, TaskStatus status = TaskStatus::Pending,
             const std::string& node = "", int64_t created = 0) {
    model::PodShape shape;
    shape.request = {{.id = kCpu, .amount = 1000}, {.id = model::kPods, .amount = 1}};
    model::TaskSpec spec{.ns = "ns", .name = uid, .uid = uid, .group = group, .node_name = node};
    spec.status = status;
    spec.shape = state.shapes.intern(shape);
    spec.labels = state.label_sets.intern({});
    spec.created = Instant::from_unix_seconds(created);
    return state.upsert_task(spec);
  }
  std::unique_ptr<Session> open() {
    auto session = std::make_unique<Session>(state, policy, Instant::from_unix_seconds(100), rng, memory);
    session->open();
    return session;
  }
  NodeId node(const char* name) { return state.find_node(name); }
  using Lines = std::vector<std::string>;

  model::ClusterState state;
  Policy policy;
  Diary diary;
  Rng rng{1};
  CycleMemory memory;
};

TEST_F(Sessions, JobsGoByPluginsThenAgeThenName) {
  const JobId old = job("old", 1);
  const JobId young = job("young", 2);
  const JobId also_young = job("also-young", 2);
  const auto session = open();
  EXPECT_TRUE(session->job_before(old, young));
  EXPECT_FALSE(session->job_before(young, old));
  EXPECT_TRUE(session->job_before(also_young, young));
  diary.rank["young"] = -1;
  EXPECT_TRUE(session->job_before(young, old));
  EXPECT_FALSE(session->job_before(old, old));
}

TEST_F(Sessions, TasksGoByIndexThenAgeThenUid) {
  job("j");
  const TaskId two = pod("run-w-2", "j");
  const TaskId ten = pod("run-w-10", "j");
  const TaskId plain = pod("plain", "j", TaskStatus::Pending, "", 5);
  const TaskId older = pod("zz", "j", TaskStatus::Pending, "", 1);
  const auto session = open();
  EXPECT_TRUE(session->task_before(two, ten));    // as numbers
  EXPECT_TRUE(session->task_before(ten, plain));  // an index comes before none
  EXPECT_FALSE(session->task_before(plain, ten));
  EXPECT_TRUE(session->task_before(older, plain));
  std::vector<TaskId> tasks = {plain, ten, older, two};
  session->sort_tasks(tasks);
  EXPECT_EQ(tasks, (std::vector<TaskId>{two, ten, older, plain}));
}

TEST_F(Sessions, QueuesGoByAgeThenName) {
  const QueueId a = state.upsert_queue({.name = "a", .created = Instant::from_unix_seconds(2)});
  const QueueId b = state.upsert_queue({.name = "b", .created = Instant::from_unix_seconds(1)});
  const QueueId c = state.upsert_queue({.name = "c", .created = Instant::from_unix_seconds(1)});
  const auto session = open();
  EXPECT_TRUE(session->queue_before(b, a));
  EXPECT_TRUE(session->queue_before(b, c));
  EXPECT_TRUE(session->victim_queue_before(a, b, c));  // victims: the other way round
}

TEST_F(Sessions, OnlyJobsWithPodGroupAndQueueTakePart) {
  const JobId j = job("j");
  state.upsert_job({.ns = "ns", .name = "lost", .queue = "nowhere"});
  pod("orphan", "no-group");
  const auto session = open();
  ASSERT_EQ(session->jobs().size(), 1U);
  EXPECT_EQ(session->jobs()[0], j);
}

// ---- statements -------------------------------------------------------------------------------------------------

TEST_F(Sessions, AStatementUndoesInReverseThroughTheHooks) {
  job("j");
  const TaskId a = pod("a", "j");
  const TaskId b = pod("b", "j");
  const TaskId run = pod("run", "j", TaskStatus::Running, "n1");
  const auto session = open();
  const uint64_t before = state.hash();
  {
    Statement statement(*session);
    statement.allocate(a, node("n1"));
    const auto mark = statement.checkpoint();
    const uint64_t at_mark = state.hash();
    statement.evict(run, b, "test");
    EXPECT_TRUE(statement.evicts());
    statement.pipeline(b, node("n1"), /*evicted=*/true);
    EXPECT_EQ(state.task(run).status, TaskStatus::Releasing);
    EXPECT_FALSE(state.task(run).in_view);
    statement.rollback(mark);
    EXPECT_EQ(state.hash(), at_mark);
    EXPECT_FALSE(statement.evicts());
  }  // neither committed nor held: undone
  EXPECT_EQ(state.hash(), before);
  EXPECT_EQ(diary.lines, (Lines{"+a", "-run", "+b", "-b", "+run", "-a"}));
  session->close();
  EXPECT_TRUE(session->result.decisions.binds.empty());
  EXPECT_TRUE(session->result.decisions.evicts.empty());
}

TEST_F(Sessions, CommitBindsEvictsAndKeepsPlacesUntilClose) {
  job("j");
  const TaskId a = pod("a", "j");
  const TaskId b = pod("b", "j");
  const TaskId run = pod("run", "j", TaskStatus::Running, "n1");
  const auto session = open();
  Statement statement(*session);
  statement.allocate(a, node("n2"));
  statement.evict(run, b, "test");
  statement.pipeline(b, node("n1"), /*evicted=*/true);
  statement.commit();
  EXPECT_TRUE(statement.empty());
  EXPECT_EQ(state.task(a).status, TaskStatus::Binding);
  EXPECT_EQ(state.task(b).status, TaskStatus::Pipelined);
  EXPECT_TRUE(session->evicted_for(b));
  session->close();
  const Decisions& decided = session->result.decisions;
  ASSERT_EQ(decided.binds.size(), 1U);
  EXPECT_EQ(decided.binds[0].node, node("n2"));
  ASSERT_EQ(decided.evicts.size(), 1U);
  EXPECT_EQ(decided.evicts[0].preemptor, b);
  ASSERT_EQ(decided.pipelined.size(), 1U);
  EXPECT_TRUE(decided.pipelined[0].evicted);
  EXPECT_EQ(state.task(b).status, TaskStatus::Pending);
  EXPECT_EQ(state.task(run).status, TaskStatus::Releasing);
  EXPECT_TRUE(state.task(run).in_view);  // until it is really gone
  EXPECT_EQ(state.verify(), "");
}

TEST_F(Sessions, HoldBindsNothing) {
  job("j");
  const TaskId a = pod("a", "j");
  const auto session = open();
  {
    Statement statement(*session);
    statement.allocate(a, node("n1"));
    statement.hold();
  }
  EXPECT_EQ(state.task(a).status, TaskStatus::Allocated);  // others see the place as taken
  session->close();
  EXPECT_TRUE(session->result.decisions.binds.empty());
  EXPECT_EQ(state.task(a).status, TaskStatus::Pending);
}

TEST_F(Sessions, DiscardRemembersTheAttempt) {
  job("j");
  const TaskId a = pod("a", "j");
  const auto session = open();
  Statement statement(*session);
  statement.allocate(a, node("n2"));
  statement.discard();
  ASSERT_NE(session->attempt(a), nullptr);
  EXPECT_EQ(session->attempt(a)->last, TaskStatus::Allocated);
  EXPECT_EQ(session->attempt(a)->node, node("n2"));
  EXPECT_EQ(state.task(a).status, TaskStatus::Pending);
}

TEST_F(Sessions, DirectPlacementBindsWhenTheJobIsReady) {
  diary.ready_at = 2;
  job("j");
  const TaskId a = pod("a", "j");
  const TaskId b = pod("b", "j");
  const auto session = open();
  session->allocate_directly(a, node("n1"));
  EXPECT_EQ(state.task(a).status, TaskStatus::Allocated);
  session->allocate_directly(b, node("n1"));
  EXPECT_EQ(state.task(a).status, TaskStatus::Binding);
  EXPECT_EQ(state.task(b).status, TaskStatus::Binding);
  session->close();
  EXPECT_EQ(session->result.decisions.binds.size(), 2U);
}

// ---- failure memory ---------------------------------------------------------------------------------------------

TEST_F(Sessions, AFailureIsForgottenWhenSomethingItDependedOnMoved) {
  const JobId j = job("j");
  pod("a", "j");
  const auto session = open();
  EXPECT_FALSE(session->remembers_failure(j));
  session->remember_failure(j, /*placed_some=*/false);
  EXPECT_TRUE(session->remembers_failure(j));
  state.note_placed();  // others were placed: that makes no room
  EXPECT_TRUE(session->remembers_failure(j));
  state.note_freed();
  EXPECT_FALSE(session->remembers_failure(j));
  session->remember_failure(j, /*placed_some=*/true);
  EXPECT_TRUE(session->remembers_failure(j));
  state.note_placed();  // but it may change where a part of the gang goes
  EXPECT_FALSE(session->remembers_failure(j));
  session->remember_failure(j, false);
  pod("b", "j");
  EXPECT_FALSE(session->remembers_failure(j));
}

}  // namespace
}  // namespace basalt::engine

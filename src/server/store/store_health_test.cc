// What a store does that cannot write: says so, goes on reading, and writes again when it can.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>

#include "server/store/scripted_journal_fixture.h"
#include "server/store/store_fixture.h"

namespace basalt::store {
namespace {

using Condition = StoreHealth::Condition;

// A store whose disk has just refused a commit; "a" was written before.
struct Troubled : ScriptedStore {
  explicit Troubled(JournalFailure::Kind kind, std::chrono::milliseconds first_retry = std::chrono::milliseconds(1))
      : ScriptedStore(first_retry) {
    script.may_end.release(1'000);
    kept = commit_revision(store, put("pods", "a", 0, "kept"));
    script.kind = kind;
    script.fails = true;
    script.recovers = false;
    refusal = commit(store, put("pods", "b", 0, "lost")).error();
  }
  Revision kept = 0;
  StoreError refusal;
};

TEST(StoreHealth, AFullStoreAcceptsOnlyWhatFreesRoom) {
  Troubled world(JournalFailure::Kind::Full);
  EXPECT_EQ(world.refusal.why, StoreErrorCode::Full);
  EXPECT_EQ(world.store.health().condition, Condition::Full);
  EXPECT_THAT(world.store.health().message, testing::HasSubstr("no room"));
  world.script.fails = false;
  EXPECT_EQ(commit(world.store, put("pods", "c", 0, "more")).error().why, StoreErrorCode::Full);
  EXPECT_EQ(world.store.latest("pods", "c"), nullptr);
  StoreWrite marks = put("pods", "a", world.kept, "marked for deletion");
  marks.frees_room = true;
  const Revision marked = commit_revision(world.store, std::move(marks));
  std::array steps{put("pods", "a", marked, "departs"), removal("pods", "a", 0)};
  std::promise<bool> gone;
  (void)world.store.write_steps(steps, [&](const StoreResult<RecordPtr>& result) { gone.set_value(bool(result)); });
  EXPECT_TRUE(gone.get_future().get());
  EXPECT_EQ(world.store.get("pods", "a"), nullptr);
  EXPECT_EQ(world.script.freed_room, (std::vector{false, true, true})) << "the reserve is for these only";
  EXPECT_EQ(world.store.health().condition, Condition::Full) << "a deletion that got through proves no room";
}

// Each deletion writes down the last state of its object: a hundred large ones must not need a hundred times its room.
TEST(StoreHealth, OnAFullDiskEachDeletionDropsWhatTheLastOneLeft) {
  Troubled world(JournalFailure::Kind::Full, std::chrono::hours(1));
  world.script.fails = false;
  const Revision gone = commit_revision(world.store, removal("pods", "a", world.kept));
  EXPECT_TRUE(world.script.dropped.empty());
  EXPECT_EQ(world.store.events("pods", world.kept, 10)->events.size(), 1U) << "watchers are told of it first";
  StoreWrite other = put("pods", "c", 0, "");
  other.frees_room = true;  // any that is let through
  commit_revision(world.store, std::move(other));
  EXPECT_EQ(world.script.dropped, (std::vector{world.kept, gone}));
}

TEST(StoreHealth, ADeletionThatComesWhileItTriesInVainGetsThrough) {
  ScriptedStore world;
  world.script.may_end.release(1'000);
  const Revision kept = commit_revision(world.store, put("pods", "a", 0, "kept"));
  std::promise<StoreResult<RecordPtr>> removed;
  world.script.while_it_tries = [&, sent = false]() mutable {
    if (std::exchange(sent, true)) return;
    world.script.fails = false;
    (void)world.store.write(removal("pods", "a", kept),
                            [&](StoreResult<RecordPtr> result) { removed.set_value(std::move(result)); });
  };
  world.script.recovers = false;
  world.script.fails = true;
  EXPECT_FALSE(commit(world.store, put("pods", "b", 0, "lost")));
  EXPECT_TRUE(removed.get_future().get()) << "refused, though only the try to make room failed";
}

TEST(StoreHealth, ADeletionThatFindsTheDiskFullGetsThrough) {
  ScriptedStore world(std::chrono::hours(1));
  world.script.may_end.release(1'000);
  const Revision kept = commit_revision(world.store, put("pods", "a", 0, "kept"));
  world.script.has_reserve = world.script.fails = true;
  EXPECT_TRUE(commit(world.store, removal("pods", "a", kept))) << "there is a reserve for it";
  EXPECT_EQ(world.store.health().condition, Condition::Full);
  EXPECT_EQ(world.store.figures().full_commits, 1U);
  EXPECT_EQ(commit(world.store, put("pods", "b", 0, "more")).error().why, StoreErrorCode::Full);
}

TEST(StoreHealth, AFailingStoreReadsAndWatchesAndTriesNothing) {
  Troubled world(JournalFailure::Kind::Failing);
  EXPECT_EQ(world.refusal.why, StoreErrorCode::Broken);
  world.script.fails = false;
  const auto refused = commit(world.store, removal("pods", "a", world.kept));
  EXPECT_EQ(refused.error().why, StoreErrorCode::Broken);
  EXPECT_EQ(world.store.get("pods", "a")->bytes(), object_bytes("kept"));
  EXPECT_EQ(world.store.events("pods", 0, 10)->events.size(), 1U);
  EXPECT_EQ(world.script.sizes.size(), 1U) << "nothing was sent to a journal that failed";
}

TEST(StoreHealth, WritingResumesByItself) {
  for (const auto kind : {JournalFailure::Kind::Full, JournalFailure::Kind::Failing}) {
    Troubled world(kind);
    world.script.fails = false;
    world.script.recovers = true;
    world.await(Condition::Writable);
    EXPECT_TRUE(commit(world.store, put("pods", "b", 0, "at last")));
    const std::lock_guard guard(world.health_lock);
    EXPECT_EQ(world.conditions.size(), 2U) << "told once per change, however many tries and writes";
  }
}

TEST(StoreHealth, TheDiskIsAskedLaterAndLater) {
  Troubled world(JournalFailure::Kind::Failing);
  const auto begin = std::chrono::steady_clock::now();
  while (world.script.tries < 8) std::this_thread::yield();
  // 1 + 2 + 4 + 8 + 8 … ms, or more on a busy machine.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
}

TEST(StoreHealth, ALostStoreIsNotTriedAgain) {
  Troubled world(JournalFailure::Kind::Failing);
  world.script.kind = JournalFailure::Kind::Lost;
  world.await(Condition::Lost);
  const int tries = world.script.tries;
  EXPECT_EQ(commit(world.store, put("pods", "c", 0, "")).error().why, StoreErrorCode::Broken);
  EXPECT_EQ(world.script.tries, tries);
  EXPECT_EQ(world.store.get("pods", "a")->bytes(), object_bytes("kept"));
}

TEST(StoreHealth, ItCountsWhatFailed) {
  Troubled world(JournalFailure::Kind::Full);
  EXPECT_EQ(world.store.figures().full_commits, 1U);
  EXPECT_EQ(world.store.figures().failed_commits, 0U);
}

// StoreHealth changes of a store in a file.
struct OnDisk {
  explicit OnDisk(size_t reserve_bytes = 0)
      : store(must_open(folder / "s.db", {.reserve_bytes = reserve_bytes,
                                          .first_retry = std::chrono::milliseconds(1),
                                          .last_retry = std::chrono::milliseconds(20),
                                          .on_health = [this](const StoreHealth& health) {
                                            const std::lock_guard guard(lock);
                                            last = health;
                                            changed.notify_all();
                                          }})) {}
  StoreHealth await(Condition condition) {
    std::unique_lock guard(lock);
    EXPECT_TRUE(changed.wait_for(guard, kTestTimeout, [&] { return last.condition == condition; })) << "waited in vain";
    return last;
  }

  TempFolder folder;
  std::mutex lock;
  std::condition_variable changed;
  StoreHealth last;
  std::unique_ptr<Store> store;
};

TEST(StoreHealth, AStoreThatWasMovedAwayIsTakenBack) {
  OnDisk world;
  const Revision kept = commit_revision(*world.store, put("pods", "a", 0, "kept"));
  std::filesystem::rename(world.folder / "s.db", world.folder / "elsewhere");
  const auto refused = commit(*world.store, put("pods", "b", 0, ""));
  ASSERT_FALSE(refused) << "acknowledged, though no later start would find it";
  EXPECT_THAT(refused.error().message, testing::HasSubstr("moved, removed or replaced"));
  EXPECT_EQ(world.store->get("pods", "a")->revision(), kept);
  std::filesystem::rename(world.folder / "elsewhere", world.folder / "s.db");
  world.await(Condition::Writable);
  commit_revision(*world.store, put("pods", "b", 0, "later"));
  world.store.reset();
  EXPECT_EQ(must_open(world.folder / "s.db")->count("pods"), 2U);
}

TEST(StoreHealth, ARemovedLogAndLockAreReplaced) {
  for (const char* suffix : {"s.db-wal", "s.db.lock"}) {
    OnDisk world;
    commit_revision(*world.store, put("pods", "a", 0, "kept"));
    std::filesystem::remove(world.folder / suffix);
    EXPECT_FALSE(commit(*world.store, put("pods", "b", 0, ""))) << suffix;
    world.await(Condition::Writable);
    commit_revision(*world.store, put("pods", "b", 0, "later"));
    EXPECT_FALSE(Store::open(world.folder / "s.db")) << "it is locked";
    world.store.reset();
    EXPECT_EQ(must_open(world.folder / "s.db")->count("pods"), 2U) << suffix;
  }
}

TEST(StoreHealth, AnotherStoreInItsPlaceIsNotWrittenTo) {
  OnDisk world;
  commit_revision(*world.store, put("pods", "a", 0, "kept"));
  commit_revision(*must_open(world.folder / "other.db"), put("pods", "other", 0, ""));
  std::filesystem::rename(world.folder / "other.db", world.folder / "s.db");
  EXPECT_FALSE(commit(*world.store, put("pods", "b", 0, "")));
  EXPECT_THAT(world.await(Condition::Lost).message, testing::HasSubstr("no longer holds what was acknowledged"));
  EXPECT_NE(world.store->get("pods", "a"), nullptr);
}

// A limit on the size of files is a full disk that needs no disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : ignored_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit lower{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &lower);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, ignored_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*ignored_)(int);
  rlimit before_{};
};

TEST(StoreHealth, AFileSizeLimitIsAFullDisk) {
  OnDisk world(64 * 1024);
  commit_revision(*world.store, put("pods", "a", 0, "kept"));
  {
    const FileSizeLimit limit(512 * 1024);
    const auto refused = commit(*world.store, put("pods", "b", 0, std::string(1'000'000, 'x')));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().why, StoreErrorCode::Full) << refused.error().message;
  }
  world.await(Condition::Writable);
  commit_revision(*world.store, put("pods", "b", 0, std::string(1'000'000, 'x')));
}

TEST(StoreHealth, TheReserveIsThereAndForItsOwnerOnly) {
  const OnDisk world(64 * 1024);
  EXPECT_EQ(std::filesystem::file_size(world.folder / "s.db.reserve"), 64U * 1024);
  EXPECT_EQ(std::filesystem::status(world.folder / "s.db.reserve").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace
}  // namespace basalt::store

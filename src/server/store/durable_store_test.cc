#include "server/store/durable_store.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <semaphore>

#include "base/rng.h"
#include "server/store/scripted_journal_fixture.h"
#include "server/store/store_fixture.h"

namespace basalt::store {
namespace {

TEST(DurableStore, WritesThatArriveDuringACommitShareTheNext) {
  ScriptedStore world;
  const auto first = world.write(put("pods", "a", 0, "1"));
  world.script.begun.acquire();
  for (int i = 0; i < 10; ++i) (void)world.write(put("pods", std::to_string(i), 0, "1"));
  EXPECT_EQ(world.store.get("pods", "a"), nullptr) << "not committed yet";
  EXPECT_EQ(world.store.latest("pods", "a"), *first);
  EXPECT_EQ(world.store.revision(), 0U);
  EXPECT_EQ(world.store.figures().waiting, 11U);
  world.script.may_end.release();
  world.script.begun.acquire();
  EXPECT_EQ(world.store.get("pods", "a"), *first);
  world.drain();
  EXPECT_EQ(world.script.sizes[0], 1U);
  EXPECT_EQ(world.script.sizes[1], 10U);
  EXPECT_EQ(world.store.count("pods"), 11U);
  EXPECT_EQ(world.store.figures().waiting, 0U);
}

TEST(DurableStore, AFailedCommitUndoesItselfAndAllThatWaits) {
  ScriptedStore world;
  const auto kept = world.write(put("pods", "a", 0, "kept"));
  world.script.begun.acquire();
  world.script.may_end.release();
  const auto lost = world.write(put("pods", "a", (*kept)->revision(), "lost"));
  world.script.begun.acquire();
  (void)world.write(put("pods", "a", (*lost)->revision(), "lost too"));
  (void)world.write(put("pods", "b", 0, "lost too"));
  world.script.fails = true;
  std::binary_semaphore told(0);
  (void)world.store.write(put("pods", "c", 0, "lost"), [&](const StoreResult<RecordPtr>& result) {
    EXPECT_EQ(result.error().why, StoreErrorCode::Full);
    told.release();
  });
  world.script.may_end.release();
  told.acquire();
  EXPECT_EQ(world.answers, (std::vector<std::string>{"1", "no room", "no room", "no room"}));
  EXPECT_EQ(world.store.latest("pods", "a"), *kept);
  EXPECT_EQ(world.store.get("pods", "a"), *kept);
  EXPECT_EQ(world.store.latest("pods", "b"), nullptr);
  EXPECT_EQ(world.store.events("pods", 0, 10)->events.size(), 1U);
  EXPECT_EQ(world.store.figures().waiting, 0U);

  world.script.fails = false;
  world.await(StoreHealth::Condition::Writable);
  const auto next = world.write(put("pods", "a", (*kept)->revision(), "after"));
  EXPECT_EQ((*next)->revision(), 6U) << "revisions of failed writes are not used again";
  world.drain();
  EXPECT_EQ(world.store.get("pods", "a"), *next);
  EXPECT_EQ(world.store.events("pods", 0, 10)->events[1].before, *kept);
  EXPECT_EQ(world.script.highest, 7U);
  EXPECT_EQ(world.store.revision(), 7U);
}

TEST(DurableStore, StepsOfOneWriteAreNeverInTwoCommits) {
  ScriptedStore world;
  const auto first = world.write(put("pods", "first", 0, ""));
  world.script.begun.acquire();
  for (size_t i = 0; i + 1 < kMaxCommitWrites; ++i) (void)world.write(put("pods", std::to_string(i), 0, ""));
  std::array steps{put("pods", "first", (*first)->revision(), "marked"), removal("pods", "first", 0)};
  (void)world.store.write_steps(steps, nullptr);
  (void)world.write(put("pods", "behind", 0, ""));
  world.drain();
  ASSERT_GE(world.script.sizes.size(), 3U);
  EXPECT_EQ(world.script.sizes[1], kMaxCommitWrites + 1) << "one above the usual most, not one step left behind";
  EXPECT_EQ(world.store.get("pods", "first"), nullptr);
}

TEST(DurableStore, StepsFallBackTogether) {
  ScriptedStore world;
  world.script.may_end.release();
  const auto kept = world.write(put("pods", "a", 0, "kept"));
  world.script.begun.acquire();
  world.script.fails = true;
  std::array steps{put("pods", "a", (*kept)->revision(), "marked"), removal("pods", "a", 0)};
  std::binary_semaphore told(0);
  (void)world.store.write_steps(steps, [&](const StoreResult<RecordPtr>& result) {
    EXPECT_EQ(result.error().why, StoreErrorCode::Full);
    told.release();
  });
  world.script.may_end.release(2);  // again with the reserve, which does not help
  told.acquire();
  EXPECT_EQ(world.store.latest("pods", "a"), *kept);
  EXPECT_TRUE(world.store.events("pods", (*kept)->revision(), 10)->events.empty());
}

TEST(DurableStore, TooManyWaitingWritesAreRefused) {
  ScriptedStore world;
  std::binary_semaphore last_done(0);
  for (size_t i = 1; i <= kMaxWaitingWrites; ++i) {
    const bool last = i == kMaxWaitingWrites;
    ASSERT_TRUE(
        world.store.write(put("pods", std::to_string(i), 0, ""), [&, last](const StoreResult<RecordPtr>& result) {
          EXPECT_TRUE(result);
          if (last) last_done.release();
        }));
  }
  EXPECT_EQ(commit(world.store, put("pods", "more", 0, "")).error().why, StoreErrorCode::Busy);
  world.script.may_end.release(1000);
  last_done.acquire();
  EXPECT_EQ(world.store.count("pods"), kMaxWaitingWrites);
  EXPECT_TRUE(commit(world.store, put("pods", "more", 0, "")));
  for (const size_t size : world.script.sizes) EXPECT_LE(size, kMaxCommitWrites);
}

TEST(DurableStore, TooManyWaitingBytesAreRefused) {
  ScriptedStore world;
  const std::string large(kMaxWaitingBytes / 4, 'x');
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(world.write(put("big", std::to_string(i), 0, large)));
  const auto refused = world.write(put("big", "3", 0, large));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().why, StoreErrorCode::Busy);
  world.script.may_end.release(10);
}

TEST(DurableStore, AStopCommitsWhatWaits) {
  const TempFolder folder;
  std::atomic<int> done = 0;
  {
    const auto store = must_open(folder / "s.db");
    for (int i = 0; i < 5000; ++i) {
      (void)store->write(put("pods", std::to_string(i), 0, "v"), [&](const StoreResult<RecordPtr>& result) {
        EXPECT_TRUE(result);
        ++done;
      });
    }
  }
  EXPECT_EQ(done, 5000);
  EXPECT_EQ(must_open(folder / "s.db")->count("pods"), 5000U);
}

// Random writes, some of them refused.
void churn(Store& store, Rng& rng, int writes) {
  for (int i = 0; i < writes; ++i) {
    const std::string key = std::to_string(rng.below(30));
    const char* resource = rng.chance(0.7) ? "pods" : "nodes";
    const RecordPtr latest = store.latest(resource, key);
    StoreWrite write = put(resource, key, latest == nullptr ? 0 : latest->revision(), std::to_string(rng.next()));
    write.remove = latest != nullptr && rng.chance(0.3);
    (void)store.write(std::move(write), nullptr);
  }
  commit_revision(store,
                  put("marks", std::to_string(store.figures().writes) + "-" + std::to_string(rng.next()), 0, ""));
}

std::vector<std::string> all_events(const Store& store, std::string_view resource) {
  std::vector<std::string> texts;
  const auto events = store.events(resource, store.compacted(), 1'000'000);
  for (const StoreEvent& event : events->events) {
    texts.push_back((event.before == nullptr ? "-" : text_of(*event.before)) + " > " + text_of(*event.now) +
                    (event.now->deleted() ? " deleted" : ""));
  }
  return texts;
}

TEST(DurableStore, AReopenedStoreIsTheSame) {
  const TempFolder folder;
  const auto file = folder / "s.db";
  Rng rng(3);
  Revision highest = 0;
  const StoreOptions small{.history_events = 150, .history_bytes = 60'000};
  for (int round = 0; round < 12; ++round) {
    auto store = must_open(file, small);
    ASSERT_NE(store, nullptr);
    EXPECT_GE(store->revision(), highest);
    churn(*store, rng, 40 + static_cast<int>(rng.below(300)));
    if (round % 4 == 3) store->compact(store->revision() - 5);
    const Contents pods = contents(*store, "pods"), nodes = contents(*store, "nodes");
    const auto pod_events = all_events(*store, "pods"), node_events = all_events(*store, "nodes");
    const Revision compacted = store->compacted();
    const auto figures = store->figures();
    EXPECT_LE(figures.history_events, small.history_events);
    highest = store->revision();
    store.reset();
    store = must_open(file, small);
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(contents(*store, "pods"), pods);
    EXPECT_EQ(contents(*store, "nodes"), nodes);
    EXPECT_EQ(all_events(*store, "pods"), pod_events);
    EXPECT_EQ(all_events(*store, "nodes"), node_events);
    EXPECT_EQ(store->compacted(), compacted);
    EXPECT_EQ(store->revision(), highest);
    EXPECT_EQ(store->figures().object_bytes, figures.object_bytes);
    EXPECT_GT(commit_revision(*store, put("later", std::to_string(round), 0, "")), highest);
    highest = store->revision();
  }
}

TEST(DurableStore, TheFileForgetsWhatHistoryForgot) {
  const TempFolder folder;
  const auto store = must_open(folder / "s.db", {.history_events = 20});
  Revision revision = 0;
  const std::string value(4000, 'x');
  for (int i = 0; i < 1500; ++i) revision = commit_revision(*store, put("pods", "a", revision, value));
  EXPECT_LT(std::filesystem::file_size(folder / "s.db"), 1'000'000U) << "6 MB were written";
  EXPECT_LT(std::filesystem::file_size(folder / "s.db-wal"), 8'000'000U);
}

TEST(DurableStore, ASecondOpenerIsRefused) {
  const TempFolder folder;
  auto store = must_open(folder / "s.db");
  const auto second = Store::open(folder / "s.db");
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find((folder / "s.db").string()), std::string::npos);
  EXPECT_NE(second.error().message.find("in use by another process (" + std::to_string(getpid()) + ")"),
            std::string::npos)
      << second.error().message;
  store.reset();
  EXPECT_TRUE(Store::open(folder / "s.db"));
}

}  // namespace
}  // namespace basalt::store

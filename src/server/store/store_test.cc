// The contract of store.h, for both forms.
#include "server/store/store.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <thread>

#include "base/rng.h"
#include "server/store/store_fixture.h"

namespace basalt::store {
namespace {

enum class Form : uint8_t { Memory, Durable };

class StoreContract : public testing::TestWithParam<Form> {
 protected:
  std::unique_ptr<Store> make(const StoreOptions& options = {}) {
    return GetParam() == Form::Memory ? Store::in_memory(options) : must_open(folder_ / "store.db", options);
  }

 private:
  TempFolder folder_;
};

TEST_P(StoreContract, ComparesAndSwaps) {
  const auto store = make();
  const Revision one = commit_revision(*store, put("pods", "ns/a", 0, "1"));
  EXPECT_EQ(refusal(commit(*store, put("pods", "ns/a", 0, "x"))), StoreErrorCode::Conflict);
  EXPECT_EQ(refusal(commit(*store, put("pods", "ns/b", one, "x"))), StoreErrorCode::Conflict);
  EXPECT_EQ(refusal(commit(*store, removal("pods", "ns/b", one))), StoreErrorCode::Conflict);
  EXPECT_EQ(refusal(commit(*store, removal("pods", "ns/b", 0))), StoreErrorCode::Conflict);
  const Revision two = commit_revision(*store, put("pods", "ns/a", one, "2"));
  EXPECT_GT(two, one);
  EXPECT_EQ(refusal(commit(*store, put("pods", "ns/a", one, "x"))), StoreErrorCode::Conflict);
  EXPECT_EQ(store->get("pods", "ns/a")->bytes(), object_bytes("2"));
  EXPECT_EQ(store->get("nodes", "ns/a"), nullptr);
  EXPECT_EQ(refusal(commit(*store, removal("pods", "ns/a", one))), StoreErrorCode::Conflict);
  const Revision three = commit_revision(*store, removal("pods", "ns/a", two));
  EXPECT_EQ(store->get("pods", "ns/a"), nullptr);
  EXPECT_EQ(store->count("pods"), 0U);
  EXPECT_GT(commit_revision(*store, put("pods", "ns/a", 0, "4")), three);
  EXPECT_EQ(store->figures().writes, 4U);
  EXPECT_EQ(store->figures().objects, 1U);
}

TEST_P(StoreContract, StepsAreNeighboursAndAllOrNone) {
  const auto store = make();
  const Revision one = commit_revision(*store, put("pods", "a", 0, "1"));
  std::array steps{put("pods", "a", 0, "marked"), removal("pods", "a", 0)};
  EXPECT_EQ(refusal(store->write_steps(steps, nullptr)), StoreErrorCode::Conflict);
  EXPECT_EQ(store->latest("pods", "a")->revision(), one) << "the first step was refused, and the second with it";

  steps = {put("pods", "a", one, "marked"), removal("pods", "a", 0)};
  std::promise<StoreResult<RecordPtr>> promise;
  const auto ordered =
      store->write_steps(steps, [&promise](StoreResult<RecordPtr> result) { promise.set_value(std::move(result)); });
  const auto committed = promise.get_future().get();
  EXPECT_EQ(*ordered, *committed);
  EXPECT_TRUE((*committed)->deleted());
  EXPECT_EQ(store->get("pods", "a"), nullptr);
  const auto seen = store->events("pods", one, 10);
  ASSERT_EQ(seen->events.size(), 2U);
  EXPECT_EQ(seen->events[0].now->bytes(), object_bytes("marked"));
  EXPECT_EQ(seen->events[0].now->revision() + 1, (*committed)->revision());
  EXPECT_EQ(seen->events[1].before, seen->events[0].now);
  EXPECT_EQ(store->figures().writes, 3U);
  EXPECT_EQ(store->figures().commits, 2U) << "both steps in one commit";
}

TEST_P(StoreContract, EventsTellWhatWasBefore) {
  const auto store = make();
  const Revision start = store->revision();
  const Revision one = commit_revision(*store, put("pods", "a", 0, "1"));
  commit_revision(*store, put("nodes", "a", 0, "1"));
  const Revision two = commit_revision(*store, put("pods", "a", one, "2"));
  const Revision three = commit_revision(*store, removal("pods", "a", two));
  const auto all = store->events("pods", start, 10);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->events.size(), 3U);
  EXPECT_EQ(all->complete_to, three);
  EXPECT_EQ(all->events[0].before, nullptr);
  EXPECT_EQ(all->events[1].before, all->events[0].now);
  EXPECT_EQ(all->events[2].before, all->events[1].now);
  EXPECT_TRUE(all->events[2].now->deleted());
  EXPECT_EQ(all->events[2].now->bytes(), object_bytes("last"));
  const auto some = store->events("pods", start, 2);
  EXPECT_EQ(some->events.size(), 2U);
  EXPECT_EQ(some->complete_to, two);
  EXPECT_EQ(store->events("pods", two, 10)->events.size(), 1U);
  EXPECT_EQ(store->events("pods", start, 0)->complete_to, start);
  EXPECT_EQ(refusal(store->events("pods", three + 1, 10)), StoreErrorCode::Future);
  EXPECT_EQ(refusal(store->list({.resource = "pods", .at = three + 1})), StoreErrorCode::Future);
}

TEST_P(StoreContract, CompactionExpiresThePast) {
  const auto store = make();
  Revision revision = 0;
  for (int i = 0; i < 10; ++i) revision = commit_revision(*store, put("pods", "a", revision, std::to_string(i)));
  store->compact(revision - 2);
  EXPECT_EQ(store->compacted(), revision - 2);
  EXPECT_EQ(refusal(store->events("pods", revision - 3, 10)), StoreErrorCode::Expired);
  EXPECT_EQ(refusal(store->list({.resource = "pods", .at = revision - 3})), StoreErrorCode::Expired);
  EXPECT_EQ(store->events("pods", revision - 2, 10)->events.size(), 2U);
  EXPECT_EQ(store->list({.resource = "pods", .at = revision - 2})->records[0]->bytes(), object_bytes("7"));
}

TEST_P(StoreContract, APagedListSeesOneRevisionWhileWritesGoOn) {
  const auto store = make();
  for (int i = 100; i < 200; ++i) commit_revision(*store, put("pods", std::to_string(i), 0, "old"));
  const Contents then = contents(*store, "pods");
  Contents seen;
  std::string after;
  Rng rng(1);
  auto page = store->list({.resource = "pods", .limit = 9});
  const Revision at = page->revision;
  for (;;) {
    for (const RecordPtr& record : page->records) seen[after = record->key()] = text_of(*record);
    EXPECT_EQ(page->remaining, then.size() - seen.size());
    if (!page->more) break;
    const std::string key = std::to_string(100 + rng.below(100));
    const RecordPtr latest = store->latest("pods", key);
    if (latest == nullptr) {
      commit_revision(*store, put("pods", key, 0, "again"));
    } else {
      commit_revision(*store, rng.chance(0.5) ? removal("pods", key, latest->revision())
                                              : put("pods", key, latest->revision(), "new"));
    }
    page = store->list({.resource = "pods", .after = after, .at = at, .limit = 9});
    ASSERT_TRUE(page);
  }
  EXPECT_EQ(seen, then);
}

TEST_P(StoreContract, DoneAndWakeMayWriteAndRead) {
  const auto store = make();
  std::atomic<int> wakes = 0, mirrored = 0;
  const auto subscription = store->subscribe("pods", [&] {
    ++wakes;
    const auto events = store->events("pods", 0, 100);
    const std::string key = "of-" + std::to_string(events->events.size());
    (void)store->write(put("mirrors", key, 0, "m"), [&](const StoreResult<RecordPtr>&) { ++mirrored; });
  });
  std::binary_semaphore finished(0);
  (void)store->write(put("pods", "a", 0, "1"), [&](const StoreResult<RecordPtr>& first) {
    EXPECT_EQ(store->get("pods", "a"), *first);
    (void)store->write(put("pods", "b", 0, "1"), [&](const StoreResult<RecordPtr>& second) {
      EXPECT_EQ(store->get("pods", "b"), *second);
      finished.release();
    });
  });
  finished.acquire();
  commit_revision(*store, put("other", "last", 0, "1"));  // everything before it is done
  EXPECT_EQ(wakes, 2);
  EXPECT_EQ(mirrored, 2);
  EXPECT_EQ(store->count("mirrors"), 2U);
}

TEST_P(StoreContract, AWakeMayDropItsOwnHandle) {
  const auto store = make();
  int wakes = 0;
  std::unique_ptr<Store::Subscription> subscription;
  subscription = store->subscribe("pods", [&] {
    ++wakes;
    subscription.reset();
  });
  commit_revision(*store, put("pods", "a", 0, "1"));
  commit_revision(*store, put("pods", "b", 0, "1"));
  EXPECT_EQ(wakes, 1);
}

// A watcher as the server has them: woken by commits, reading in small bites.
class Watcher {
 public:
  Watcher(Store& store, Revision start) : store_(store), after_(start) {
    subscription_ = store.subscribe("pods", [this] { wake_.release(); });
    thread_ = std::thread([this] { run(); });
  }
  Contents finish() {
    stop_ = true;
    wake_.release();
    thread_.join();
    return state_;
  }

 private:
  void run() {
    for (bool last = false; !last;) {
      wake_.acquire();
      last = stop_;  // set only after the last write: one more reading finds all
      for (;;) {
        const auto events = store_.events("pods", after_, 7);
        ASSERT_TRUE(events) << events.error().message;
        for (const StoreEvent& event : events->events) {
          ASSERT_GT(event.now->revision(), after_);
          const auto held = state_.find(event.now->key());
          ASSERT_EQ(event.before != nullptr, held != state_.end());
          if (event.before != nullptr) {
            ASSERT_EQ(held->second, text_of(*event.before)) << "a gap";
          }
          replay(event, state_);
          after_ = event.now->revision();
        }
        after_ = events->complete_to;
        if (events->events.empty()) break;
      }
    }
  }

  Store& store_;
  Revision after_;
  Contents state_;
  std::counting_semaphore<> wake_{0};
  std::atomic<bool> stop_ = false;
  std::unique_ptr<Store::Subscription> subscription_;
  std::thread thread_;
};

TEST_P(StoreContract, WatchersMissNothingAndSeeNothingTwice) {
  constexpr int kWriters = 4, kWatchers = 4, kWrites = 400;
  const auto store = make();
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (int i = 0; i < kWatchers; ++i) watchers.push_back(std::make_unique<Watcher>(*store, store->revision()));
  std::vector<std::thread> writers;
  std::atomic<int> done = 0;
  std::mutex order;
  std::vector<Revision> revisions;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      Rng rng(static_cast<uint64_t>(w) + 1);
      for (int i = 0; i < kWrites; ++i) {
        const std::string key = "ns/" + std::to_string(rng.below(20));
        const RecordPtr latest = store->latest("pods", key);
        StoreWrite write =
            put("pods", key, latest == nullptr ? 0 : latest->revision(), std::to_string(w * kWrites + i));
        write.remove = latest != nullptr && rng.chance(0.3);
        (void)store->write(std::move(write), [&](const StoreResult<RecordPtr>& result) {
          ++done;
          if (!result) return;
          EXPECT_GE(store->revision(), (*result)->revision());
          const std::lock_guard guard(order);
          revisions.push_back((*result)->revision());
        });
        if (rng.chance(0.05)) commit_revision(*store, put("nodes", std::to_string(w * kWrites + i), 0, "n"));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  commit_revision(*store, put("nodes", "last", 0, "n"));
  const Contents final_state = contents(*store, "pods");
  for (const auto& watcher : watchers) EXPECT_EQ(watcher->finish(), final_state);
  EXPECT_EQ(done, kWriters * kWrites);
  if (GetParam() == Form::Durable) {
    EXPECT_TRUE(std::ranges::is_sorted(revisions)) << "Dones come in order";
  }
}

TEST_P(StoreContract, AfterAHandleIsGoneItsWakeNeverRuns) {
  const auto store = make();
  std::atomic<bool> writing = true;
  std::thread writer([&] {
    for (int i = 0; writing; ++i) commit_revision(*store, put("pods", std::to_string(i), 0, "v"));
  });
  for (int round = 0; round < 200; ++round) {
    auto alive = std::make_unique<std::atomic<int>>(0);
    auto subscription = store->subscribe("pods", [counter = alive.get()] { ++*counter; });
    if (round % 3 == 0) commit_revision(*store, put("pods", "mine-" + std::to_string(round), 0, "v"));
    subscription.reset();
    alive.reset();  // a late wake would be a use after free
  }
  writing = false;
  writer.join();
}

INSTANTIATE_TEST_SUITE_P(Forms, StoreContract, testing::Values(Form::Memory, Form::Durable),
                         [](const auto& form) { return form.param == Form::Memory ? "Memory" : "Durable"; });

}  // namespace
}  // namespace basalt::store

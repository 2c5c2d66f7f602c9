// Power cuts: what is not synced is lost, kept or torn (test_disk.h), and then every guarantee is checked.
//
// A story of writes runs on a disk whose power fails at a chosen call. The remains are checked in a copy, and the next
// story begins with them. Set BASALT_POWER_CUTS for more of the random ones, BASALT_CRASH_SEED to choose them again.
#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <random>
#include <string>

#include "base/rng.h"
#include "server/store/store_fixture.h"
#include "tests/crash/checker.h"
#include "tests/crash/run_settings.h"
#include "tests/crash/test_disk.h"

namespace basalt::crash {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kKeys = 24;
constexpr size_t kInBurst = 6;
const store::StoreOptions kSmallHistory{.history_events = 60, .history_bytes = 200'000, .reserve_bytes = 0};

// Who writes until the power fails.
class Writer {
 public:
  Writer(TestDisk& disk, const fs::path& file, Checker& checker, uint64_t life)
      : disk_(disk), file_(file), checker_(checker), rng_(life), number_(life * kNumbersPerRun + 1) {}

  void run(int steps) {
    if (!open()) return;
    for (int i = 0; i < steps && !disk_.is_cut(); ++i) {
      switch (rng_.below(24)) {
        case 0:
          store_.reset();  // an orderly stop, and a start
          if (!open()) return;
          break;
        case 1:
          store_->compact(store_->revision() - rng_.below(std::min<uint64_t>(store_->revision(), 20) + 1));
          break;
        case 2:
        case 3:
          depart(any_key());
          break;
        case 4:
        case 5:
          for (size_t burst = 0; burst < kInBurst; ++burst) write(any_key());
          break;
        default:
          write(any_key());
      }
      wait();
    }
    store_.reset();
  }

 private:
  bool open() {
    store::StoreOptions options = kSmallHistory;
    options.vfs = disk_.vfs();
    auto opened = store::Store::open(file_, options);
    if (!opened) {
      EXPECT_TRUE(disk_.is_cut()) << opened.error().message;
      return false;
    }
    store_ = std::move(*opened);
    hear({.kind = WriterMessage::Kind::Opened, .revision = store_->revision()});
    return true;
  }

  uint32_t any_key() { return static_cast<uint32_t>(rng_.below(kKeys)); }

  store::StoreWrite next_of(uint32_t key, const store::RecordPtr& latest) {
    return {.address = {.resource = resource_of(key), .key = key_text(key)},
            .expected = latest == nullptr ? 0 : latest->revision(),
            .bytes = bytes_of(key, number_++),
            .version_at = 13};
  }

  void write(uint32_t key) {
    const store::RecordPtr latest = store_->latest(resource_of(key), key_text(key));
    WriterMessage message{.kind = WriterMessage::Kind::Issued, .key = key, .number = number_};
    std::array one{next_of(key, latest)};
    one[0].remove = latest != nullptr && rng_.chance(0.25);
    message.removes = one[0].remove ? 1 : 0;
    send(one, message);
  }

  // Two steps in one go: nobody may ever find the first without the second.
  void depart(uint32_t key) {
    const store::RecordPtr latest = store_->latest(resource_of(key), key_text(key));
    if (latest == nullptr) return;
    std::array<store::StoreWrite, 2> steps;
    steps[0] = next_of(key, latest);
    const WriterMessage message{.kind = WriterMessage::Kind::Issued, .key = key, .number = number_, .removes = 1};
    steps[1] = next_of(key, latest);
    steps[1].remove = true;
    send(steps, message);
  }

  void send(std::span<store::StoreWrite> steps, const WriterMessage& message) {
    hear(message);
    {
      const std::lock_guard guard(lock_);
      ++under_way_;
    }
    (void)store_->write_steps(steps, [this, message](const store::StoreResult<store::RecordPtr>& result) {
      WriterMessage told = message;
      told.kind = result ? WriterMessage::Kind::Acknowledged : WriterMessage::Kind::Refused;
      told.revision = result ? (*result)->revision() : 0;
      if (!disk_.is_cut()) hear(told);  // else there is no power to say anything
      const std::lock_guard guard(lock_);
      --under_way_;
      done_.notify_all();
    });
  }

  void hear(const WriterMessage& message) {
    const std::lock_guard guard(lock_);
    checker_.hear(message);
  }

  void wait() {
    std::unique_lock guard(lock_);
    done_.wait(guard, [this] { return under_way_ == 0; });
  }

  TestDisk& disk_;
  fs::path file_;
  Checker& checker_;
  Rng rng_;
  uint64_t number_;
  std::mutex lock_;
  std::condition_variable done_;
  int under_way_ = 0;
  std::unique_ptr<store::Store> store_;
};

void check_copy(const fs::path& remains, Checker& checker) {
  const store::TempFolder copy;
  fs::copy(remains, copy / "");
  const auto store = store::Store::open(copy / "store.db", kSmallHistory);
  ASSERT_TRUE(store) << store.error().message;
  checker.check(**store);
}

// Runs one story until the power fails, and leaves the remains in `folder`. False: the story ended before.
bool live_and_die(const fs::path& folder, Checker& checker, const FaultPlan& plan, Survival survival, uint64_t life,
                  int steps) {
  const store::TempFolder remains;
  {
    TestDisk disk(folder);
    disk.plan(plan);
    Writer(disk, folder / "store.db", checker, life).run(steps);
    if (!disk.is_cut()) return false;
    Rng rng(life * 31 + plan.first);
    disk.leave(remains / "", survival, rng);
    // The mark in the lock file is never synced: it may be an old one, or none.
    if (survival == Survival::Nothing || rng.chance(0.3)) fs::remove(remains / "store.db.lock");
  }
  fs::remove_all(folder);
  fs::copy(remains / "", folder);
  check_copy(folder, checker);
  return true;
}

// The same story again and again, each time cut one call later.
void cut_everywhere(bool syncs_only, Survival survival) {
  int cuts = 0;
  uint64_t acknowledged = 0;
  for (uint64_t at = 1; !testing::Test::HasFailure(); ++at) {
    const store::TempFolder folder;
    fs::create_directory(folder / "disk");
    Checker checker;
    const FaultPlan plan{.fault = Fault::PowerCut, .first = at, .syncs_only = syncs_only};
    if (!live_and_die(folder / "disk", checker, plan, survival, 7, 45)) break;
    ++cuts, acknowledged += checker.acknowledged();
    if (testing::Test::HasFailure()) ADD_FAILURE() << "the power failed at call " << at;
  }
  std::printf("%d cuts, %llu acknowledged writes\n", cuts, static_cast<unsigned long long>(acknowledged));
  EXPECT_GT(cuts, 40);
  EXPECT_GT(acknowledged, 400U);
}

TEST(PowerCut, AtEverySyncNothingUnsyncedIsLeft) { cut_everywhere(true, Survival::Nothing); }
TEST(PowerCut, AtEverySyncAnySectorsAreLeft) { cut_everywhere(true, Survival::Sectors); }
TEST(PowerCut, AtEveryCallAnySectorsAreLeft) { cut_everywhere(false, Survival::Sectors); }

TEST(PowerCut, ManyInALifetime) {
  const uint64_t seed = number_from("BASALT_CRASH_SEED", std::random_device{}());
  const uint64_t cuts = number_from("BASALT_POWER_CUTS", 60);
  const store::TempFolder folder;
  const fs::path disk = folder / "disk";
  fs::create_directory(disk);
  Rng rng(seed);
  Checker checker;
  uint64_t unhurt = 0;
  for (uint64_t life = 1; life <= cuts && !HasFailure(); ++life) {
    const FaultPlan plan{.fault = Fault::PowerCut, .first = 1 + rng.below(rng.chance(0.3) ? 40 : 900)};
    constexpr std::array kSurvivals{Survival::Nothing, Survival::Everything, Survival::Sectors, Survival::Sectors};
    if (!live_and_die(disk, checker, plan, kSurvivals[rng.below(4)], life, 400)) ++unhurt;
    if (HasFailure()) ADD_FAILURE() << "seed " << seed << ", cut " << life << " at call " << plan.first;
  }
  EXPECT_EQ(unhurt, 0U);
  std::printf("seed %llu: %llu power cuts, %llu acknowledged writes\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cuts), static_cast<unsigned long long>(checker.acknowledged()));
}

// That the disk does forget: a store that acknowledged without a sync would be caught.
TEST(PowerCut, TheDiskForgetsWhatWasNotSynced) {
  const store::TempFolder folder, remains;
  TestDisk disk(folder / "");
  {
    store::StoreOptions options = kSmallHistory;
    options.vfs = disk.vfs();
    const auto store = store::must_open(folder / "store.db", options);
    store::commit_revision(*store, store::put("pods", "a", 0, "kept"));
    disk.plan({.fault = Fault::PowerCut, .first = 1, .syncs_only = true});
    EXPECT_FALSE(store::commit(*store, store::put("pods", "b", 0, "cut off")));
    EXPECT_EQ(store->count("pods"), 1U) << "what was not committed is not shown";
  }
  Rng rng(1);
  disk.leave(remains / "", Survival::Nothing, rng);
  const auto store = store::must_open(remains / "store.db");
  EXPECT_NE(store->get("pods", "a"), nullptr);
  EXPECT_EQ(store->get("pods", "b"), nullptr);
}

}  // namespace
}  // namespace basalt::crash

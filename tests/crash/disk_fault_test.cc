// Disks that fail: at every single call of a story, in every way, once or for a while.
//
// Never a crash, never a success that is not safe, never a state in memory that is not committed; and when the disk is
// well again, writing resumes by itself. What was acknowledged is checked after a power cut at the end, so that what
// the kernel only believes to be on the disk is gone.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>

#include "server/store/store_fixture.h"
#include "tests/crash/test_disk.h"

namespace basalt::crash {
namespace {

using store::Contents;
using store::StoreHealth;
using Condition = store::StoreHealth::Condition;

constexpr size_t kLogfulBytes = 3'500'000;  // more than store::kMaxLogPages

// A store on a disk that fails, and what it acknowledged.
class Patient {
 public:
  Patient() : disk_(folder_ / "") {
    store::StoreOptions options{.history_events = 12,
                                .history_bytes = 100'000,
                                .reserve_bytes = 4'096,
                                .first_retry = std::chrono::milliseconds(1),
                                .last_retry = std::chrono::milliseconds(2),
                                .on_health =
                                    [this](const StoreHealth& health) {
                                      const std::lock_guard guard(lock_);
                                      health_ = health;
                                      ++changes_;
                                      changed_.notify_all();
                                    },
                                .vfs = disk_.vfs()};
    store_ = store::must_open(folder_ / "store.db", options);
    for (int i = 0; i < 8; ++i) write(i);
  }

  TestDisk& disk() { return disk_; }

  // Writes, and holds the store against what it says. True: it was acknowledged.
  bool write(int step) { return write(step, static_cast<size_t>(step % 3) * 5'000); }
  bool write(int step, size_t bytes) {
    const std::string key = std::to_string(step % 5);
    const store::RecordPtr latest = store_->latest("pods", key);
    store::StoreWrite write = store::put("pods", key, latest == nullptr ? 0 : latest->revision(),
                                         std::to_string(step) + std::string(bytes, 'x'));
    write.remove = latest != nullptr && step % 4 == 3;
    const auto answer = store::commit(*store_, std::move(write));
    if (answer) {
      EXPECT_GT((*answer)->revision(), highest_) << "revisions rise";
      highest_ = (*answer)->revision();
      acknowledged_.erase(key);
      if (!(*answer)->deleted()) acknowledged_[key] = store::text_of(**answer);
    }
    EXPECT_EQ(store::contents(*store_, "pods"), acknowledged_) << "readers see what is committed";
    return answer.has_value();
  }

  // Whether its health changed since it was made.
  bool was_unwell() {
    const std::lock_guard guard(lock_);
    return changes_ > 0;
  }

  // Overwrites some of what was committed.
  void damage() {
    std::fstream log(folder_ / "store.db-wal", std::ios::in | std::ios::out | std::ios::binary);
    log.seekp(static_cast<std::streamoff>(std::filesystem::file_size(folder_ / "store.db-wal") / 2));
    log << std::string(30'000, 'y');
  }

  // False: it is lost for good.
  bool await_writable() {
    std::unique_lock guard(lock_);
    const auto is_over = [this] {
      return health_.condition == Condition::Writable || health_.condition == Condition::Lost;
    };
    EXPECT_TRUE(changed_.wait_for(guard, store::kTestTimeout, is_over)) << "waited in vain";
    return health_.condition == Condition::Writable;
  }

  // Cuts the power at the next call and opens what is left.
  void expect_acknowledged_after_power_cut() {
    disk_.plan({.fault = Fault::PowerCut, .first = 1});
    (void)store::commit(*store_, store::put("other", "x", 0, ""));
    ASSERT_TRUE(disk_.is_cut());
    const store::TempFolder remains;
    Rng rng(3);
    disk_.leave(remains / "", Survival::Nothing, rng);
    const auto left = store::must_open(remains / "store.db");
    ASSERT_NE(left, nullptr);
    EXPECT_EQ(store::contents(*left, "pods"), acknowledged_);
    EXPECT_GE(left->revision(), highest_);
  }

 private:
  store::TempFolder folder_;
  TestDisk disk_;
  std::mutex lock_;
  std::condition_variable changed_;
  StoreHealth health_;
  int changes_ = 0;
  std::unique_ptr<store::Store> store_;
  Contents acknowledged_;
  store::Revision highest_ = 0;
};

struct Seen {
  int runs = 0, refused = 0;
};

// One run for each call of the story, or for every `stride`th.
Seen fail_everywhere(FaultPlan plan, uint64_t stride = 1, bool keep_lost = false) {
  Seen seen;
  for (plan.first = 1; !testing::Test::HasFailure(); plan.first += stride) {
    Patient patient;
    patient.disk().keep_lost(keep_lost);
    patient.disk().plan(plan);
    for (int step = 8; step < 20; ++step) seen.refused += patient.write(step) ? 0 : 1;
    const bool failed = patient.disk().has_failed();
    const bool over = patient.disk().calls() < plan.first;
    patient.disk().plan({});
    if (failed) {
      EXPECT_TRUE(patient.await_writable()) << "it gave up";
      EXPECT_TRUE(patient.write(20)) << "writing resumes by itself";
    }
    if (failed || plan.first % 16 == 1) patient.expect_acknowledged_after_power_cut();
    if (testing::Test::HasFailure()) ADD_FAILURE() << "with a fault at call " << plan.first;
    if (over) break;
    ++seen.runs;
  }
  return seen;
}

TEST(DiskFault, ErrorsAtEveryCall) {
  for (const uint64_t calls : {1U, 12U}) {
    const Seen seen = fail_everywhere({.fault = Fault::Io, .calls = calls});
    EXPECT_GT(seen.runs, 30);
    EXPECT_GT(seen.refused, 20);
  }
}

TEST(DiskFault, ErrorsAtEverySync) {
  for (const bool keep_lost : {false, true}) {
    const Seen seen = fail_everywhere({.fault = Fault::Io, .syncs_only = true}, 1, keep_lost);
    EXPECT_GE(seen.runs, 12);
    EXPECT_GE(seen.refused, 12);
  }
}

TEST(DiskFault, WhatTheDiskLostIsFoundBeforeAnythingIsWrittenOnTopOfIt) {
  Patient patient;
  patient.disk().plan({.fault = Fault::Io, .first = 1, .calls = 1'000'000});
  EXPECT_FALSE(patient.write(8));
  patient.damage();
  patient.disk().plan({});
  EXPECT_FALSE(patient.await_writable()) << "rows are gone, and it goes on as if nothing had happened";
}

TEST(DiskFault, NoRoomAtEveryCall) {
  for (const Fault fault : {Fault::Full, Fault::Quota, Fault::ShortWrite}) {
    const Seen seen = fail_everywhere({.fault = fault, .calls = 6}, fault == Fault::Full ? 1 : 3);
    EXPECT_GT(seen.runs, 15);
    EXPECT_GT(seen.refused, 15);
  }
}

// A write that fills the log is followed by a checkpoint: the write is acknowledged, the checkpoint fails.
TEST(DiskFault, WhileTheLogIsCopiedIntoTheFile) {
  for (const Fault fault : {Fault::Io, Fault::Full}) {
    int unnoticed = 0, noticed = 0;
    for (uint64_t first = 1; !HasFailure(); first += 61) {
      Patient patient;
      patient.disk().plan({.fault = fault, .first = first});
      const bool acknowledged = patient.write(8, kLogfulBytes);
      (void)patient.write(9);  // when this is answered the checkpoint is over
      const bool failed = patient.disk().has_failed(), over = patient.disk().calls() < first;
      if (failed && acknowledged) ++(patient.was_unwell() ? noticed : unnoticed);
      patient.disk().plan({});
      ASSERT_TRUE(patient.await_writable());
      EXPECT_TRUE(patient.write(10));
      patient.expect_acknowledged_after_power_cut();
      if (over) break;
    }
    EXPECT_GT(noticed, 3) << "a store whose log can only grow is not well";
    EXPECT_EQ(unnoticed, 0);
  }
}

TEST(DiskFault, ShortReadsAndErrorsWhileItRecovers) {
  // The first call fails, and after it some of those that try to make good for it, reads among them.
  for (uint64_t calls = 2; calls < 40 && !HasFailure(); calls += 3) {
    Patient patient;
    patient.disk().plan({.fault = Fault::Io, .first = 1, .calls = calls, .reads = true});
    (void)patient.write(8);
    ASSERT_TRUE(patient.await_writable());
    patient.disk().plan({});
    EXPECT_TRUE(patient.write(9)) << calls;
    patient.expect_acknowledged_after_power_cut();
  }
}

TEST(DiskFault, AtTheStart) {
  const store::TempFolder folder;
  Contents kept;
  {
    const auto store = store::must_open(folder / "store.db");
    for (int i = 0; i < 30; ++i) {
      store::commit_revision(*store, store::put("pods", std::to_string(i), 0, std::string(2'000, 'x')));
    }
    kept = store::contents(*store, "pods");
  }
  for (const Fault fault : {Fault::Io, Fault::ShortRead, Fault::Full}) {
    int refused = 0;
    for (uint64_t first = 1; !HasFailure(); ++first) {
      TestDisk disk(folder / "");
      disk.plan({.fault = fault, .first = first, .reads = true});
      const auto store = store::Store::open(folder / "store.db", {.reserve_bytes = 0, .vfs = disk.vfs()});
      const bool over = disk.calls() < first;
      disk.plan({});
      if (store) {
        EXPECT_EQ(store::contents(**store, "pods"), kept) << "never a part of it";
      } else {
        EXPECT_NE(store.error().message.find("store.db"), std::string::npos) << store.error().message;
        ++refused;
      }
      if (over) break;
    }
    if (fault == Fault::Io) {
      EXPECT_GT(refused, 5);
    }
  }
  EXPECT_EQ(store::contents(*store::must_open(folder / "store.db"), "pods"), kept) << "nothing was broken by it";
}

TEST(DiskFault, AtTheFirstStart) {
  for (const Fault fault : {Fault::Io, Fault::Full}) {
    for (uint64_t first = 1; !HasFailure(); ++first) {
      const store::TempFolder folder;
      bool over = false;
      {
        TestDisk disk(folder / "");
        disk.plan({.fault = fault, .first = first, .reads = true});
        const auto store = store::Store::open(folder / "store.db", {.reserve_bytes = 0, .vfs = disk.vfs()});
        over = disk.calls() < first;
        disk.plan({});
      }
      EXPECT_NE(store::must_open(folder / "store.db"), nullptr) << "the next start finds nothing half made";
      if (over) break;
    }
  }
}

}  // namespace
}  // namespace basalt::crash

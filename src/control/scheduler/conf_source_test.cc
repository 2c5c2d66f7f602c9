#include "control/scheduler/conf_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace basalt::scheduler {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnqueueOnly = "actions: \"enqueue\"\ntiers:\n- plugins:\n  - name: gang\n";
constexpr const char* kAllocateOnly = "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gang\n";
constexpr const char* kWrong = "actions: \"enqueueue\"\n";

// A directory of its own with a conf file in it, and a log that can be counted.
class ConfSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "basalt-conf-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
    file_ = dir_ / "volcano-scheduler.conf";
  }
  void TearDown() override { fs::remove_all(dir_); }

  void write(const fs::path& path, const std::string& content) { std::ofstream(path, std::ios::trunc) << content; }
  void replace(const std::string& content) {
    write(dir_ / "next", content);
    fs::rename(dir_ / "next", file_);
  }
  bool look(ConfSource& source) {
    now_ = now_ + Duration::seconds(1);
    return source.look(now_, policy_, log_);
  }
  [[nodiscard]] std::string actions() const {
    std::string all;
    for (const std::string& action : policy_.spec().actions) all += (all.empty() ? "" : " ") + action;
    return all;
  }
  [[nodiscard]] size_t logged(Severity severity) const {
    size_t count = 0;
    for (const auto& line : lines_) count += line.first == severity ? 1 : 0;
    return count;
  }
  [[nodiscard]] std::string last_line() const { return lines_.empty() ? "" : lines_.back().second; }

  fs::path dir_, file_;
  state::ActivePolicy policy_;
  Instant now_ = Instant::from_unix_seconds(1'000);
  std::vector<std::pair<Severity, std::string>> lines_;
  LogFunction log_ = [this](Severity severity, const std::string& line) { lines_.emplace_back(severity, line); };
};

text::Object config_map(std::vector<std::pair<std::string, std::string>> data) {
  text::Object values;
  for (auto& [key, value] : data) values[key] = value;
  return {{"kind", "ConfigMap"}, {"data", values}};
}

TEST_F(ConfSourceTest, WithoutAFileNothingIsReadAndTheDefaultIsInForce) {
  ConfSource source("");
  EXPECT_TRUE(source.first(policy_));
  EXPECT_FALSE(look(source));
  EXPECT_EQ(actions(), "enqueue allocate backfill");
  EXPECT_FALSE(source.next_due());
}

TEST_F(ConfSourceTest, WhatBecomesOfAFileIsNoted) {
  write(file_, "actions: \"allocate, shuffle\"\n");
  ConfSource source(file_.string());
  ASSERT_TRUE(source.first(policy_));
  const std::vector<ConfNote> notes = source.take_notes();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].reason, "PolicyLoaded");
  EXPECT_EQ(notes[1].reason, "PolicySkipped");
  EXPECT_EQ(source.in_force(), "actions: \"allocate, shuffle\"\n");
  replace(kWrong);
  EXPECT_FALSE(look(source));
  ASSERT_TRUE(source.has_notes());
  EXPECT_EQ(source.take_notes().front().reason, "PolicyRefused");
  EXPECT_EQ(source.in_force(), "actions: \"allocate, shuffle\"\n");
}

TEST_F(ConfSourceTest, TheFirstReadFailsOnAMissingAndOnAWrongFile) {
  ConfSource source(file_.string());
  const Result<void> missing = source.first(policy_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_NE(missing.error().message.find(file_.string()), std::string::npos);

  write(file_, kWrong);
  const Result<void> wrong = source.first(policy_);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("enqueueue"), std::string::npos);
  EXPECT_NE(wrong.error().message.find(file_.string()), std::string::npos);

  ConfSource directory(dir_.string());
  EXPECT_FALSE(directory.first(policy_));
  EXPECT_EQ(policy_.generation(), 1U);
}

TEST_F(ConfSourceTest, AChangedFileIsLoadedOnce) {
  write(file_, kEnqueueOnly);
  ConfSource source(file_.string());
  ASSERT_TRUE(source.first(policy_));
  EXPECT_EQ(actions(), "enqueue");
  EXPECT_FALSE(look(source));
  replace(kAllocateOnly);
  EXPECT_TRUE(look(source));
  EXPECT_EQ(actions(), "allocate");
  const uint64_t generation = policy_.generation();
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(look(source));
  EXPECT_EQ(policy_.generation(), generation);
  EXPECT_EQ(logged(Severity::Info), 1U);
}

TEST_F(ConfSourceTest, ASecondChangeThatLooksLikeTheFirstIsSeen) {
  const std::string a = "actions: \"enqueue\"\n", b = "actions: \"preempt\"\n";
  ASSERT_EQ(a.size(), b.size());
  write(file_, a);
  ConfSource source(file_.string());
  ASSERT_TRUE(source.first(policy_));
  // The same inode, size and time as what was read: only the content tells.
  struct stat before{};
  ASSERT_EQ(stat(file_.c_str(), &before), 0);
  write(file_, b);
  const timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, file_.c_str(), times, 0), 0);
  EXPECT_TRUE(look(source));
  EXPECT_EQ(actions(), "preempt");
}

TEST_F(ConfSourceTest, LooksAtMostOnceASecond) {
  write(file_, kEnqueueOnly);
  ConfSource source(file_.string());
  ASSERT_TRUE(source.first(policy_));
  EXPECT_FALSE(source.look(now_, policy_, log_));
  replace(kAllocateOnly);
  EXPECT_FALSE(source.look(now_ + Duration::millis(999), policy_, log_));
  EXPECT_EQ(source.next_due(), now_ + kConfLookEvery);
  EXPECT_TRUE(source.look(now_ + kConfLookEvery, policy_, log_));
}

TEST_F(ConfSourceTest, AWrongFileChangesNothingAndIsToldOncePerContent) {
  write(file_, kEnqueueOnly);
  ConfSource source(file_.string());
  ASSERT_TRUE(source.first(policy_));
  replace(kWrong);
  EXPECT_FALSE(look(source));
  EXPECT_EQ(actions(), "enqueue");
  EXPECT_EQ(logged(Severity::Error), 1U);
  EXPECT_NE(last_line().find("enqueueue"), std::string::npos);
  replace(kWrong);  // another file, the same content
  EXPECT_FALSE(look(source));
  EXPECT_FALSE(look(source));
  EXPECT_EQ(logged(Severity::Error), 1U);
  replace("actions: [\n");
  EXPECT_FALSE(look(source));
  EXPECT_EQ(logged(Severity::Error), 2U);
  replace(kAllocateOnly);
  EXPECT_TRUE(look(source));
  EXPECT_EQ(actions(), "allocate");
}

TEST_F(ConfSourceTest, ARemovedFileLeavesTheLastPolicyAndItsReturnIsSeen) {
  write(file_, kEnqueueOnly);
  ConfSource source(file_.string());
  ASSERT_TRUE(source.first(policy_));
  fs::remove(file_);
  EXPECT_FALSE(look(source));
  EXPECT_FALSE(look(source));
  EXPECT_EQ(actions(), "enqueue");
  EXPECT_EQ(logged(Severity::Warning), 1U);
  write(file_, kEnqueueOnly);
  EXPECT_FALSE(look(source)) << "the same content is no change";
  replace(kAllocateOnly);
  EXPECT_TRUE(look(source));
  fs::remove(file_);
  EXPECT_FALSE(look(source));
  EXPECT_EQ(logged(Severity::Warning), 2U) << "it went away a second time";
}

TEST_F(ConfSourceTest, SwappedLinksAsKubeletMakesThemAreFollowed) {
  fs::create_directory(dir_ / "v1");
  fs::create_directory(dir_ / "v2");
  write(dir_ / "v1" / "volcano-scheduler.conf", kEnqueueOnly);
  write(dir_ / "v2" / "volcano-scheduler.conf", kAllocateOnly);
  fs::create_directory_symlink("v1", dir_ / "..data");
  fs::create_symlink("..data/volcano-scheduler.conf", file_);
  ConfSource source(file_.string());
  ASSERT_TRUE(source.first(policy_));
  EXPECT_EQ(actions(), "enqueue");
  fs::create_directory_symlink("v2", dir_ / "..data_tmp");
  fs::rename(dir_ / "..data_tmp", dir_ / "..data");
  EXPECT_TRUE(look(source));
  EXPECT_EQ(actions(), "allocate");
}

TEST_F(ConfSourceTest, AHugeFileIsRefused) {
  write(file_, kEnqueueOnly);
  ConfSource source(file_.string());
  ASSERT_TRUE(source.first(policy_));
  replace("actions: \"allocate\"\n# " + std::string(kMaxConfBytes, 'x'));
  EXPECT_FALSE(look(source));
  EXPECT_FALSE(look(source));
  EXPECT_EQ(actions(), "enqueue");
  EXPECT_EQ(logged(Severity::Warning), 1U);
  ConfSource fresh(file_.string());
  EXPECT_FALSE(fresh.first(policy_));
}

TEST_F(ConfSourceTest, WarningsOfAConfAreTold) {
  write(file_, kEnqueueOnly);
  ConfSource source(file_.string());
  ASSERT_TRUE(source.first(policy_));
  replace("actions: \"enqueue\"\ntiers:\n- plugins:\n  - name: usage\n");
  EXPECT_TRUE(look(source));
  EXPECT_EQ(logged(Severity::Warning), 1U);
  EXPECT_NE(last_line().find("Volcano's plugin \"usage\""), std::string::npos);
}

TEST_F(ConfSourceTest, TheConfigMapIsReadUnderItsKey) {
  ConfSource source("");
  const text::Object usual =
      config_map({{"a.conf", kWrong}, {std::string(kConfMapKey), kEnqueueOnly}, {"notes.txt", "x"}});
  EXPECT_TRUE(source.learn(&usual, policy_, log_));
  EXPECT_EQ(actions(), "enqueue");
  EXPECT_FALSE(source.learn(&usual, policy_, log_)) << "the same content again";
  const text::Object other = config_map({{"z.conf", kWrong}, {"b.conf", kAllocateOnly}});
  EXPECT_TRUE(source.learn(&other, policy_, log_));
  EXPECT_EQ(actions(), "allocate");

  ConfSource named("", "z.conf");
  EXPECT_FALSE(named.learn(&other, policy_, log_));
  EXPECT_EQ(logged(Severity::Error), 1U);
  const text::Object without = config_map({{"b.conf", kEnqueueOnly}});
  EXPECT_FALSE(named.learn(&without, policy_, log_));
  EXPECT_EQ(actions(), "allocate");
}

TEST_F(ConfSourceTest, NotesSayWhatBecameOfTheConfigMap) {
  ConfSource source("");
  const auto reasons = [&source] {
    std::string all;
    for (const ConfNote& note : source.take_notes()) {
      all += (all.empty() ? "" : " ") + std::string(note.reason) + (note.warning ? "!" : "");
    }
    return all;
  };
  const std::string key(kConfMapKey);
  const text::Object skips = config_map({{key, "actions: \"enqueue, shuffle\"\n"}});
  EXPECT_TRUE(source.learn(&skips, policy_, log_));
  EXPECT_EQ(reasons(), "PolicyLoaded PolicySkipped!");
  EXPECT_FALSE(source.is_refused());
  const text::Object wrong = config_map({{key, kWrong}});
  EXPECT_FALSE(source.learn(&wrong, policy_, log_));
  EXPECT_EQ(reasons(), "PolicyRefused!");
  EXPECT_TRUE(source.is_refused());
  EXPECT_FALSE(source.learn(&wrong, policy_, log_));
  EXPECT_EQ(reasons(), "") << "told once";
  EXPECT_TRUE(source.is_refused()) << "it still is";
  const text::Object good = config_map({{key, kEnqueueOnly}});
  EXPECT_TRUE(source.learn(&good, policy_, log_));
  EXPECT_EQ(reasons(), "PolicyLoaded");
  EXPECT_FALSE(source.is_refused());
}

TEST_F(ConfSourceTest, ADeletedConfigMapTakesItsPolicyWithIt) {
  ConfSource source("");
  const text::Object map = config_map({{std::string(kConfMapKey), kEnqueueOnly}});
  EXPECT_TRUE(source.learn(&map, policy_, log_));
  EXPECT_EQ(actions(), "enqueue");
  EXPECT_TRUE(source.learn(nullptr, policy_, log_));
  EXPECT_EQ(actions(), "enqueue allocate backfill");
  EXPECT_EQ(logged(Severity::Warning), 1U);
  EXPECT_FALSE(source.learn(nullptr, policy_, log_));
  EXPECT_TRUE(source.learn(&map, policy_, log_)) << "the same map again";
  EXPECT_EQ(actions(), "enqueue");
}

TEST_F(ConfSourceTest, AWrongConfigMapChangesNothing) {
  ConfSource source("");
  EXPECT_FALSE(source.learn(nullptr, policy_, log_));
  EXPECT_TRUE(lines_.empty()) << "it never was there";
  const text::Object good = config_map({{std::string(kConfMapKey), kEnqueueOnly}});
  EXPECT_TRUE(source.learn(&good, policy_, log_));
  const std::vector<text::Object> bad = {
      {},
      {{"data", 5}},
      {{"data", text::Object{{kConfMapKey, 5}}}},
      config_map({{"readme", "x"}}),
      config_map({{std::string(kConfMapKey), std::string(kMaxConfBytes + 1, ' ')}}),
      config_map({{std::string(kConfMapKey), "\xff\xfe"}}),
      config_map({{std::string(kConfMapKey), std::string(10'000, '[')}}),
  };
  for (const text::Object& map : bad) EXPECT_FALSE(source.learn(&map, policy_, log_));
  EXPECT_EQ(actions(), "enqueue");
}

TEST_F(ConfSourceTest, TheFileWinsOverTheConfigMap) {
  write(file_, kEnqueueOnly);
  ConfSource source(file_.string());
  ASSERT_TRUE(source.first(policy_));
  const text::Object map = config_map({{std::string(kConfMapKey), kAllocateOnly}});
  EXPECT_FALSE(source.learn(&map, policy_, log_));
  EXPECT_EQ(actions(), "enqueue");
}

}  // namespace
}  // namespace basalt::scheduler

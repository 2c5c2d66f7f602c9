// A pod that exchanges a directory of its volume and a symbolic link while a container of it starts.
//
// A try is a container whose subPath was found to be in its volume. Tries: kTries, or what the environment variable
// BASALT_ATTACK_TRIES says (the long variant).
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include <atomic>
#include <charconv>
#include <cstring>
#include <optional>
#include <thread>

#include "control/node/local/descriptor.h"
#include "control/node/local/object_fixture.h"
#include "control/node/local/process_fixture.h"
#include "control/node/local/volume_mounts.h"

namespace basalt::node {
namespace {

constexpr int kTries = 60;
constexpr int kMaxChecks = 100'000;
constexpr std::string_view kSecret = "another-pods-secret";

int tries() {
  const char* const text = ::getenv("BASALT_ATTACK_TRIES");
  int number = kTries;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

// Exchanges two names of a directory as fast as it can, as a process of the pod would.
class Exchanger {
 public:
  Exchanger(const fs::path& directory, const char* one, const char* other)
      : thread_([this, directory, one, other] {
          const Descriptor at(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
          while (!stop_) {
            if (::renameat2(at.get(), one, at.get(), other, RENAME_EXCHANGE) == 0) ++exchanges_;
          }
        }) {}
  Exchanger(const Exchanger&) = delete;
  Exchanger& operator=(const Exchanger&) = delete;
  ~Exchanger() {
    stop_ = true;
    thread_.join();
  }
  [[nodiscard]] uint64_t exchanges() const { return exchanges_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<uint64_t> exchanges_ = 0;
  std::thread thread_;
};

struct Tally {
  int leaked = 0, own = 0, refused = 0, other = 0;
};

class SubPathAttackTest : public ProcessTest {
 protected:
  void SetUp() override {
    ProcessTest::SetUp();
    if (!processes_->capabilities().mounts) GTEST_SKIP() << processes_->capabilities().why_no_mounts;
    directory_ = fs::canonical(directory_);
    write(directory_ / "victim/password", std::string(kSecret));
    write(directory_ / "mine/d/password", "my own");
    fs::create_symlink("../victim", directory_ / "mine/l");
    volumes_.by_name = {{"mine", {.path = directory_ / "mine"}}};
  }
  // Starts `times` containers with this subPath while `one` and `other` are exchanged.
  Tally attack(const std::string& sub_path, const char* one, const char* other, int times) {
    const text::Object container =
        json(R"({"volumeMounts": [{"name": "mine", "mountPath": "/basalt-m", "subPath": ")" + sub_path + R"("}]})");
    const Exchanger exchanger(directory_ / "mine", one, other);
    Tally tally;
    for (int i = 0; i < times; ++i) {
      const auto mounts = checked_mounts(container);
      if (!mounts) return tally;
      ProcessSpec spec = shell("cat /basalt-m/password");
      spec.mounts = *mounts;
      Ended ended;
      const auto started = processes_->start(spec, ended.notice());
      if (!started) {
        ++tally.refused;
        continue;
      }
      const std::string output = ended.wait().output;
      ++(output == kSecret ? tally.leaked : output == "my own" ? tally.own : tally.other);
    }
    EXPECT_GT(exchanger.exchanges(), 0U);
    std::printf("subPath \"%s\": %d tries, %d leaked, %d own, %d refused, %d other\n", sub_path.c_str(), times,
                tally.leaked, tally.own, tally.refused, tally.other);
    return tally;
  }
  // A node tries again what was refused: an attacker waits for the try that finds the directory.
  std::optional<std::vector<Mount>> checked_mounts(const text::Object& container) {
    for (int attempt = 0; attempt < kMaxChecks; ++attempt) {
      if (auto mounts = volume_mounts_of(container, volumes_, {})) return std::move(*mounts);
    }
    ADD_FAILURE() << "no check of " << kMaxChecks << " passes";
    return std::nullopt;
  }

  PodVolumes volumes_;
};

INSTANTIATE_TEST_SUITE_P(Machines, SubPathAttackTest, testing::Values(true), [](const auto&) { return "Namespaces"; });

TEST_P(SubPathAttackTest, ADirectoryExchangedForALinkLeaksNothing) {
  const Tally tally = attack("d", "d", "l", tries());
  EXPECT_EQ(tally.leaked, 0);
  EXPECT_GT(tally.own, 0) << "the attack must not only be refused: then it proves nothing about the race";
}

TEST_P(SubPathAttackTest, AParentExchangedForALinkLeaksNothing) {
  write(directory_ / "victim/sub/password", std::string(kSecret));
  write(directory_ / "mine/d/sub/password", "my own");
  const Tally tally = attack("d/sub", "d", "l", tries() / 3);
  EXPECT_EQ(tally.leaked, 0);
  EXPECT_GT(tally.own, 0) << "the attack must not only be refused: then it proves nothing about the race";
}

TEST_P(SubPathAttackTest, NothingIsMadeBehindALink) {
  // The part that is missing is made by the node, with its rights: only ever in the volume.
  attack("d/new/deep", "d", "l", tries() / 3);
  EXPECT_FALSE(fs::exists(directory_ / "victim/new"));
}

TEST_P(SubPathAttackTest, NoMountPathIsMadeBehindALink) {
  fs::create_directories(directory_ / "inner");
  fs::create_directory_symlink(directory_ / "victim", directory_ / "mine/absolute");
  const Exchanger exchanger(directory_ / "mine", "d", "absolute");
  int started = 0;
  for (int i = 0; i < tries() / 3; ++i) {
    ProcessSpec spec = shell("true");
    spec.mounts = {{.source = directory_ / "mine", .target = "/basalt-m"},
                   {.source = directory_ / "inner", .target = "/basalt-m/d/made/deep-" + std::to_string(i)}};
    Ended ended;
    if (!processes_->start(spec, ended.notice())) continue;
    ended.wait();
    ++started;
  }
  EXPECT_GT(exchanger.exchanges(), 0U);
  std::printf("mount path: %d tries, %d started\n", tries() / 3, started);
  EXPECT_FALSE(fs::exists(directory_ / "victim/made"));
}

}  // namespace
}  // namespace basalt::node

#include "programs/daemon/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <string>
#include <thread>

namespace basalt::daemon {
namespace {

constexpr std::chrono::hours kGrace{1};

// Each story is a process of its own; what has happened by its end is told by its exit code.
void send_self(int signal) { ::kill(::getpid(), signal); }

TEST(SignalsDeathTest, TheFirstEndsInGoodOrder) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto story = [signal] {
      Signals signals("test");
      send_self(signal);
      signals.serve_until_end({}, kGrace);
      std::_Exit(42);
    };
    EXPECT_EXIT(story(), ::testing::ExitedWithCode(42), "");
  }
}

TEST(SignalsDeathTest, TheSecondEndsAtOnce) {
  const auto story = [] {
    Signals signals("test");
    send_self(SIGTERM);
    signals.serve_until_end({}, kGrace);
    send_self(SIGINT);
    std::_Exit(42);
  };
  EXPECT_EXIT(story(), ::testing::ExitedWithCode(1), "");
}

TEST(SignalsDeathTest, WhateverRunsTheEndComesWhenItsGraceIsOver) {
  const auto story = [] {
    Signals signals("test");
    std::promise<void> never;
    std::thread stuck([&never] { never.get_future().wait(); });
    send_self(SIGTERM);
    signals.serve_until_end({}, std::chrono::milliseconds(20));
    stuck.join();
    std::_Exit(42);
  };
  EXPECT_EXIT(story(), ::testing::ExitedWithCode(1), "test: did not end within 1 s");
}

TEST(SignalsDeathTest, DumpsAreTakenBeforeTheEnd) {
  const auto story = [] {
    Signals signals("test");
    std::string dumps;
    send_self(SIGUSR1);
    signals.serve_until_end({.to_file =
                                 [&] {
                                   dumps += "file ";
                                   send_self(SIGUSR2);
                                 },
                             .to_log =
                                 [&] {
                                   dumps += "log";
                                   send_self(SIGTERM);
                                 }},
                            kGrace);
    std::_Exit(dumps == "file log" ? 42 : 1);
  };
  EXPECT_EXIT(story(), ::testing::ExitedWithCode(42), "");
}

TEST(SignalsDeathTest, WithoutDumpsTheyMeanNothing) {
  const auto story = [] {
    Signals signals("test");
    send_self(SIGUSR1);
    send_self(SIGUSR2);
    send_self(SIGPIPE);
    send_self(SIGTERM);
    // Pending signals come in the order of their numbers: SIGUSR1 10, SIGUSR2 12, SIGTERM 15.
    signals.serve_until_end({}, kGrace);
    std::_Exit(42);
  };
  EXPECT_EXIT(story(), ::testing::ExitedWithCode(42), "");
}

TEST(SignalsDeathTest, NohupIsRespected) {
  const auto story = [] {
    std::signal(SIGHUP, SIG_IGN);
    Signals signals("test");
    send_self(SIGHUP);
    send_self(SIGUSR1);
    std::_Exit(signals.next() == SIGUSR1 ? 42 : 1);
  };
  EXPECT_EXIT(story(), ::testing::ExitedWithCode(42), "");
}

}  // namespace
}  // namespace basalt::daemon

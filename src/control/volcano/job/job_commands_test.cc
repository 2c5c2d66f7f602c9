// Every phase × every action, asked for by a command: what is written at once, and that the command goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "control/volcano/job/job_spec_builders.h"
#include "control/volcano/job/state/job_states.h"

namespace basalt::volcano {
namespace {

// The phase that the first write brings about, by the action; what is not listed changes nothing.
using Row = std::map<std::string_view, std::string_view>;

const Row kLive = {{"RestartJob", "Restarting"}, {"RestartTask", "Restarting"},   {"RestartPod", "Restarting"},
                   {"AbortJob", "Aborting"},     {"TerminateJob", "Terminating"}, {"CompleteJob", "Completing"}};
// Killed once more: stays, at the next version.
const Row kRestarting = {{"RestartJob", "Restarting"},  {"AbortJob", "Restarting"},  {"TerminateJob", "Restarting"},
                         {"CompleteJob", "Restarting"}, {"ResumeJob", "Restarting"}, {"Whatever", "Restarting"}};
const Row kResumable = {{"ResumeJob", "Restarting"}};

const std::map<std::string_view, Row> kTable = {{"", kLive},
                                                {"Pending", kLive},
                                                {"Running", kLive},
                                                {"Restarting", kRestarting},
                                                {"Aborting", kResumable},
                                                {"Aborted", kResumable},
                                                {"Completing", {}},
                                                {"Completed", {}},
                                                {"Terminating", {}},
                                                {"Terminated", {}},
                                                {"Failed", {}}};

TEST(JobCommands, EveryPhaseAndAction) {
  for (const auto& [phase, row] : kTable) {
    for (const std::string_view action : {"AbortJob", "RestartJob", "RestartTask", "RestartPod", "RestartPartition",
                                          "TerminateJob", "CompleteJob", "ResumeJob", "SyncJob", "Whatever"}) {
      SCOPED_TRACE(fmt::format("{} by {}", phase.empty() ? "no phase" : phase, action));
      auto fixture = running(workers());
      fixture->slow_pods = true;
      fixture->patch("jobs/ns/j", fmt::format(R"({{"status":{{"state":{{"phase":"{}"}}}}}})", phase));
      fixture->command("c", action);
      const auto expected = row.find(action);
      const JobFixture::Lines lines = fixture->plan();
      const bool acts =
          !lines.empty() && lines.front().find(fmt::format(R"("reason":"{}")", action)) != std::string::npos;
      EXPECT_EQ(acts, expected != row.end()) << (lines.empty() ? "" : lines.front());
      EXPECT_THAT(lines, testing::Contains("delete commands/ns/c"));
      if (acts) {
        EXPECT_EQ(lines.size(), 2U) << "what follows is planned from the status";
        fixture->settle(1);
        EXPECT_EQ(fixture->phase(), expected->second);
        const bool kills = !is_targeted(action_of(action));
        EXPECT_EQ(fixture->number("version"), kills ? 1 : 0);
        const bool retries = expected->second == "Restarting" && phase != "Restarting";
        EXPECT_EQ(fixture->number("retryCount"), retries ? 1 : 0);
      }
      fixture->settle();
      EXPECT_TRUE(fixture->places("commands/").empty());
    }
  }
}

}  // namespace
}  // namespace basalt::volcano

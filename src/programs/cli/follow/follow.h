// `basalt follow job NAME`: a live board of one job until it runs, or is over.
//
// On a screen the board is drawn again whenever something changes, and every second for the ages. Elsewhere every
// change is one line and every event one more, each with its time. Exit status: 0 the job is where --until asks, 1 it
// failed, was aborted, terminated or deleted, the time is up or the server cannot be reached, 2 wrong words.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "kube/client/object_client.h"
#include "programs/cli/follow/job_dashboard.h"
#include "programs/cli/verb.h"

namespace basalt::cli {

namespace follow {

struct FollowOptions {
  std::string namespace_name = "default", job;
  FollowGoal goal = FollowGoal::Running;
  std::optional<std::chrono::seconds> timeout;
};

// Returns the exit status.
int follow_job(client::ObjectClient& client, const FollowOptions& options, vcctl::Terminal& terminal);

}  // namespace follow

int run_follow(Words words);

}  // namespace basalt::cli

// The jobs that a CronJob made: which run, which are over, and which of those are too many.
#pragma once

#include <string>
#include <vector>

#include "control/volcano/controller.h"

namespace basalt::volcano {

struct CronHistory {
  struct Made {
    const text::Object* job;
    std::string name, uid;
    Instant created, scheduled;  // scheduled: by its annotation; kNever: not told
  };
  std::vector<Made> running;             // by scheduled time, then name
  std::vector<Made> completed, failed;   // oldest first; failed: also terminated ones
  Instant last_success, last_scheduled;  // kNever: none

  [[nodiscard]] const Made* find_running(std::string_view uid) const;
};

[[nodiscard]] CronHistory history_of(const Observed& seen, const text::Object& cron_job);

}  // namespace basalt::volcano

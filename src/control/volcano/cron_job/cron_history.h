// The jobs that a CronJob made: which run, which are over, and which of those are too many.
#pragma once

#include <string>
#include <vector>

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

struct CronHistory {
  struct CreatedJob {
    const text::Object* job;
    std::string name, uid;
    Instant created, scheduled;  // scheduled: by its annotation; kNever: not told
  };
  std::vector<CreatedJob> running;            // by scheduled time, then name
  std::vector<CreatedJob> completed, failed;  // oldest first; failed: also terminated ones
  Instant last_success, last_scheduled;       // kNever: none

  [[nodiscard]] const CreatedJob* find_running(std::string_view uid) const;
};

[[nodiscard]] CronHistory history_of(const ControllerCache& seen, const text::Object& cron_job);

}  // namespace basalt::volcano

#include "control/volcano/cron_job/cron_history.h"

#include <algorithm>
#include <tuple>

#include "kube/api/views/volcano_cron_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/rfc3339.h"

namespace basalt::volcano {
namespace {

Instant read_time(std::string_view text) {
  if (text.empty()) return kNever;
  const auto time = text::parse_time(text);
  return time ? *time : kNever;
}

}  // namespace

const CronHistory::CreatedJob* CronHistory::find_running(std::string_view uid) const {
  const auto at = std::ranges::find(running, uid, &CreatedJob::uid);
  return at == running.end() ? nullptr : &*at;
}

CronHistory history_of(const ControllerCache& seen, const text::Object& cron_job) {
  CronHistory history;
  for (const std::string& key : seen.controlled(VolcanoKind::Job, api::VolcanoCronJobView(cron_job).metadata().uid())) {
    const text::Object& job = *seen.find(VolcanoKind::Job, key);
    const api::ObjectMetaView metadata = api::VolcanoJobView(job).metadata();
    CronHistory::CreatedJob made{.job = &job,
                                 .name = std::string(metadata.name()),
                                 .uid = std::string(metadata.uid()),
                                 .created = read_time(metadata.creation_timestamp()),
                                 .scheduled = read_time(metadata.annotations()[api::keys::kScheduledTimestamp])};
    history.last_scheduled = std::max(history.last_scheduled, made.scheduled);
    const api::JobStateView state = api::VolcanoJobView(job).status().state();
    const std::string_view phase = state.phase();
    if (phase == "Completed") {
      history.last_success = std::max(history.last_success, read_time(state.last_transition_time()));
      history.completed.push_back(std::move(made));
    } else if (phase == "Failed" || phase == "Terminated") {
      history.failed.push_back(std::move(made));
    } else {
      history.running.push_back(std::move(made));
    }
  }
  const auto by_age = [](const CronHistory::CreatedJob& a, const CronHistory::CreatedJob& b) {
    return std::tie(a.created, a.name) < std::tie(b.created, b.name);
  };
  std::ranges::sort(history.completed, by_age);
  std::ranges::sort(history.failed, by_age);
  std::ranges::sort(history.running, [](const CronHistory::CreatedJob& a, const CronHistory::CreatedJob& b) {
    return std::tie(a.scheduled, a.name) < std::tie(b.scheduled, b.name);
  });
  return history;
}

}  // namespace basalt::volcano

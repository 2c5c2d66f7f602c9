#include "control/volcano/cron_job/cron_history.h"

#include <algorithm>
#include <tuple>

#include "kube/api/object_fields.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/rfc3339.h"

namespace basalt::volcano {
namespace {

using api::string_at;

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
  for (const std::string& key : seen.controlled(VolcanoKind::Job, string_at(cron_job, {"metadata", "uid"}))) {
    const text::Object& job = *seen.find(VolcanoKind::Job, key);
    CronHistory::CreatedJob made{
        .job = &job,
        .name = std::string(api::name_of(job)),
        .uid = std::string(string_at(job, {"metadata", "uid"})),
        .created = read_time(string_at(job, {"metadata", "creationTimestamp"})),
        .scheduled = read_time(string_at(job, {"metadata", "annotations", api::keys::kScheduledTimestamp}))};
    history.last_scheduled = std::max(history.last_scheduled, made.scheduled);
    const std::string_view phase = string_at(job, {"status", "state", "phase"});
    if (phase == "Completed") {
      history.last_success =
          std::max(history.last_success, read_time(string_at(job, {"status", "state", "lastTransitionTime"})));
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

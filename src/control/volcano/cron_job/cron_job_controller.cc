#include "control/volcano/cron_job/cron_job_controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "control/volcano/cron_job/cron_history.h"
#include "control/volcano/cron_job/due_time.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/cron_schedule.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/metadata_view.h"
#include "kube/api/views/reference_view.h"
#include "kube/api/views/volcano_cron_view.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/rfc3339.h"

namespace basalt::volcano {
namespace {

constexpr int64_t kKeptSuccesses = 3;
constexpr int64_t kKeptFailures = 1;

// The schedule of a CronJob, ready to be asked; or why it cannot be.
struct Timetable {
  api::CronSchedule schedule;
  std::shared_ptr<const text::TimeZone> zone;
};
struct Unusable {
  std::string reason, message;
};

std::expected<Timetable, Unusable> timetable_of(const VolcanoContext& context, const text::Object& cron_job) {
  const api::VolcanoCronJobSpecView spec = api::VolcanoCronJobView(cron_job).spec();
  const std::string_view text = spec.schedule();
  std::string_view zone_name = spec.time_zone();
  if (zone_name.empty()) zone_name = "UTC";
  auto schedule = api::CronSchedule::parse(text);
  if (!schedule) {
    return std::unexpected(
        Unusable{"UnParseableCronJobSchedule", fmt::format("spec.schedule {:?}: {}", text, schedule.error().message)});
  }
  auto zone = context.system_services.time_zone(zone_name);
  if (zone == nullptr) {
    return std::unexpected(
        Unusable{"InvalidTimeZone",
                 fmt::format("spec.timeZone {:?}: no such zone here; use a name like Europe/Berlin", zone_name)});
  }
  return Timetable{.schedule = std::move(*schedule), .zone = std::move(zone)};
}

// "2026-03-01T09:00:00+01:00"
std::string zoned_time(Instant at, const text::TimeZone& zone) {
  const int32_t east = zone.at(at.nanos / 1'000'000'000).east_seconds;
  std::string text = text::format_time(at + Duration::seconds(east));
  if (east == 0) return text;
  text.pop_back();  // the Z
  const int32_t minutes = std::abs(east) / 60;
  return text + fmt::format("{}{:02}:{:02}", east < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

text::Object make_job(const text::Object& cron_job, Instant at, const text::TimeZone& zone) {
  text::Object metadata{{"name", fmt::format("{}-{}", api::name_of(cron_job), at.nanos / 60'000'000'000)},
                        {"namespace", api::namespace_of(cron_job)}};
  text::Object job{{"apiVersion", api_version_of(VolcanoKind::Job)}, {"kind", row_of(VolcanoKind::Job).name}};
  const api::VolcanoJobTemplateSpecView job_template = api::VolcanoCronJobView(cron_job).spec().job_template();
  if (const text::Object* given = job_template.metadata().json()) {
    for (const std::string_view key : {"labels", "annotations"}) api::copy_member(metadata, *given, key);
  }
  api::object_in(metadata, "annotations")[api::keys::kScheduledTimestamp] = zoned_time(at, zone);
  metadata["ownerReferences"] = text::Array{text::Value(controller_reference(VolcanoKind::CronJob, cron_job))};
  job["metadata"] = std::move(metadata);
  if (const text::Object* spec = job_template.spec().json()) job["spec"] = *spec;
  return job;
}

// Plans one CronJob. A class for what its steps share.
class CronPlan {
 public:
  CronPlan(const VolcanoContext& context, const text::Object& cron_job, Instant now)
      : world_(context), cron_job_(cron_job), now_(now), history_(history_of(context.seen, cron_job)) {}

  WritePlan make() {
    trim(history_.completed, fields_.spec().successful_jobs_history_limit().value_or(kKeptSuccesses));
    trim(history_.failed, fields_.spec().failed_jobs_history_limit().value_or(kKeptFailures));
    last_schedule_ = std::max(time_of(fields_.status().last_schedule_time()), history_.last_scheduled);
    write_status();
    if (!fields_.spec().suspend().value_or(false)) schedule();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] static Instant time_of(std::string_view written) {
    const auto time = text::parse_time(written);
    return time ? *time : kNever;
  }
  void tell(std::string reason, std::string message) {
    plan_.notes.push_back(note(std::move(reason), std::move(message)));
  }
  [[nodiscard]] EventNote note(std::string reason, std::string message) const {
    return normal(VolcanoKind::CronJob, cron_job_, std::move(reason), std::move(message));
  }
  void warn(std::string reason, std::string message) {
    plan_.notes.push_back(warning(VolcanoKind::CronJob, cron_job_, std::move(reason), std::move(message)));
  }

  void trim(const std::vector<CronHistory::CreatedJob>& over, int64_t limit) {
    const auto kept = static_cast<size_t>(std::max<int64_t>(limit, 0));
    for (size_t i = 0; i + kept < over.size(); ++i) {
      plan_.write(delete_object(VolcanoKind::Job, *over[i].job),
                  note("SuccessfulDelete", "Deleted job " + over[i].name));
    }
  }

  // What the status says is what the jobs say.
  void write_status() {
    text::Array active;
    for (const CronHistory::CreatedJob& made : history_.running) {
      active.emplace_back(text::Object{{"apiVersion", api_version_of(VolcanoKind::Job)},
                                       {"kind", row_of(VolcanoKind::Job).name},
                                       {"namespace", api::namespace_of(cron_job_)},
                                       {"name", made.name},
                                       {"uid", made.uid}});
    }
    const api::ListView<api::ObjectReferenceView> old = fields_.status().active();
    text::Object status;
    if (old ? !same_uids(*old.json(), active) : !active.empty()) {
      tell_of_the_finished(old);
      status["active"] = std::move(active);
    }
    if (last_schedule_ > time_of(fields_.status().last_schedule_time())) {
      status["lastScheduleTime"] = text::format_time(last_schedule_);
    }
    if (history_.last_success > time_of(fields_.status().last_successful_time())) {
      status["lastSuccessfulTime"] = text::format_time(history_.last_success);
    }
    if (!status.empty())
      plan_.write(patch_status(VolcanoKind::CronJob, cron_job_, std::move(status), RefuseIf::Changed));
  }

  static bool same_uids(const text::Array& old, const text::Array& next) {
    return std::ranges::equal(old, next, [](const text::Value& a, const text::Value& b) {
      return a.is_object() && api::ObjectReferenceView(a).uid() == api::ObjectReferenceView(b).uid();
    });
  }

  void tell_of_the_finished(api::ListView<api::ObjectReferenceView> old) {
    for (const api::ObjectReferenceView reference : old) {
      if (history_.find_running(reference.uid()) != nullptr) continue;
      const std::string name(reference.name());
      const auto is_it = [&](const CronHistory::CreatedJob& made) { return made.uid == reference.uid(); };
      const bool over = std::ranges::any_of(history_.completed, is_it) || std::ranges::any_of(history_.failed, is_it);
      if (over) {
        tell("SawCompletedJob", "Saw completed job: " + name);
      } else {
        warn("StaleReference", "Active job went missing: " + name);
      }
    }
  }

  void schedule() {
    const auto timetable = timetable_of(world_, cron_job_);
    if (!timetable) return warn(timetable.error().reason, timetable.error().message);
    const DueTime due = due_time(timetable->schedule, *timetable->zone, earliest(), now_);
    if (due.next) plan_.look_again(*due.next);
    if (!due.latest && !due.next) {
      return warn("InvalidSchedule",
                  fmt::format("spec.schedule {:?}: names no moment in the next five years", fields_.spec().schedule()));
    }
    if (!due.latest) return;
    if (due.many_missed) {
      warn("TooManyMissedTimes",
           "more than 100 start times were missed; set or lower .spec.startingDeadlineSeconds, or check the clocks");
    }
    if (!make_room()) return;
    text::Object job = make_job(cron_job_, *due.latest, *timetable->zone);
    const std::string name(api::name_of(job));
    if (const text::Object* there = world_.seen.find(VolcanoKind::Job, api::key_of(job))) {
      // One of ours would have moved last_schedule_ past this time.
      if (controller_uid(*there, "", "") != fields_.metadata().uid()) {
        warn("ForeignJob", fmt::format("job {} is there already and was not made by this cron job", name));
      }
      return;
    }
    plan_.then();
    plan_.write(create_object(VolcanoKind::Job, std::move(job)), note("SuccessfulCreate", "Created job " + name));
  }

  // Times before this are served, or too late to be.
  [[nodiscard]] Instant earliest() const {
    Instant from = last_schedule_;
    if (!from.is_set()) {
      const auto created = text::parse_time(fields_.metadata().creation_timestamp());
      from = created ? *created : now_;
    }
    const std::optional<int64_t> deadline = fields_.spec().starting_deadline_seconds();
    if (!deadline) return from;
    constexpr int64_t kLongest = 100LL * 365 * 86'400;
    const int64_t seconds = std::clamp<int64_t>(*deadline, 0, kLongest);
    return std::max(from, now_ + Duration::seconds(-seconds));
  }

  // By the concurrency policy. False: not while others run.
  bool make_room() {
    if (history_.running.empty()) return true;
    const std::string_view policy = fields_.spec().concurrency_policy();
    if (policy == "Forbid") {
      warn("ForbidConcurrent", fmt::format("not started: job {} still runs and concurrencyPolicy is Forbid",
                                           history_.running.front().name));
      return false;
    }
    if (policy != "Replace") return true;
    for (const CronHistory::CreatedJob& made : history_.running) {
      plan_.write(delete_object(VolcanoKind::Job, *made.job),
                  warning(VolcanoKind::CronJob, cron_job_, "ReplaceConcurrent",
                          fmt::format("job {} is replaced by its successor", made.name)));
    }
    return true;
  }

  const VolcanoContext& world_;
  const text::Object& cron_job_;
  const api::VolcanoCronJobView fields_{cron_job_};
  Instant now_;
  CronHistory history_;
  Instant last_schedule_;
  WritePlan plan_;
};

void wake_cron_jobs(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  if (change.kind == VolcanoKind::CronJob && change.now != nullptr) items.emplace_back(change.key);
  if (change.kind != VolcanoKind::Job) return;
  const std::string_view owner = controller_uid(change.either(), "batch.volcano.sh", "CronJob");
  if (owner.empty()) return;
  for (const api::OwnerReferenceView reference : api::ObjectView(change.either()).metadata().owner_references()) {
    if (reference.uid() != owner) continue;
    std::string key(api::namespace_of(change.either()));
    key.append("/").append(reference.name());
    if (context.seen.find(VolcanoKind::CronJob, key) != nullptr) items.push_back(std::move(key));
  }
}

WritePlan plan_cron_jobs(const VolcanoContext& context, const std::string& item, Instant now) {
  const text::Object* cron_job = context.seen.find(VolcanoKind::CronJob, item);
  if (cron_job == nullptr || is_leaving(*cron_job)) return {};
  return CronPlan(context, *cron_job, now).make();
}

void refused_cron_jobs(const VolcanoContext& context, const std::string& item, const api::Call& call,
                       const api::ApiError& error, std::vector<EventNote>& notes) {
  const text::Object* cron_job = context.seen.find(VolcanoKind::CronJob, item);
  if (cron_job == nullptr || call.resource.plural != "jobs" || error.code == 409) return;
  const bool creating = call.verb == api::Verb::Create;
  notes.push_back(warning(VolcanoKind::CronJob, *cron_job, creating ? "FailedCreate" : "FailedDelete",
                          fmt::format("Error {} job: {}", creating ? "creating" : "deleting", error.message)));
}

}  // namespace

VolcanoController cron_job_controller() {
  return {.name = "cronjob-controller", .wake = wake_cron_jobs, .plan = plan_cron_jobs, .refused = refused_cron_jobs};
}

}  // namespace basalt::volcano

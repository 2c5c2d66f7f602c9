#include <fmt/format.h>
#include <filesystem>

#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/cron_schedule_rules.h"
#include "kube/api/rules/job_spec.h"
#include "kube/api/rules/pod_template.h"

namespace basalt::api::rules {
namespace {

constexpr size_t kMaxNameBytes = 52;  // its jobs add eleven characters

void complete_cron_job(text::Object& cron_job) {
  text::Object* spec = object_at(cron_job, "spec");
  text::Object* job = spec == nullptr ? nullptr : object_at(*spec, "jobTemplate");
  text::Object* job_spec = job == nullptr ? nullptr : object_at(*job, "spec");
  text::Object* pod_template = job_spec == nullptr ? nullptr : object_at(*job_spec, "template");
  text::Object* pod = pod_template == nullptr ? nullptr : object_at(*pod_template, "spec");
  if (pod != nullptr) complete_pod_spec(*pod, SpecOf::Template);
}

void prepare_create_cron_job(text::Object& cron_job) { cron_job["status"].emplace_object(); }

// Zones are those of the system's time zone database; without one, the form must do.
bool is_known_zone(std::string_view zone) {
  static const std::filesystem::path kZones = "/usr/share/zoneinfo";
  std::error_code error;
  if (!std::filesystem::is_directory(kZones, error)) return true;
  return std::filesystem::is_regular_file(kZones / zone, error);
}

void check_schedule(const text::Object& spec, const FieldPath& at, Causes& causes) {
  const std::string_view schedule = string_at(spec, "schedule");
  if (schedule.empty()) return causes.required(at.key("schedule").text());
  if (const std::string complaint = schedule_complaint(schedule); !complaint.empty()) {
    causes.invalid(at.key("schedule").text(), text_value(schedule), complaint);
  }
  if (has(spec, "timeZone")) {
    const std::string_view zone = string_at(spec, "timeZone");
    if (zone.empty()) {
      causes.invalid(at.key("timeZone").text(), text_value(""), "timeZone must be nil or non-empty string");
    } else if (!is_time_zone_form(zone) || !is_known_zone(zone)) {
      causes.invalid(at.key("timeZone").text(), text_value(zone), fmt::format("unknown time zone {}", zone));
    }
  }
}

void validate_cron_job(const text::Object& cron_job, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(cron_job, "spec");
  check_schedule(spec, at, causes);
  for (const std::string_view number :
       {"startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"}) {
    check_not_negative(spec, number, at, causes);
  }
  check_word(spec, "concurrencyPolicy", {"Allow", "Forbid", "Replace"}, Need::Required, at, causes);
  const FieldPath job("spec.jobTemplate.spec");
  const text::Object& job_spec = part_of(part_of(spec, "jobTemplate"), "spec");
  check_job_spec(job_spec, job, causes);
  if (has(job_spec, "selector")) {
    causes.invalid(job.key("selector").text(), shown_member(job_spec, "selector"), "`selector` will be auto-generated");
  }
  if (is_true(job_spec, "manualSelector")) {
    causes.not_supported(job.key("manualSelector").text(), true, {"nil", "false"});
  }
}

void refuse_zone_in_schedule(const text::Object& cron_job, Causes& causes) {
  const std::string_view schedule = string_at(part_of(cron_job, "spec"), "schedule");
  if (schedule.find("TZ") == std::string_view::npos) return;
  causes.invalid("spec.schedule", text_value(schedule),
                 "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
}

void validate_create_cron_job(const text::Object& cron_job, Causes& causes) {
  refuse_zone_in_schedule(cron_job, causes);
  const std::string_view name = string_at(part_of(cron_job, "metadata"), "name");
  if (name.size() > kMaxNameBytes) {
    causes.invalid("metadata.name", text_value(name), "must be no more than 52 characters");
  }
}

void validate_update_cron_job(const text::Object& next, const text::Object& old, Causes& causes) {
  const std::string_view before = string_at(part_of(old, "spec"), "schedule");
  if (before.find("TZ") == std::string_view::npos) refuse_zone_in_schedule(next, causes);
}

}  // namespace

KindRules cron_job_rules() {
  return {.counts_generation = true,
          .complete = complete_cron_job,
          .prepare_create = prepare_create_cron_job,
          .validate = validate_cron_job,
          .validate_update = validate_update_cron_job,
          .validate_create = validate_create_cron_job};
}

}  // namespace basalt::api::rules

// CronJobs: schedule, time zone and name.
#include <fmt/format.h>

#include <algorithm>

#include "kube/api/cron_schedule.h"
#include "kube/api/go_quote.h"
#include "kube/api/name_validation.h"
#include "kube/api/object_view.h"
#include "kube/api/rules/cron_schedule_rules.h"
#include "kube/api/views/volcano_cron_view.h"
#include "server/admission/job_admission.h"
#include "server/admission/refusal_message.h"
#include "server/admission/webhook_handlers.h"

namespace basalt::admission {
namespace {

constexpr size_t kMaxNameBytes = 52;  // of 63; a job made from it gets eleven more

std::string schedule_complaint(std::string_view schedule, std::string& remedy) {
  if (schedule.empty()) return " schedule is required, but got empty";
  if (schedule.find("TZ") != std::string_view::npos) {
    return " schedule should not contain TZ or CRON_TZ, TZ should only be set in the timeZone field";
  }
  const auto parsed = api::CronSchedule::parse(schedule);
  if (parsed) return "";
  remedy = fmt::format("spec.schedule {}: {}", api::go_quote(schedule), parsed.error().message);
  return "schedule is not a valid cron expression";
}

bool is_local(std::string_view zone) {
  return std::ranges::equal(zone, std::string_view("local"),
                            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

// A step "." leads nowhere else; Volcano finds the zone behind it.
std::string without_dots(std::string_view zone) {
  std::string name(zone);
  for (size_t at = name.find("/./"); at != std::string::npos; at = name.find("/./")) name.erase(at, 2);
  return name;
}

std::string zone_complaint(std::string_view zone, const ObjectLookup& lookup) {
  if (zone.empty()) return " timeZone must be nil or non-empty string, got empty string";
  std::string text;
  if (!api::rules::is_time_zone_form(zone)) text = " unknown timeZone";
  if (is_local(zone)) return text + " timeZone can't be Local, and must be defined in https://www.iana.org/time-zones";
  const std::string name = without_dots(zone);
  const bool known = lookup.time_zone ? lookup.time_zone(name) : api::rules::is_time_zone_form(name);
  return known ? text : text + " invalid timeZone";
}

std::string name_complaint(std::string_view name) {
  if (name.size() > kMaxNameBytes) {
    return fmt::format("cronJob name must be no more than {} characters to accommodate job name suffix (max 63 total)",
                       kMaxNameBytes);
  }
  const api::ValidationMessages complaints = api::qualified_name(name);
  if (complaints.empty()) return "";
  return fmt::format("invalid cronJob name {}: {}", api::go_quote(name), fmt::join(complaints, "; "));
}

}  // namespace

WebhookResult validate_cron_job(const AdmissionRequest& request) {
  if (request.object == nullptr) return {};
  const api::VolcanoCronJobSpecView spec = api::VolcanoCronJobView(*request.object).spec();
  const api::VolcanoJobSpecView before = api::VolcanoCronJobView(request.old).spec().job_template().spec();
  if (WebhookResult size = check_job_size(spec.job_template().spec(), before, "spec.jobTemplate.spec"); !size) {
    return size;
  }
  std::string remedy;
  std::string text = schedule_complaint(spec.schedule(), remedy);
  if (has(part_of(*request.object, "spec"), "timeZone")) {  // an empty one is refused
    const std::string_view zone = spec.time_zone();
    const std::string complaint = zone_complaint(zone, request.lookup);
    if (!complaint.empty()) {
      text += complaint;
      if (!remedy.empty()) remedy += "; ";
      remedy += fmt::format("spec.timeZone {}: write an IANA name like \"Europe/Berlin\" or \"Etc/UTC\"",
                            api::go_quote(zone));
    }
  }
  const std::string name = name_complaint(api::ObjectView(*request.object).metadata().name());
  if (text.empty() && name.empty()) return {};
  return deny(text.empty() || name.empty() ? text + name : text + "; " + name, remedy);
}

}  // namespace basalt::admission

#include <fmt/format.h>

#include <array>

#include "base/ascii.h"
#include "server/table/builtin_columns.h"
#include "server/table/cell_values.h"

namespace basalt::server {
namespace {

void add_containers(const text::Array& containers, text::Array& cells) {
  cells.emplace_back(each_text(containers, "name"));
  cells.emplace_back(each_text(containers, "image"));
}

const text::Array& template_containers(const text::Value& object) {
  return list_at(object, {"spec", "template", "spec", "containers"});
}

std::string ready_of_replicas(const text::Value& object) {
  return fmt::format("{}/{}", int_at(object, {"status", "readyReplicas"}), int_at(object, {"spec", "replicas"}));
}

std::string completions_text(const text::Value& job) {
  const int64_t succeeded = int_at(job, {"status", "succeeded"});
  if (at(job, {"spec", "completions"}) != nullptr) {
    return fmt::format("{}/{}", succeeded, int_at(job, {"spec", "completions"}));
  }
  const int64_t parallelism = int_at(job, {"spec", "parallelism"});
  return parallelism > 1 ? fmt::format("{}/1 of {}", succeeded, parallelism) : fmt::format("{}/1", succeeded);
}

std::string job_status(const text::Value& job) {
  if (condition_true(job, "Complete")) return "Complete";
  if (condition_true(job, "Failed")) return "Failed";
  if (is_terminating(job)) return "Terminating";
  for (const std::string_view type : std::array{"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (condition_true(job, type)) return std::string(type);
  }
  return "Running";
}

std::string job_duration(const text::Value& job, Instant now) {
  const Instant start = time_at(job, {"status", "startTime"});
  const Instant end = time_at(job, {"status", "completionTime"});
  if (!start.is_set()) return {};
  return age_text((end.is_set() ? end : now) - start);
}

std::string suspend_text(const text::Value& cron_job) {
  const text::Value* suspend = at(cron_job, {"spec", "suspend"});
  if (suspend == nullptr || !suspend->is_bool()) return "<unset>";
  return suspend->get_bool() ? "True" : "False";
}

}  // namespace

void fill_deployment(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(ready_of_replicas(object));
  cells.emplace_back(int_at(object, {"status", "updatedReplicas"}));
  cells.emplace_back(int_at(object, {"status", "availableReplicas"}));
  cells.emplace_back(age_of(object, now));
  add_containers(template_containers(object), cells);
  cells.emplace_back(selector_text(at(object, {"spec", "selector"})));
}

void fill_replica_set(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(int_at(object, {"spec", "replicas"}));
  cells.emplace_back(int_at(object, {"status", "replicas"}));
  cells.emplace_back(int_at(object, {"status", "readyReplicas"}));
  cells.emplace_back(age_of(object, now));
  add_containers(template_containers(object), cells);
  cells.emplace_back(or_none(selector_text(at(object, {"spec", "selector"}))));
}

// The elder of the ReplicaSet: its selector is a plain map.
void fill_replication_controller(const text::Value& object, Instant now, text::Array& cells) {
  fill_replica_set(object, now, cells);
  cells.back() = text::Value(or_none(labels_text(object_at(object, {"spec", "selector"}))));
}

void fill_pod_template(const text::Value& object, Instant /*now*/, text::Array& cells) {
  cells.emplace_back(name_of(object));
  add_containers(list_at(object, {"template", "spec", "containers"}), cells);
  cells.emplace_back(or_none(labels_text(object_at(object, {"template", "metadata", "labels"}))));
}

void fill_stateful_set(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(ready_of_replicas(object));
  cells.emplace_back(age_of(object, now));
  add_containers(template_containers(object), cells);
}

void fill_daemon_set(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  for (const std::string_view count : {"desiredNumberScheduled", "currentNumberScheduled", "numberReady",
                                       "updatedNumberScheduled", "numberAvailable"}) {
    cells.emplace_back(int_at(object, {"status", count}));
  }
  cells.emplace_back(or_none(labels_text(object_at(object, {"spec", "template", "spec", "nodeSelector"}))));
  cells.emplace_back(age_of(object, now));
  add_containers(template_containers(object), cells);
  cells.emplace_back(or_none(selector_text(at(object, {"spec", "selector"}))));
}

void fill_job(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(job_status(object));
  cells.emplace_back(completions_text(object));
  cells.emplace_back(job_duration(object, now));
  cells.emplace_back(age_of(object, now));
  add_containers(template_containers(object), cells);
  cells.emplace_back(or_none(selector_text(at(object, {"spec", "selector"}))));
}

void fill_cron_job(const text::Value& object, Instant now, text::Array& cells) {
  const Instant last = time_at(object, {"status", "lastScheduleTime"});
  cells.emplace_back(name_of(object));
  cells.emplace_back(text_at(object, {"spec", "schedule"}));
  cells.emplace_back(text_or(object, {"spec", "timeZone"}, "<none>"));
  cells.emplace_back(suspend_text(object));
  cells.emplace_back(static_cast<int64_t>(list_at(object, {"status", "active"}).size()));
  cells.emplace_back(last.is_set() ? age_since(last, now) : "<none>");
  cells.emplace_back(age_of(object, now));
  add_containers(list_at(object, {"spec", "jobTemplate", "spec", "template", "spec", "containers"}), cells);
  cells.emplace_back(or_none(selector_text(at(object, {"spec", "jobTemplate", "spec", "selector"}))));
}

void fill_controller_revision(const text::Value& object, Instant now, text::Array& cells) {
  std::string controller = "<none>";
  for (const text::Value& owner : list_at(object, {"metadata", "ownerReferences"})) {
    if (!bool_at(owner, {"controller"})) continue;
    std::string kind = lower(text_at(owner, {"kind"}));
    const std::string_view version = text_at(owner, {"apiVersion"});
    if (const size_t slash = version.find('/'); slash != std::string_view::npos) {
      kind += fmt::format(".{}", version.substr(0, slash));
    }
    controller = fmt::format("{}/{}", kind, text_at(owner, {"name"}));
    break;
  }
  cells.emplace_back(name_of(object));
  cells.emplace_back(controller);
  cells.emplace_back(int_at(object, {"revision"}));
  cells.emplace_back(age_of(object, now));
}

}  // namespace basalt::server

// job list, and vjobs without a name.
//
// Volcano's columns; behind them, when a job waits and --volcano-output is not given, a column that says why.
#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/volcano_keys.h"
#include "programs/cli/vcctl/commands.h"
#include "programs/cli/vcctl/show_objects.h"

namespace basalt::cli::vcctl {
namespace {

constexpr Width fixed(size_t columns) { return {.rule = WidthRule::Fixed, .blanks = columns}; }
constexpr Width kNames{.rule = WidthRule::Longest, .blanks = 3};

std::string date_of(const text::Object& job) {
  const std::string_view time = api::VolcanoJobView(job).metadata().creation_timestamp();
  return std::string(time.substr(0, time.find('T')));
}

std::string type_of(const text::Object& job) {
  const std::string_view type = api::VolcanoJobView(job).metadata().labels()[api::keys::kJobType];
  return type.empty() ? "Batch" : std::string(type);
}

// Unsigned, so that made-up numbers wrap and do not overflow.
std::string replicas_of(const text::Object& job) {
  uint64_t replicas = 0;
  for (const api::TaskSpecView task : api::VolcanoJobView(job).spec().tasks()) {
    replicas += static_cast<uint64_t>(task.replicas().value_or(0));
  }
  return std::to_string(static_cast<int64_t>(replicas));
}

TableColumn made_column(std::string_view header, Width width, std::string (*text)(const text::Object&)) {
  return {.header = header, .width = width, .cell = [text](const text::Object& job, Instant) {
            return Cell{.text = text(job)};
          }};
}

// Why a job that has not ended waits or stands where it does.
std::string reason_of(const text::Object& job) {
  const api::VolcanoJobStatusView status = api::VolcanoJobView(job).status();
  const std::string_view phase = status.state().phase();
  if (phase == "Completed" || (phase == "Running" && status.pending().value_or(0) == 0)) return "";
  return std::string(status.state().message());
}

// The last column. A watch has it from the start: a reason may come later.
TableColumn reason_column(bool always) {
  TableColumn column = made_column("Reason", kNames, &reason_of);
  column.hide_when_empty = !always;
  return column;
}

std::vector<TableColumn> columns_of_jobs(bool all_namespaces) {
  std::vector<TableColumn> columns;
  if (all_namespaces) columns.push_back(namespace_column(kNames));
  columns.push_back(name_column(kNames));
  columns.push_back(made_column("Creation", fixed(15), &date_of));
  columns.push_back(phase_column("Phase", fixed(12), {"status", "state", "phase"}));
  columns.push_back(made_column("JobType", fixed(12), &type_of));
  columns.push_back(made_column("Replicas", fixed(12), &replicas_of));
  columns.push_back(number_column("Min", fixed(6), {"status", "minAvailable"}));
  columns.push_back(number_column("Pending", fixed(10), {"status", "pending"}));
  columns.push_back(number_column("Running", fixed(10), {"status", "running"}));
  columns.push_back(number_column("Succeeded", fixed(12), {"status", "succeeded"}));
  columns.push_back(number_column("Failed", fixed(10), {"status", "failed"}));
  columns.push_back(number_column("Unknown", fixed(12), {"status", "unknown"}));
  columns.push_back(number_column("RetryCount", fixed(10), {"status", "retryCount"}));
  return columns;
}

}  // namespace

Result<void> list_jobs(CommandSession& session) {
  const FlagValues& flags = session.flags;
  const std::string queue = flags.has("queue") ? flags.text("queue") : "";
  const std::string& scheduler = flags.text("scheduler");
  const std::string& part = flags.text("selector");
  const auto filter = [&](const text::Object& job) {
    return (queue.empty() || api::VolcanoJobView(job).spec().queue() == queue) &&
           (scheduler.empty() || api::VolcanoJobView(job).spec().scheduler_name() == scheduler) &&
           api::name_of(job).find(part) != std::string_view::npos;
  };
  std::vector<TableColumn> columns = columns_of_jobs(flags.on("all-namespaces"));
  if (flags.text("output") == "wide") {
    columns.push_back(text_column("Queue", kNames, {"spec", "queue"}));
    columns.push_back(text_column("Scheduler", kNames, {"spec", "schedulerName"}));
    columns.push_back(age_column(kNames));
  }
  if (!session.volcano_output()) columns.push_back(reason_column(flags.on("watch")));
  return show_list(session, {.kind = kJob,
                             .columns = std::move(columns),
                             .wide = {},
                             .scope = {.namespace_name = session.namespace_flag()},
                             .filter = filter});
}

}  // namespace basalt::cli::vcctl

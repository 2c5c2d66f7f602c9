// Series of jobs and queues as text.
#include <fmt/format.h>

#include "control/scheduler/object_series.h"
#include "kube/text/prometheus.h"

namespace basalt::scheduler {
namespace {

using text::append_family;
using text::append_label;
using text::append_series;
using text::one_label;

double millis(Duration time) { return static_cast<double>(time.nanos) / 1e6; }
double unix_seconds(Instant at) { return static_cast<double>(at.nanos / 1'000'000'000); }

struct AmountName {
  std::string_view name, words;
};
constexpr std::array<AmountName, 6> kAmountNames = {{{"allocated", "Held by tasks of the queue"},
                                                     {"request", "Asked for by tasks of the queue"},
                                                     {"inqueue", "Promised to admitted jobs that do not run yet"},
                                                     {"deserved", "What the queue deserves"},
                                                     {"capacity", "The queue's own limit"},
                                                     {"real_capacity", "What the queue may have at most"}}};

}  // namespace

void ObjectSeries::append(std::string& out) const {
  append_jobs(out);
  append_queues(out);
  append_amounts(out);
}

void ObjectSeries::append_jobs(std::string& out) const {
  const auto family = [&](std::string_view name, std::string_view help, auto&& value) {
    append_family(out, name, "gauge", help);
    for (const auto& [id, row] : jobs_) {
      const std::optional<double> figure = value(row);
      if (!figure) continue;
      std::string labels;
      append_label(labels, "job_name", row.name);
      append_label(labels, "job_namespace", row.ns);
      append_label(labels, "queue", row.queue);
      append_series(out, name, labels, *figure);
    }
  };
  using Figure = std::optional<double>;
  family("volcano_e2e_job_scheduling_duration", "From a job's creation to its last given node, in milliseconds.",
         [](const JobRow& row) { return row.last.is_set() ? Figure(millis(row.last - row.created)) : Figure(); });
  family("volcano_e2e_job_scheduling_start_time", "When the job was created, since the Unix epoch.",
         [](const JobRow& row) { return Figure(unix_seconds(row.created)); });
  family("volcano_e2e_job_scheduling_last_time", "When a task of the job was last given a node.",
         [](const JobRow& row) { return row.last.is_set() ? Figure(unix_seconds(row.last)) : Figure(); });

  append_family(out, "volcano_job_share", "gauge", "Dominant share of a job in the cluster.");
  for (const auto& [id, row] : jobs_) {
    if (!shares_) break;
    std::string labels;
    append_label(labels, "job_id", row.name);
    append_label(labels, "job_ns", row.ns);
    append_series(out, "volcano_job_share", labels, row.share);
  }
  // These two know a job by its name only: jobs of the same name in several namespaces are one series.
  std::map<std::string_view, std::pair<double, double>> by_name;
  for (const auto& [id, row] : jobs_) {
    auto& [missing, retries] = by_name[row.name];
    missing += row.missing;
    retries += static_cast<double>(row.retries);
  }
  append_family(out, "volcano_unschedule_task_count", "gauge", "Tasks that a job lacks to its minimum.");
  for (const auto& [name, sums] : by_name) {
    if (gangs_) append_series(out, "volcano_unschedule_task_count", one_label("job_id", name), sums.first);
  }
  append_family(out, "volcano_job_retry_counts", "counter", "Cycles that found a job short of its minimum.");
  for (const auto& [name, sums] : by_name) {
    if (sums.second > 0) append_series(out, "volcano_job_retry_counts", one_label("job_id", name), sums.second);
  }
  append_family(out, "volcano_unschedule_job_count", "gauge", "Jobs that are short of their minimum.");
  append_series(out, "volcano_unschedule_job_count", "", gangs_ ? static_cast<double>(unscheduled_jobs_) : 0);
}

void ObjectSeries::append_queues(std::string& out) const {
  const auto family = [&](std::string_view name, std::string_view help, auto&& value) {
    append_family(out, name, "gauge", help);
    for (const auto& [queue, row] : queues_) {
      const std::optional<double> figure = value(row);
      if (figure) append_series(out, name, one_label("queue_name", queue), *figure);
    }
  };
  using Figure = std::optional<double>;
  family("volcano_queue_share", "Largest part that the queue holds of what it deserves.",
         [](const QueueRow& row) { return row.share; });
  family("volcano_queue_weight", "The queue's weight.", [](const QueueRow& row) { return Figure(row.weight); });
  family("volcano_queue_overused", "Whether the queue holds all that it deserves.",
         [](const QueueRow& row) { return row.overused ? Figure(*row.overused ? 1 : 0) : Figure(); });
  constexpr std::array<std::string_view, kPhases> kPhaseNames = {"pending", "inqueue", "running", "unknown",
                                                                 "completed"};
  for (size_t phase = 0; phase < kPhases; ++phase) {
    family(fmt::format("volcano_queue_pod_group_{}_count", kPhaseNames[phase]),
           fmt::format("Pod groups of the queue that are {}.", kPhaseNames[phase]),
           [&](const QueueRow& row) { return Figure(static_cast<double>(row.pod_groups[phase])); });
  }
}

void ObjectSeries::append_amounts(std::string& out) const {
  for (size_t i = 0; i < kAmounts; ++i) {
    const auto [kind, words] = kAmountNames[i];
    const std::string cpu = fmt::format("volcano_queue_{}_milli_cpu", kind);
    append_family(out, cpu, "gauge", fmt::format("{}: CPU in thousandths.", words));
    for (const auto& [queue, row] : queues_) {
      if (row.amounts[i]) append_series(out, cpu, one_label("queue_name", queue), row.amounts[i]->cpu_milli);
    }
    const std::string memory = fmt::format("volcano_queue_{}_memory_bytes", kind);
    append_family(out, memory, "gauge", fmt::format("{}: memory.", words));
    for (const auto& [queue, row] : queues_) {
      if (row.amounts[i]) append_series(out, memory, one_label("queue_name", queue), row.amounts[i]->memory);
    }
    const std::string scalar = fmt::format("volcano_queue_{}_scalar_resources", kind);
    append_family(out, scalar, "gauge", fmt::format("{}: other resources, pods whole, others in thousandths.", words));
    for (const auto& [queue, row] : queues_) {
      if (!row.amounts[i]) continue;
      for (const auto& [resource, amount] : row.amounts[i]->scalars) {
        std::string labels = one_label("queue_name", queue);
        append_label(labels, "resource", resource);
        append_series(out, scalar, labels, amount);
      }
    }
  }
}

}  // namespace basalt::scheduler

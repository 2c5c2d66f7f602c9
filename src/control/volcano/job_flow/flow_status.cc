#include "control/volcano/job_flow/flow_status.h"

#include <algorithm>
#include <array>

#include "kube/api/job_phase.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_flow_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/text/rfc3339.h"

namespace basalt::volcano {
namespace {

constexpr size_t kMaxHistory = 100;  // lines per job; the oldest go

struct ListOfPhase {
  std::string_view phase, list;
};
constexpr std::array kLists = {
    ListOfPhase{"Pending", "pendingJobs"},       ListOfPhase{"Running", "runningJobs"},
    ListOfPhase{"Failed", "failedJobs"},         ListOfPhase{"Completed", "completedJobs"},
    ListOfPhase{"Terminated", "terminatedJobs"}, ListOfPhase{"Restarting", "unKnowJobs"},
    ListOfPhase{"Aborting", "unKnowJobs"},       ListOfPhase{"Aborted", "unKnowJobs"},
};

api::FlowJobStatusView old_line(const text::Object& flow, std::string_view job) {
  for (const api::FlowJobStatusView line : api::JobFlowView(flow).status().job_status_list()) {
    if (line.name() == job) return line;
  }
  return {};
}

text::Array history(api::FlowJobStatusView old, std::string_view phase, Instant now) {
  text::Array lines;
  if (const text::Array* known = old.running_histories().json()) lines = *known;
  if (old && old.state() == phase) return lines;
  const std::string stamp = text::format_time(now);
  if (!lines.empty() && lines.back().is_object()) lines.back().get_object()["endTimestamp"] = stamp;
  lines.emplace_back(text::Object{{"startTimestamp", stamp}, {"state", phase}});
  if (lines.size() > kMaxHistory) lines.erase(lines.begin());
  return lines;
}

text::Object job_line(const FlowView& flow, const FlowStep& step, Instant now) {
  const api::VolcanoJobView job(*step.job);
  const api::FlowJobStatusView old = old_line(*flow.flow, step.job_name);
  text::Object line{
      {"name", step.job_name}, {"state", step.phase}, {"startTimestamp", job.metadata().creation_timestamp()}};
  if (api::is_stopped_job(step.phase)) {
    line["endTimestamp"] = job.status().state().last_transition_time();
  }
  line["restartCount"] = job.status().retry_count().value_or(0);
  line["runningHistories"] = history(old, step.phase, now);
  return line;
}

text::Object job_condition(const FlowStep& step) {
  const api::VolcanoJobView job(*step.job);
  text::Object condition{{"phase", step.phase}, {"createTime", job.metadata().creation_timestamp()}};
  if (const text::Object* status = job.status().json()) {
    for (const std::string_view key : {"runningDuration", "taskStatusCount"}) api::copy_member(condition, *status, key);
  }
  return condition;
}

}  // namespace

std::string_view flow_phase(const FlowView& flow) {
  if (api::JobFlowView(*flow.flow).status().state().phase() == "Succeed") return "Succeed";
  const size_t completed = flow.count("Completed");
  if (completed == flow.steps.size()) return "Succeed";
  if (flow.count("Failed") + flow.count("Terminated") > 0) return "Failed";
  return completed + flow.count("Running") > 0 ? "Running" : "Pending";
}

text::Object flow_status(const FlowView& flow, Instant now) {
  text::Object status;
  text::Array lines;
  text::Object conditions;
  for (const FlowStep& step : flow.steps) {
    if (step.job == nullptr) continue;
    const auto row = std::ranges::find(kLists, step.phase, &ListOfPhase::phase);
    if (row != kLists.end()) api::array_in(status, row->list).emplace_back(step.job_name);
    lines.emplace_back(job_line(flow, step, now));
    conditions[step.job_name] = job_condition(step);
  }
  if (!lines.empty()) status["jobStatusList"] = std::move(lines);
  if (!conditions.empty()) status["conditions"] = std::move(conditions);
  status["state"] = text::Object{{"phase", flow_phase(flow)}};
  return status;
}

}  // namespace basalt::volcano

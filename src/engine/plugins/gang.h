// gang: all or nothing. A job starts only when its minimum can start together.
//
// A job has three minimums (arithmetic in engine/model/readiness.h): its minMember, the minimum of each role
// (minTaskMember) and the number of complete sub-groups (subGroupPolicy). No arguments.
//
//   job_valid          enough pods exist for every minimum
//   job_ready          every minimum is placed                     sub_job_ready      the sub-job's own minimum is
//   job_pipelined      … or will be, when releasing pods are gone  sub_job_pipelined  likewise
//   job_starving       minMember is neither placed nor about to be
//   job_order          jobs that are not ready first               sub_job_order      likewise
//   preemptable,       a job gives pods only above its minMember: the counter starts at its ready pods and falls
//   reclaimable        with each victim of the call
//   close              the gang condition of each job that has pods
//
// Cost: every hook O(roles + sub-jobs) of the job at most; close O(jobs), plus the pods of jobs tried in this cycle.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/plugin.h"

namespace basalt::plugins {

class Gang {
 public:
  static constexpr std::string_view kName = "gang";
  static Result<Gang> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);
  void close(engine::Session& session);

  [[nodiscard]] std::optional<engine::Invalid> job_valid(model::JobId id) const;
  [[nodiscard]] bool job_ready(model::JobId id) const;
  [[nodiscard]] bool sub_job_ready(model::JobId id, uint32_t sub) const;
  [[nodiscard]] engine::Vote job_pipelined(model::JobId id) const;
  [[nodiscard]] engine::Vote sub_job_pipelined(model::JobId id, uint32_t sub) const;
  [[nodiscard]] bool job_starving(model::JobId id) const;
  [[nodiscard]] engine::Order job_order(model::JobId a, model::JobId b) const;
  [[nodiscard]] engine::Order sub_job_order(model::JobId id, uint32_t a, uint32_t b) const;
  engine::Vote victims(model::TaskId preemptor, std::span<const model::TaskId> candidates,
                       std::vector<model::TaskId>& chosen);

 private:
  const engine::Session* session_ = nullptr;
  std::vector<std::pair<model::JobId, int32_t>> left_;  // of one victims() call: pods that each job still holds
};

}  // namespace basalt::plugins

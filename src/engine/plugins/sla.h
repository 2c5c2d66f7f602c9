// sla: no job waits longer than promised.
//
// Arguments:
//   sla-waiting-time   how long any job may wait, e.g. "1h30m"; above 0 (none: only jobs that carry their own limit,
//                      annotation sla-waiting-time, which wins over this one)
//
//   job_order                        jobs with a limit first, the earliest deadline (creation + limit) before others
//   job_enqueueable, job_pipelined   permit once the deadline has passed, else no opinion
//
// A permit counts when its tier ends and a reject at once, so sla must sit in a tier above the plugins it shall
// overrule: above overcommit and proportion to be let in, above gang to keep a partial placement reserved.
//
// Answers change with time only until a deadline passes. Cost: O(1) a call, O(jobs) in open.
#pragma once

#include <optional>
#include <string_view>

#include "base/instant.h"
#include "engine/core/plugin.h"

namespace basalt::plugins {

class Sla {
 public:
  static constexpr std::string_view kName = "sla";
  static Result<Sla> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

  [[nodiscard]] engine::Order job_order(model::JobId a, model::JobId b) const;
  [[nodiscard]] engine::Vote overdue(model::JobId id) const;
  void job_inputs(model::JobId id, Fingerprint& inputs) const;

 private:
  [[nodiscard]] std::optional<Duration> limit(model::JobId id) const;
  // When the job's patience ends; nothing without a limit.
  [[nodiscard]] std::optional<Instant> deadline(model::JobId id) const;

  const engine::Session* session_ = nullptr;
  std::optional<Duration> default_limit_;
};

}  // namespace basalt::plugins

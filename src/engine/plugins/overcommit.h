// Lets jobs into the queue only while the cluster, somewhat overcommitted, could hold their minimums.
//
// Arguments: overcommit-factor (1.2; below 1: 1.2).
//
// Hooks: job_enqueueable, job_enqueued.
// A job enters if minResources + what is promised already ≤ total · factor − used, on the dimensions that minResources
// names. Promised is what jobs that are Inqueue, or Running with their gang complete, lack of their minResources, less
// what waits behind foreign gates. A job without minResources always enters.
// Cost: open O(jobs); a question O(dimensions).
#pragma once

#include <string_view>

#include "engine/core/session.h"
#include "engine/model/queue_usage.h"

namespace basalt::plugins {

class Overcommit {
 public:
  static constexpr std::string_view kName = "overcommit";
  static Result<Overcommit> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

 private:
  engine::Vote job_enqueueable(model::JobId job);
  void job_enqueued(model::JobId job);

  double factor_ = 1.2;
  engine::Session* session_ = nullptr;
  model::RealVec idle_;
  model::QueueUsage promised_;  // only `inqueue` is used
};

}  // namespace basalt::plugins

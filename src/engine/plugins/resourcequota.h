// Lets jobs into the queue only while the ResourceQuotas of their namespace leave room for their minimums.
//
// Arguments: none.
//
// Hooks: job_enqueueable, job_enqueued.
// For every quota of the namespace and every resource that both its hard limit and minResources name:
//   used + minResources of jobs admitted in this cycle + this job's minResources ≤ hard.
// Names are compared as they are written. Scopes are not looked at. A job without minResources always enters.
// Cost: a question O(quotas of the namespace · dimensions).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/core/session.h"
#include "engine/model/resource_vec.h"

namespace basalt::plugins {

class ResourceQuotaPlugin {
 public:
  static constexpr std::string_view kName = "resourcequota";
  static Result<ResourceQuotaPlugin> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

 private:
  engine::Vote job_enqueueable(model::JobId job);
  void job_enqueued(model::JobId job);

  engine::Session* session_ = nullptr;
  std::map<std::string, model::ResourceVec, std::less<>> admitted_;  // by namespace
};

}  // namespace basalt::plugins

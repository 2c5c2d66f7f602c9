#include "engine/plugins/resourcequota.h"

#include <algorithm>
#include <vector>

#include "engine/model/resource_units.h"

namespace basalt::plugins {

using engine::HookTable;
using engine::Vote;
using model::Amount;
using model::JobId;
using model::ResourceId;

namespace {

// An amount in the words of a manifest: 1500m, 2, 1073741824.
std::string in_words(std::string_view resource, Amount amount) {
  if (model::is_whole(resource)) return std::to_string(amount);
  const Amount units = amount / model::kMilliPerUnit;
  return amount % model::kMilliPerUnit == 0 ? std::to_string(units) : std::to_string(amount) + "m";
}

std::string in_words(const model::Quota& quota, const std::vector<ResourceId>& dims,
                     const model::ResourceSchema& schema) {
  std::string text = "map[";
  for (const ResourceId id : dims) {
    if (text.back() != '[') text += ' ';
    text += schema.name(id);
    text += ':';
    text += in_words(schema.name(id), quota[id]);
  }
  return text + "]";
}

}  // namespace

Result<ResourceQuotaPlugin> ResourceQuotaPlugin::make(const engine::Arguments& /*arguments*/) {
  return ResourceQuotaPlugin();
}

void ResourceQuotaPlugin::open(engine::Session& session, engine::HookBinder& binder) {
  session_ = &session;
  binder.bind<&ResourceQuotaPlugin::job_enqueueable>(&HookTable::job_enqueueable, *this);
  binder.bind<&ResourceQuotaPlugin::job_enqueued>(&HookTable::job_enqueued, *this);
}

Vote ResourceQuotaPlugin::job_enqueueable(JobId id) {
  const model::Job& job = session_->state.job(id);
  if (!job.min_resources) return Vote::Permit;
  const model::Quota& minimum = *job.min_resources;
  const auto admitted = admitted_.find(job.ns);
  const std::string prefix = job.ns + "/";
  const auto& quotas = session_->state.limits.quotas;
  for (auto at = quotas.lower_bound(prefix); at != quotas.end() && at->first.starts_with(prefix); ++at) {
    const model::ResourceQuota& quota = at->second;
    std::vector<ResourceId> exceeded;
    for (size_t i = 0; i < minimum.amount.size(); ++i) {
      const ResourceId dim(i);
      if (!minimum.has(dim) || !quota.hard.has(dim)) continue;
      const Amount before = quota.used[dim] + (admitted == admitted_.end() ? 0 : admitted->second[dim]);
      if (before + minimum[dim] > quota.hard[dim]) exceeded.push_back(dim);
    }
    if (exceeded.empty()) continue;
    const model::ResourceSchema& schema = session_->state.schema;
    std::sort(exceeded.begin(), exceeded.end(),
              [&](ResourceId a, ResourceId b) { return schema.name(a) < schema.name(b); });
    session_->refuse_enqueue(id, kName,
                             "resource quota insufficient, requested: " + in_words(minimum, exceeded, schema) +
                                 ", used: " + in_words(quota.used, exceeded, schema) +
                                 ", limited: " + in_words(quota.hard, exceeded, schema));
    return Vote::Reject;
  }
  return Vote::Permit;
}

void ResourceQuotaPlugin::job_enqueued(JobId id) {
  const model::Job& job = session_->state.job(id);
  if (job.min_resources) admitted_[job.ns].add(job.min_resources->amount);
}

}  // namespace basalt::plugins

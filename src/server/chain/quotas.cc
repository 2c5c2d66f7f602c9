#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "kube/api/quota_usage.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/views/quota_view.h"
#include "server/chain/admission_step.h"

namespace basalt::server::chain {
namespace {

using api::QuotaKind;
using api::resource_list_in;
using api::resource_list_text;
using api::ResourceList;

// Events are cheap and short-lived; nobody is refused one. The others are answers, not objects.
bool is_never_counted(const api::ApiResource& resource) {
  return resource.kind == "Event" || resource.group == "authentication.k8s.io" ||
         resource.group == "authorization.k8s.io";
}

// The limits of a quota that this request concerns: those whose resources the object could use.
ResourceList limits_of(const text::Object& quota, const QuotaKind& kind, const AdmissionChainOptions& options) {
  const text::Object* hard = api::ResourceQuotaView(quota).status().hard().json();
  if (options.quota_by_spec) hard = api::ResourceQuotaView(quota).spec().hard().json();
  ResourceList limits = resource_list_in(hard);
  std::erase_if(limits, [&](const auto& limit) { return !api::concerns(limit.first, kind); });
  return limits;
}

// A quota of cpu or memory demands that every container says how much it wants.
std::string missing_amounts(api::PodSpecView spec, const ResourceList& limits) {
  if (spec.resources()) return "";
  std::map<std::string, std::set<std::string>> missing;
  for (const auto& containers : {spec.containers(), spec.init_containers()}) {
    for (const api::ContainerView container : containers) {
      const ResourceList usage = api::container_usage(container);
      for (const auto& [name, limit] : limits) {
        const bool compute = name.ends_with("cpu") || name.ends_with("memory");
        if (compute && !usage.contains(name)) missing[name].emplace(container.name());
      }
    }
  }
  std::vector<std::string> parts;
  for (const auto& [name, containers] : missing) {
    parts.push_back(fmt::format("{} for: {}", name, fmt::join(containers, ",")));
  }
  return parts.empty() ? "" : fmt::format("must specify {}", fmt::join(parts, "; "));
}

// What all objects of the namespace that the quota covers use of the limited resources.
ResourceList used(const AdmissionAttributes& request, const QuotaKind& kind, const text::Object& quota) {
  if (request.admission_context.used) return request.admission_context.used(kind, request.ns(), quota);
  ResourceList total;
  for (const ObjectPtr& one :
       request.admission_context.list(request.resource.storage_name(), fmt::format("{}/", request.ns()))) {
    if (one == nullptr || !one->is_object() || !api::in_scope(quota, kind, one->get_object())) continue;
    api::add(total, api::usage_of(kind, one->get_object(), request.admission_context.now));
  }
  return total;
}

StepResult check_quota(const AdmissionAttributes& request, const QuotaKind& kind, const text::Object& quota) {
  if (!api::in_scope(quota, kind, *request.next)) return {};
  const ResourceList limits = limits_of(quota, kind, *request.admission_context.options);
  if (limits.empty()) return {};
  const std::string_view name = api::ResourceQuotaView(quota).metadata().name();
  if (request.resource.group.empty() && request.resource.kind == "Pod") {
    if (const std::string missing = missing_amounts(api::PodView(*request.next).spec(), limits); !missing.empty()) {
      return request.forbid(fmt::format("failed quota: {}: {}", name, missing));
    }
  }
  const ResourceList wanted = api::usage_of(kind, *request.next, request.admission_context.now);
  const bool wants_any = std::ranges::any_of(
      limits, [&](const auto& limit) { return wanted.contains(limit.first) && !wanted.at(limit.first).is_zero(); });
  if (!wants_any) return {};
  const ResourceList before = used(request, kind, quota);
  ResourceList over_wanted;
  ResourceList over_used;
  ResourceList over_limit;
  for (const auto& [resource, limit] : limits) {
    const auto want = wanted.find(resource);
    if (want == wanted.end()) continue;
    const auto have = before.find(resource);
    const text::Quantity taken = have == before.end() ? text::Quantity() : have->second;
    if (taken + want->second <= limit) continue;
    over_wanted.emplace(resource, want->second);
    over_used.emplace(resource, taken);
    over_limit.emplace(resource, limit);
  }
  if (over_wanted.empty()) return {};
  return request.forbid(fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", name,
                                    resource_list_text(over_wanted), resource_list_text(over_used),
                                    resource_list_text(over_limit)));
}

}  // namespace

StepResult check_quotas(const AdmissionAttributes& request) {
  if (!request.resource.namespaced || is_never_counted(request.resource)) return {};
  const std::string stored_as = request.resource.storage_name();
  const QuotaKind kind{.group = request.resource.group,
                       .kind = request.resource.kind,
                       .plural = request.resource.plural,
                       .storage_name = stored_as};
  for (const ObjectPtr& quota : request.admission_context.list("resourcequotas", fmt::format("{}/", request.ns()))) {
    if (quota == nullptr || !quota->is_object()) continue;
    if (StepResult verdict = check_quota(request, kind, quota->get_object()); !verdict) return verdict;
  }
  return {};
}

}  // namespace basalt::server::chain

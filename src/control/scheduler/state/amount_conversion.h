// Kubernetes resource lists as model amounts.
//
// What counts: cpu, memory, pods, ephemeral-storage, hugepages-…, attachable-volumes-…, names under kubernetes.io/ and
// extended names (domain/name). Everything else (storage, count/…, requests.…) is left out, as Volcano does.
// An amount beyond kMaxAmount (8Pi of memory or storage; 9,007,199,254,740 CPUs or devices) is cut: shares are doubles
// and could not tell larger ones apart, and sums must not overflow. Up to there amounts are exact. A node has at most
// kMaxNodeAmount, so a request that was cut fits nowhere; whoever knows the node's object says so (cut_amount). A
// negative amount is an error; so is a name beyond the schema's kMaxResources.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/model/resource_vec.h"
#include "kube/api/typed_decode.h"

namespace basalt::state {

inline constexpr model::Amount kMaxAmount = model::Amount{1} << 53U;
inline constexpr model::Amount kMaxNodeAmount = kMaxAmount - 1;

[[nodiscard]] bool counts_as_resource(std::string_view name);

// The amount in the model's unit for `name` (resource_units.h).
[[nodiscard]] model::Amount amount_of(std::string_view name, const text::Quantity& quantity);
// "ephemeral-storage: 1Ei counts as 8Pi": the first amount of `list` that is cut; "" if none is.
[[nodiscard]] std::string cut_amount(const api::ResourceList& list);

// Only what is more than nothing, sorted by dimension. The error names the resource.
[[nodiscard]] Result<model::Demand> to_demand(const api::ResourceList& list, model::ResourceSchema& schema);
[[nodiscard]] Result<model::ResourceVec> to_vec(const api::ResourceList& list, model::ResourceSchema& schema);
// Every counted name is `given`, also with amount 0.
[[nodiscard]] Result<model::Quota> to_quota(const api::ResourceList& list, model::ResourceSchema& schema);

// A ResourceQuota counts under other names: requests.cpu is cpu, count/pods is pods. Where two names meet, the one with
// less room left stands. limits.… and object counts are left out: pods bring no such amounts to a cycle.
struct QuotaUse {
  model::Quota hard, used;
};
[[nodiscard]] Result<QuotaUse> to_quota_use(const api::ResourceList& hard, const api::ResourceList& used,
                                            model::ResourceSchema& schema);

}  // namespace basalt::state

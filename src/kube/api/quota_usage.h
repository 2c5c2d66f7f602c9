// What an object uses of a resource quota: the arithmetic that admission (is it accepted?) and the quota controller
// (status.used) share.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "kube/api/resource_list.h"
#include "kube/api/views/pod_view.h"

namespace basalt::api {

inline constexpr int64_t kMaxGraceSeconds = 100LL * 365 * 86'400;  // beyond: as good as never

// The words by which quotas know a kind. Views of the caller's.
struct QuotaKind {
  std::string_view group, kind, plural, storage_name;
};

// Could objects of this kind use the quota's resource `name` ("pods", "requests.cpu", "count/jobs.batch")?
[[nodiscard]] bool concerns(std::string_view name, const QuotaKind& of);

// What scopes ask of a pod.
struct PodScopes {
  bool terminating = false, best_effort = false, reaches_other_namespaces = false;
  std::string priority_class;
  friend auto operator<=>(const PodScopes&, const PodScopes&) = default;
};
[[nodiscard]] PodScopes scopes_of(PodView pod);

// The quota has scopes or a scope selector: it is about some pods only, and about nothing else.
[[nodiscard]] bool has_scopes(const text::Object& quota);
// The quota's scopes and scope selector choose the pod / the object.
[[nodiscard]] bool in_scope(const text::Object& quota, const PodScopes& pod);
[[nodiscard]] bool in_scope(const text::Object& quota, const QuotaKind& of, const text::Object& object);

// A pod that is over (succeeded, failed, past its deletion) uses nothing but its place among the objects.
[[nodiscard]] bool is_over(PodView pod, Instant now);
// When a pod that is being deleted counts as over, at the latest.
[[nodiscard]] std::optional<Instant> end_of_grace(PodView pod);

// By the names that quotas use.
[[nodiscard]] ResourceList usage_of(const QuotaKind& of, const text::Object& object, Instant now);
// Of a pod that is not over, without count/pods.
[[nodiscard]] ResourceList usage_of_pod(PodSpecView spec);

// Of one container: "cpu", "requests.cpu", "limits.cpu", …
[[nodiscard]] ResourceList container_usage(ContainerView container);

}  // namespace basalt::api

#include "kube/api/kinds_without_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace basalt::api {
namespace {

struct UnrunKind {
  std::string_view group, kind, verb, effect, instead;
};
constexpr std::string_view kRuns = "runs a", kNoPods = "no pods are made for it";
constexpr std::string_view kPods = "use a Job of batch.volcano.sh/v1alpha1, or pods";
constexpr std::array<UnrunKind, 9> kUnrun = {{
    {.group = "", .kind = "ReplicationController", .verb = kRuns, .effect = kNoPods, .instead = kPods},
    {.group = "apps", .kind = "DaemonSet", .verb = kRuns, .effect = kNoPods, .instead = kPods},
    {.group = "apps", .kind = "Deployment", .verb = kRuns, .effect = kNoPods, .instead = kPods},
    {.group = "apps", .kind = "ReplicaSet", .verb = kRuns, .effect = kNoPods, .instead = kPods},
    {.group = "apps", .kind = "StatefulSet", .verb = kRuns, .effect = kNoPods, .instead = kPods},
    {.group = "batch",
     .kind = "CronJob",
     .verb = kRuns,
     .effect = kNoPods,
     .instead = "use a CronJob of batch.volcano.sh/v1alpha1"},
    {.group = "batch",
     .kind = "Job",
     .verb = kRuns,
     .effect = kNoPods,
     .instead = "use a Job of batch.volcano.sh/v1alpha1"},
    {.group = "networking.k8s.io",
     .kind = "Ingress",
     .verb = "acts on an",
     .effect = "no traffic comes in by it",
     .instead = "use the address of the Service"},
    {.group = "networking.k8s.io",
     .kind = "NetworkPolicy",
     .verb = "acts on a",
     .effect = "it keeps no traffic away",
     .instead = "do not rely on it"},
}};

const UnrunKind* find_unrun(std::string_view group, std::string_view kind) {
  const auto found =
      std::ranges::find_if(kUnrun, [&](const UnrunKind& row) { return row.group == group && row.kind == kind; });
  return found == kUnrun.end() ? nullptr : &*found;
}

}  // namespace

bool has_no_controller(std::string_view group, std::string_view kind) { return find_unrun(group, kind) != nullptr; }

std::string no_controller_warning(std::string_view group, std::string_view kind) {
  const UnrunKind* row = find_unrun(group, kind);
  if (row == nullptr) return "";
  return fmt::format("nobody {} {} in this cluster: it is stored, and {}; {}", row->verb, kind, row->effect,
                     row->instead);
}

}  // namespace basalt::api

#include "kube/api/kinds_without_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace basalt::api {
namespace {

struct UnrunKind {
  std::string_view group, kind, instead;
};
constexpr std::string_view kPods = "use a Job of batch.volcano.sh/v1alpha1, or pods";
constexpr std::array<UnrunKind, 7> kUnrun = {{
    {.group = "", .kind = "ReplicationController", .instead = kPods},
    {.group = "apps", .kind = "DaemonSet", .instead = kPods},
    {.group = "apps", .kind = "Deployment", .instead = kPods},
    {.group = "apps", .kind = "ReplicaSet", .instead = kPods},
    {.group = "apps", .kind = "StatefulSet", .instead = kPods},
    {.group = "batch", .kind = "CronJob", .instead = "use a CronJob of batch.volcano.sh/v1alpha1"},
    {.group = "batch", .kind = "Job", .instead = "use a Job of batch.volcano.sh/v1alpha1"},
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
  return fmt::format("nobody runs a {} in this cluster: it is stored, and no pods are made for it; {}", kind,
                     row == nullptr ? kPods : row->instead);
}

}  // namespace basalt::api

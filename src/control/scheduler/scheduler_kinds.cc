#include "control/scheduler/scheduler_kinds.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"
#include "control/loop/kind_index.h"

namespace basalt::scheduler {
namespace {

constexpr std::array kRows = {
    SchedulerKindRow{SchedulerKind::Node, "", "v1", "nodes", "Node"},
    SchedulerKindRow{SchedulerKind::Queue, "scheduling.volcano.sh", "v1beta1", "queues", "Queue"},
    SchedulerKindRow{SchedulerKind::PriorityClass, "scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass"},
    SchedulerKindRow{SchedulerKind::Namespace, "", "v1", "namespaces", "Namespace"},
    SchedulerKindRow{SchedulerKind::ResourceQuota, "", "v1", "resourcequotas", "ResourceQuota"},
    SchedulerKindRow{SchedulerKind::Budget, "policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget"},
    SchedulerKindRow{SchedulerKind::PodGroup, "scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup"},
    SchedulerKindRow{SchedulerKind::Pod, "", "v1", "pods", "Pod"},
    SchedulerKindRow{SchedulerKind::ConfMap, "", "v1", "configmaps", "ConfigMap"},
    SchedulerKindRow{SchedulerKind::Job, "batch.volcano.sh", "v1alpha1", "jobs", "Job"},
};

static_assert(kRows.size() == kKinds);
static_assert(loop::in_order_of_kind(kRows), "rows are found by the number of their kind");

}  // namespace

std::span<const SchedulerKindRow> kind_rows() { return kRows; }

const SchedulerKindRow& row_of(SchedulerKind kind) {
  check(static_cast<size_t>(kind) < kRows.size(), "a kind of the table");
  return kRows[static_cast<size_t>(kind)];
}

api::GroupVersionResource resource_of(SchedulerKind kind) { return loop::resource_in(row_of(kind)); }

std::string api_version_of(SchedulerKind kind) { return loop::api_version_in(row_of(kind)); }

std::string only_object(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return "";
  return fmt::format("metadata.namespace={},metadata.name={}", key.substr(0, slash), key.substr(slash + 1));
}

}  // namespace basalt::scheduler

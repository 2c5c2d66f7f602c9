#include "control/scheduler/kinds.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"
#include "control/loop/kind_table.h"

namespace basalt::scheduler {
namespace {

constexpr std::array kRows = {
    KindRow{Kind::Node, "", "v1", "nodes", "Node"},
    KindRow{Kind::Queue, "scheduling.volcano.sh", "v1beta1", "queues", "Queue"},
    KindRow{Kind::PriorityClass, "scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass"},
    KindRow{Kind::Namespace, "", "v1", "namespaces", "Namespace"},
    KindRow{Kind::ResourceQuota, "", "v1", "resourcequotas", "ResourceQuota"},
    KindRow{Kind::Budget, "policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget"},
    KindRow{Kind::PodGroup, "scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup"},
    KindRow{Kind::Pod, "", "v1", "pods", "Pod"},
    KindRow{Kind::ConfMap, "", "v1", "configmaps", "ConfigMap"},
    KindRow{Kind::Job, "batch.volcano.sh", "v1alpha1", "jobs", "Job"},
};

static_assert(kRows.size() == kKinds);
static_assert(loop::in_order_of_kind(kRows), "rows are found by the number of their kind");

}  // namespace

std::span<const KindRow> kind_rows() { return kRows; }

const KindRow& row_of(Kind kind) {
  check(static_cast<size_t>(kind) < kRows.size(), "a kind of the table");
  return kRows[static_cast<size_t>(kind)];
}

api::ResourceName resource_of(Kind kind) { return loop::resource_in(row_of(kind)); }

std::string api_version_of(Kind kind) { return loop::api_version_in(row_of(kind)); }

std::string only_object(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return "";
  return fmt::format("metadata.namespace={},metadata.name={}", key.substr(0, slash), key.substr(slash + 1));
}

}  // namespace basalt::scheduler

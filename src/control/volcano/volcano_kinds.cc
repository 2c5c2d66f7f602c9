#include "control/volcano/volcano_kinds.h"

#include <array>
#include <string>

#include "base/check.h"
#include "control/loop/kind_index.h"

namespace basalt::volcano {
namespace {

constexpr std::array kRows = {
    VolcanoKindRow{VolcanoKind::Job, "batch.volcano.sh", "v1alpha1", "jobs", "Job", true, CachedForm::Whole},
    VolcanoKindRow{VolcanoKind::CronJob, "batch.volcano.sh", "v1alpha1", "cronjobs", "CronJob", true,
                   CachedForm::Whole},
    VolcanoKindRow{VolcanoKind::Command, "bus.volcano.sh", "v1alpha1", "commands", "Command", true, CachedForm::Whole},
    VolcanoKindRow{VolcanoKind::PodGroup, "scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true,
                   CachedForm::Whole},
    VolcanoKindRow{VolcanoKind::Queue, "scheduling.volcano.sh", "v1beta1", "queues", "Queue", false, CachedForm::Whole},
    VolcanoKindRow{VolcanoKind::JobFlow, "flow.volcano.sh", "v1alpha1", "jobflows", "JobFlow", true, CachedForm::Whole},
    VolcanoKindRow{VolcanoKind::JobTemplate, "flow.volcano.sh", "v1alpha1", "jobtemplates", "JobTemplate", true,
                   CachedForm::Whole},
    VolcanoKindRow{VolcanoKind::HyperNode, "topology.volcano.sh", "v1alpha1", "hypernodes", "HyperNode", false,
                   CachedForm::Whole},
    VolcanoKindRow{VolcanoKind::Pod, "", "v1", "pods", "Pod", true, CachedForm::CachedPod},
    VolcanoKindRow{VolcanoKind::Node, "", "v1", "nodes", "Node", false, CachedForm::Slim},
    VolcanoKindRow{VolcanoKind::PriorityClass, "scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false,
                   CachedForm::Whole},
    VolcanoKindRow{VolcanoKind::Claim, "", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true,
                   CachedForm::Slim},
    VolcanoKindRow{VolcanoKind::Namespace, "", "v1", "namespaces", "Namespace", false, CachedForm::Whole},
    VolcanoKindRow{VolcanoKind::ReplicaSet, "apps", "v1", "replicasets", "ReplicaSet", true, CachedForm::Slim},
    VolcanoKindRow{VolcanoKind::StatefulSet, "apps", "v1", "statefulsets", "StatefulSet", true, CachedForm::Slim},
    VolcanoKindRow{VolcanoKind::DaemonSet, "apps", "v1", "daemonsets", "DaemonSet", true, CachedForm::Slim},
    VolcanoKindRow{VolcanoKind::BatchJob, "batch", "v1", "jobs", "Job", true, CachedForm::Slim},
    VolcanoKindRow{VolcanoKind::ConfigMap, "", "v1", "configmaps", "ConfigMap", true, CachedForm::Whole},
};

static_assert(kRows.size() == kKinds);
static_assert(loop::in_order_of_kind(kRows), "rows are found by the number of their kind");

}  // namespace

std::span<const VolcanoKindRow> kind_rows() { return kRows; }

const VolcanoKindRow& row_of(VolcanoKind kind) {
  check(static_cast<size_t>(kind) < kRows.size(), "a kind of the table");
  return kRows[static_cast<size_t>(kind)];
}

api::GroupVersionResource resource_of(VolcanoKind kind) { return loop::resource_in(row_of(kind)); }

std::string api_version_of(VolcanoKind kind) { return loop::api_version_in(row_of(kind)); }

}  // namespace basalt::volcano

#include "control/volcano/kinds.h"

#include <array>
#include <string>

#include "base/check.h"
#include "control/loop/kind_table.h"

namespace basalt::volcano {
namespace {

constexpr std::array kRows = {
    KindRow{Kind::Job, "batch.volcano.sh", "v1alpha1", "jobs", "Job", true, Memory::Whole},
    KindRow{Kind::CronJob, "batch.volcano.sh", "v1alpha1", "cronjobs", "CronJob", true, Memory::Whole},
    KindRow{Kind::Command, "bus.volcano.sh", "v1alpha1", "commands", "Command", true, Memory::Whole},
    KindRow{Kind::PodGroup, "scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true, Memory::Whole},
    KindRow{Kind::Queue, "scheduling.volcano.sh", "v1beta1", "queues", "Queue", false, Memory::Whole},
    KindRow{Kind::JobFlow, "flow.volcano.sh", "v1alpha1", "jobflows", "JobFlow", true, Memory::Whole},
    KindRow{Kind::JobTemplate, "flow.volcano.sh", "v1alpha1", "jobtemplates", "JobTemplate", true, Memory::Whole},
    KindRow{Kind::HyperNode, "topology.volcano.sh", "v1alpha1", "hypernodes", "HyperNode", false, Memory::Whole},
    KindRow{Kind::Pod, "", "v1", "pods", "Pod", true, Memory::PodView},
    KindRow{Kind::Node, "", "v1", "nodes", "Node", false, Memory::Slim},
    KindRow{Kind::PriorityClass, "scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false, Memory::Whole},
    KindRow{Kind::Claim, "", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true, Memory::Slim},
    KindRow{Kind::Namespace, "", "v1", "namespaces", "Namespace", false, Memory::Whole},
    KindRow{Kind::ReplicaSet, "apps", "v1", "replicasets", "ReplicaSet", true, Memory::Slim},
    KindRow{Kind::StatefulSet, "apps", "v1", "statefulsets", "StatefulSet", true, Memory::Slim},
    KindRow{Kind::DaemonSet, "apps", "v1", "daemonsets", "DaemonSet", true, Memory::Slim},
    KindRow{Kind::BatchJob, "batch", "v1", "jobs", "Job", true, Memory::Slim},
    KindRow{Kind::ConfigMap, "", "v1", "configmaps", "ConfigMap", true, Memory::Whole},
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

}  // namespace basalt::volcano

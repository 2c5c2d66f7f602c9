// The kinds that vcctl works with, by their names in the API.
#pragma once

#include <string>
#include <string_view>

#include "kube/api/api_resource.h"

namespace basalt::cli::vcctl {

struct VcctlKind {
  std::string_view group, version, plural, singular, kind;
  bool namespaced = true;

  [[nodiscard]] api::GroupVersionResource resource() const {
    return {.group = std::string(group), .version = std::string(version), .plural = std::string(plural)};
  }
  [[nodiscard]] std::string api_version() const {
    return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
  }
  // "job.batch.volcano.sh": what stands before the slash in `-o name`.
  [[nodiscard]] std::string full_name() const {
    return group.empty() ? std::string(singular) : std::string(singular) + "." + std::string(group);
  }
};

inline constexpr VcctlKind kJob{
    .group = "batch.volcano.sh", .version = "v1alpha1", .plural = "jobs", .singular = "job", .kind = "Job"};
inline constexpr VcctlKind kQueue{.group = "scheduling.volcano.sh",
                                  .version = "v1beta1",
                                  .plural = "queues",
                                  .singular = "queue",
                                  .kind = "Queue",
                                  .namespaced = false};
inline constexpr VcctlKind kPodGroup{.group = "scheduling.volcano.sh",
                                     .version = "v1beta1",
                                     .plural = "podgroups",
                                     .singular = "podgroup",
                                     .kind = "PodGroup"};
inline constexpr VcctlKind kCommand{
    .group = "bus.volcano.sh", .version = "v1alpha1", .plural = "commands", .singular = "command", .kind = "Command"};
inline constexpr VcctlKind kJobFlow{
    .group = "flow.volcano.sh", .version = "v1alpha1", .plural = "jobflows", .singular = "jobflow", .kind = "JobFlow"};
inline constexpr VcctlKind kJobTemplate{.group = "flow.volcano.sh",
                                        .version = "v1alpha1",
                                        .plural = "jobtemplates",
                                        .singular = "jobtemplate",
                                        .kind = "JobTemplate"};
inline constexpr VcctlKind kNamespaceKind{.group = "",
                                          .version = "v1",
                                          .plural = "namespaces",
                                          .singular = "namespace",
                                          .kind = "Namespace",
                                          .namespaced = false};
inline constexpr VcctlKind kPriorityClass{.group = "scheduling.k8s.io",
                                          .version = "v1",
                                          .plural = "priorityclasses",
                                          .singular = "priorityclass",
                                          .kind = "PriorityClass",
                                          .namespaced = false};
inline constexpr VcctlKind kPod{.group = "", .version = "v1", .plural = "pods", .singular = "pod", .kind = "Pod"};
inline constexpr VcctlKind kEvent{
    .group = "", .version = "v1", .plural = "events", .singular = "event", .kind = "Event"};

}  // namespace basalt::cli::vcctl

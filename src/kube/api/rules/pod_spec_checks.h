// The parts of a PodSpec's validation; pod_spec.cc calls them in order. Places are those of the part itself.
#pragma once

#include <map>
#include <set>
#include <string_view>

#include "kube/api/rules/checks.h"
#include "kube/api/rules/pod_template.h"

namespace basalt::api::rules {

using VolumesByName = std::map<std::string_view, const text::Object*>;

// What the checks of a container need to know about its pod.
struct PodContext {
  VolumesByName volumes;              // the valid ones
  std::set<std::string_view> claims;  // names in resourceClaims
  int64_t grace_seconds = 30;         // terminationGracePeriodSeconds
  std::string_view restart_policy;
  bool host_users = true;
  bool has_os = false;
  SpecOf owner = SpecOf::Pod;
};

// spec.volumes; answers the volumes that may be mounted.
[[nodiscard]] VolumesByName check_volumes(const text::Object& spec, const text::Object* metadata, const FieldPath& at,
                                          Causes& causes);
void check_projected(const text::Object& projected, const FieldPath& at, Causes& causes);
void check_key_to_path(const text::Object& item, const FieldPath& at, Causes& causes);
void check_downward_file(const text::Object& file, const FieldPath& at, Causes& causes);
void check_file_mode(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes);
void check_relative_path(std::string_view path, const FieldPath& where, Causes& causes);  // also not starting with ".."
void check_descending_path(std::string_view path, const FieldPath& where, Causes& causes);

// containers, initContainers and ephemeralContainers of the spec at `at`.
void check_containers(const text::Object& spec, const PodContext& pod, const FieldPath& at, Causes& causes);
void check_env(const text::Object& container, const FieldPath& at, Causes& causes);
// fieldRef / resourceFieldRef of an environment variable or of a file.
void check_field_ref(const text::Object& ref, bool of_file, const FieldPath& at, Causes& causes);
void check_resource_field_ref(const text::Object& ref, bool of_file, const FieldPath& at, Causes& causes);
void check_probes(const text::Object& container, const PodContext& pod, const FieldPath& at, Causes& causes);
void check_lifecycle(const text::Object& lifecycle, const PodContext& pod, const FieldPath& at, Causes& causes);
void check_mounts(const text::Object& container, const PodContext& pod, const FieldPath& at, Causes& causes);

// `resources` are those of the pod as a whole, at `at`: no container may need more.
void check_pod_sums(const text::Object& spec, const text::Object& resources, const FieldPath& at, Causes& causes);

void check_affinity(const text::Object& affinity, const FieldPath& at, Causes& causes);
void check_node_selector(const text::Object& selector, const FieldPath& at, Causes& causes);
void check_spread_constraints(const text::Object& spec, const FieldPath& at, Causes& causes);
void check_tolerations(const text::Object& spec, const FieldPath& at, Causes& causes);

void check_pod_security(const text::Object& spec, const FieldPath& at, Causes& causes);
void check_container_security(const text::Object& context, bool host_users, const FieldPath& at, Causes& causes);
void check_dns_config(const text::Object& spec, const FieldPath& at, Causes& causes);

}  // namespace basalt::api::rules

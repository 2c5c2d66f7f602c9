#include "control/node/local/pod_references.h"

#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"

namespace basalt::node {
namespace {

using api::rules::each_object;
using api::rules::part_of;

void add(PodReferences::Names& names, const text::Object& source, std::string_view key = "name") {
  if (const std::string_view name = api::string_at(source, key); !name.empty()) names.emplace(name);
}

void add_source(PodReferences& found, const text::Object& source) {
  if (const auto* map = api::rules::object_at(source, "configMap")) add(found.config_maps, *map);
  if (const auto* secret = api::rules::object_at(source, "secret")) {
    add(found.secrets, *secret, "secretName");  // of a volume
    add(found.secrets, *secret);                // of a projection
  }
  if (const auto* claim = api::rules::object_at(source, "persistentVolumeClaim")) {
    add(found.claims, *claim, "claimName");
  }
}

void add_environment(PodReferences& found, const text::Object& container) {
  each_object(container, "envFrom", [&](const text::Object& source, size_t) {
    add(found.config_maps, part_of(source, "configMapRef"));
    add(found.secrets, part_of(source, "secretRef"));
  });
  each_object(container, "env", [&](const text::Object& variable, size_t) {
    const text::Object& from = part_of(variable, "valueFrom");
    add(found.config_maps, part_of(from, "configMapKeyRef"));
    add(found.secrets, part_of(from, "secretKeyRef"));
  });
}

}  // namespace

PodReferences volume_references_of(const text::Object& pod) {
  PodReferences found;
  each_object(part_of(pod, "spec"), "volumes", [&](const text::Object& volume, size_t) {
    add_source(found, volume);
    each_object(part_of(volume, "projected"), "sources",
                [&](const text::Object& source, size_t) { add_source(found, source); });
  });
  return found;
}

PodReferences references_of(const text::Object& pod) {
  PodReferences found = volume_references_of(pod);
  const text::Object& spec = part_of(pod, "spec");
  for (const std::string_view list : {"initContainers", "containers"}) {
    each_object(spec, list, [&](const text::Object& container, size_t) { add_environment(found, container); });
  }
  return found;
}

}  // namespace basalt::node

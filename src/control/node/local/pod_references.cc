#include "control/node/local/pod_references.h"

#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace {

void add(PodReferences::Names& names, std::string_view name) {
  if (!name.empty()) names.emplace(name);
}

void add_environment(PodReferences& found, api::ContainerView container) {
  for (const api::EnvFromSourceView source : container.env_from()) {
    add(found.config_maps, source.config_map_ref().name());
    add(found.secrets, source.secret_ref().name());
  }
  for (const api::EnvVarView variable : container.env()) {
    add(found.config_maps, variable.value_from().config_map_key_ref().name());
    add(found.secrets, variable.value_from().secret_key_ref().name());
  }
}

}  // namespace

PodReferences volume_references_of(const text::Object& pod) {
  PodReferences found;
  for (const api::VolumeView volume : api::PodView(pod).spec().volumes()) {
    add(found.config_maps, volume.config_map().name());
    add(found.secrets, volume.secret().secret_name());
    add(found.claims, volume.persistent_volume_claim().claim_name());
    for (const api::VolumeProjectionView source : volume.projected().sources()) {
      add(found.config_maps, source.config_map().name());
      add(found.secrets, source.secret().name());
    }
  }
  return found;
}

PodReferences references_of(const text::Object& pod) {
  PodReferences found = volume_references_of(pod);
  const api::PodSpecView spec = api::PodView(pod).spec();
  for (const auto& containers : {spec.init_containers(), spec.containers()}) {
    for (const api::ContainerView container : containers) add_environment(found, container);
  }
  return found;
}

}  // namespace basalt::node

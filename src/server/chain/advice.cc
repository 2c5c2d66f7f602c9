#include "server/chain/advice.h"

#include <fmt/format.h>

#include "kube/api/unrun_kinds.h"
#include "server/admission/advice.h"
#include "server/chain/step.h"

namespace basalt::server::admission {

std::vector<std::string> advise_on_create(const api::Resource& resource, const text::Object& object,
                                          const Surroundings& around) {
  if (!around.options->advises) return {};
  basalt::admission::Lookup lookup;
  lookup.priority_class = [&](std::string_view name) {
    return around.get("priorityclasses.scheduling.k8s.io", name) != nullptr;
  };
  lookup.claim = [&](std::string_view name_space, std::string_view name) {
    return around.get("persistentvolumeclaims", fmt::format("{}/{}", name_space, name)) != nullptr;
  };
  std::vector<std::string> said =
      basalt::admission::advise_on_create(resource.group, resource.plural, object, lookup, around.options->schedulers);
  // In volcano-system: the parts of this process, and what a chart makes of them.
  const bool ours = string_at(part_of(object, "metadata"), "namespace") == "volcano-system";
  if (api::is_unrun(resource.group, resource.kind) && !ours) {
    said.push_back(api::unrun_text(resource.group, resource.kind));
  }
  return said;
}

}  // namespace basalt::server::admission

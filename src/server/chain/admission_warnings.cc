#include "server/chain/admission_warnings.h"

#include <fmt/format.h>

#include "kube/api/kinds_without_controller.h"
#include "kube/api/object_view.h"
#include "server/admission/create_warnings.h"
#include "server/chain/admission_step.h"

namespace basalt::server::chain {

std::vector<std::string> warnings_on_create(const api::ApiResource& resource, const text::Object& object,
                                            const AdmissionContext& admission_context) {
  if (!admission_context.options->warns_on_create) return {};
  basalt::admission::ObjectLookup lookup;
  lookup.priority_class = [&](std::string_view name) {
    return admission_context.get("priorityclasses.scheduling.k8s.io", name) != nullptr;
  };
  lookup.claim = [&](std::string_view namespace_name, std::string_view name) {
    return admission_context.get("persistentvolumeclaims", fmt::format("{}/{}", namespace_name, name)) != nullptr;
  };
  std::vector<std::string> said = basalt::admission::warnings_on_create(resource.group, resource.plural, object, lookup,
                                                                        admission_context.options->schedulers);
  // In volcano-system: the parts of this process, and what a chart makes of them.
  const bool ours = api::ObjectView(object).metadata().namespace_name() == "volcano-system";
  if (api::has_no_controller(resource.group, resource.kind) && !ours) {
    said.push_back(api::no_controller_warning(resource.group, resource.kind));
  }
  return said;
}

}  // namespace basalt::server::chain

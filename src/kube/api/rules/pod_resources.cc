// ResourceList of a pod as a whole against those of its containers (declared in pod_spec_checks.h).
#include <fmt/format.h>

#include "kube/api/resource_list.h"
#include "kube/api/rules/pod_spec_checks.h"
#include "kube/api/rules/resource_checks.h"
#include "kube/api/views/pod_spec_view.h"

namespace basalt::api::rules {
namespace {

// The part of a spec that decides what its containers take together.
text::Object containers_of(const text::Object& spec) {
  text::Object part;
  for (const std::string_view name : {"containers", "initContainers"}) {
    if (const text::Array* list = array_at(spec, name)) part[name] = *list;
  }
  return part;
}

void check_sum(const text::Object& given, const ResourceList& sum, bool huge_only, std::string_view what,
               const FieldPath& at, Causes& causes) {
  for (const auto& [resource, amount] : sum) {
    const text::Value* own = member_of(given, resource);
    if (own == nullptr || (huge_only && !is_huge_pages(resource)) || amount <= amount_of(*own)) continue;
    causes.invalid(
        at.entry(resource).text(), text_value(amount_of(*own).to_string()),
        fmt::format("must be greater than or equal to aggregate container {} of {}", what, amount.to_string()));
  }
}

}  // namespace

void check_pod_sums(const text::Object& spec, const text::Object& resources, const FieldPath& at, Causes& causes) {
  const text::Object containers = containers_of(spec);
  const text::Object& limits = part_of(resources, "limits");
  check_sum(part_of(resources, "requests"), pod_resource_total(PodSpecView(containers), ResourceBound::Requests), false,
            "requests", at.key("requests"), causes);
  check_sum(limits, pod_resource_total(PodSpecView(containers), ResourceBound::Limits), true, "limits",
            at.key("limits"), causes);
  each_object(spec, "containers", [&](const text::Object& container, size_t i) {
    for (const auto& member : part_of(part_of(container, "resources"), "limits")) {
      const text::Value* own = member_of(limits, member.key());
      if (own == nullptr || amount_of(member.value()) <= amount_of(*own)) continue;
      const FieldPath list = at.key("containers");
      const FieldPath one = list.at(i);
      causes.invalid(one.entry(member.key()).text() + ".limits", text_value(amount_of(member.value()).to_string()),
                     fmt::format("must be less than or equal to pod limits of {}", amount_of(*own).to_string()));
    }
  });
}

}  // namespace basalt::api::rules

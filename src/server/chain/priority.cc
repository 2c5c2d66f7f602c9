#include <fmt/format.h>

#include "kube/api/views/pod_spec_view.h"
#include "kube/api/views/priority_class_view.h"
#include "server/chain/admission_step.h"

namespace basalt::server::chain {
namespace {

constexpr std::string_view kClasses = "priorityclasses.scheduling.k8s.io";

// The class that pods without one get; of several the lowest. Null: none.
ObjectPtr default_class(const AdmissionContext& admission_context) {
  ObjectPtr best;
  for (const ObjectPtr& one : admission_context.list(kClasses, "")) {
    if (one == nullptr || !one->is_object() || !is_true(one->get_object(), "globalDefault")) continue;
    const auto value = [](const ObjectPtr& object) { return api::PriorityClassView(object->get_object()).value(); };
    if (best == nullptr || value(one) < value(best)) best = one;
  }
  return best;
}

std::string_view name_of(const ObjectPtr& object) {
  return api::PriorityClassView(object->get_object()).metadata().name();
}

// What the client wrote may only repeat what the class says.
StepResult set_priority(const AdmissionAttributes& request, text::Object& spec, int64_t priority,
                        std::string_view policy) {
  const auto given = api::PodSpecView(spec).priority();
  if (given && *given != priority) {
    return request.forbid(
        fmt::format("the integer value of priority ({}) must not be provided in pod spec; priority "
                    "admission controller computed {} from the given PriorityClass name",
                    *given, priority));
  }
  spec["priority"] = priority;
  if (policy.empty()) return {};
  const std::string_view given_policy = api::PodSpecView(spec).preemption_policy();
  if (!given_policy.empty() && given_policy != policy) {
    return request.forbid(
        fmt::format("the string value of PreemptionPolicy ({}) must not be provided in pod spec; "
                    "priority admission controller computed {} from the given PriorityClass name",
                    given_policy, policy));
  }
  spec["preemptionPolicy"] = policy;
  return {};
}

}  // namespace

StepResult resolve_priority(const AdmissionAttributes& request) {
  text::Object& spec = make_object(*request.next, "spec");
  if (request.operation == AdmissionOperation::Update) {
    const text::Object& before = part_of(*request.old, "spec");
    for (const std::string_view field : {"priority", "preemptionPolicy"}) {
      if (!has(spec, field) && has(before, field)) spec[field] = before.at(field);
    }
    return {};
  }
  const std::string_view name = api::PodSpecView(spec).priority_class_name();
  const ObjectPtr found =
      name.empty() ? default_class(request.admission_context) : request.admission_context.get(kClasses, name);
  if (found == nullptr || !found->is_object()) {
    if (!name.empty()) return request.forbid(fmt::format("no PriorityClass with name {} was found", name));
    return set_priority(request, spec, 0, "PreemptLowerPriority");
  }
  if (name.empty()) spec["priorityClassName"] = name_of(found);
  const text::Object& chosen = found->get_object();
  return set_priority(request, spec, api::PriorityClassView(chosen).value(),
                      api::PriorityClassView(chosen).preemption_policy());
}

StepResult check_default_priority(const AdmissionAttributes& request) {
  if (!is_true(*request.next, "globalDefault")) return {};
  const ObjectPtr current = default_class(request.admission_context);
  if (current == nullptr) return {};
  if (request.operation == AdmissionOperation::Update && name_of(current) == request.name()) return {};
  return request.forbid(
      fmt::format("PriorityClass {} is already marked as default. Only one default can exist", name_of(current)));
}

}  // namespace basalt::server::chain

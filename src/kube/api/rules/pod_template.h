// Pods and pod templates: what is filled in, and what is refused.
//
// A template has the rules of a pod's metadata and spec; a Pod adds what only a living pod has (pod.cc). Everything
// here is a pure function of the one object.
#pragma once

#include <string_view>

#include "kube/api/api_error.h"
#include "kube/api/rules/field_path.h"
#include "kube/text/json.h"

namespace basalt::api {
class PodSpecView;
}

namespace basalt::api::rules {

enum class SpecOf : uint8_t { Pod, Template };

// Defaults of a PodSpec that depend on other fields: image pull policies by tag, the source of an empty volume, the old
// name of the service account. With SpecOf::Pod also requests from limits and host ports.
void complete_pod_spec(text::Object& spec, SpecOf owner);

// A PodTemplateSpec at `path` ("spec.template"): labels, annotations and spec. Requires: defaults are filled in.
void validate_pod_template(const text::Object& pod_template, std::string_view path, Causes& causes);

// `metadata` (may be null) is that of the pod or template.
void validate_pod_spec(const text::Object& spec, const text::Object* metadata, SpecOf owner, const FieldPath& at,
                       Causes& causes);

// Guaranteed, Burstable or BestEffort, from the requests and limits of cpu and memory.
[[nodiscard]] std::string_view qos_class(PodSpecView spec);

}  // namespace basalt::api::rules

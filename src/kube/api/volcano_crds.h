// Volcano's kinds, as the CustomResourceDefinitions that define them on any server, Kubernetes' or ours.
//
// Written in src/kube/api/schema/builtin/volcano_*.types and expanded here; field by field they accept what Volcano's
// own CRDs accept, with the same defaults, printer columns, short names and subresources.
#pragma once

#include <vector>

#include "kube/text/json.h"

namespace basalt::api {

// One complete CustomResourceDefinition (apiextensions.k8s.io/v1) per kind, in the order of their texts. Made anew on
// each call, in some milliseconds: four of them contain the whole pod template.
[[nodiscard]] std::vector<text::Value> volcano_crds();

}  // namespace basalt::api

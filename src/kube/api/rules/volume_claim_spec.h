// The spec of a PersistentVolumeClaim, also as a template inside other kinds.
#pragma once

#include "kube/api/rules/checks.h"

namespace basalt::api::rules {

void check_claim_spec(const text::Object& spec, const FieldPath& at, Causes& causes);

}  // namespace basalt::api::rules

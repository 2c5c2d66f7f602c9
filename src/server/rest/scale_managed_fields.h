// Who owns the replicas of an object after a write to its scale subresource.
//
// Kubernetes tracks the owners on the Scale, in its own API version, and copies them to the object: a manager that owns
// the replicas by update gives them to an entry of the same name without a time; one by apply keeps them.
#pragma once

#include "kube/api/apply/managed_fields.h"

namespace basalt::server {

// Sets metadata.managedFields of `object`, whose replicas at `path` (".spec.replicas") were changed from `before` to
// `now` by `writer`. A Scale does not write zero replicas, so nobody owns them.
void update_scale_managed_fields(text::Object& object, std::string_view path, int64_t before, int64_t now,
                                 const api::FieldManager& writer);

}  // namespace basalt::server

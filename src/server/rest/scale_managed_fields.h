// Who owns the replicas of an object after a write to its scale subresource.
//
// Kubernetes keeps these books on the Scale, with owners of its own API version, and carries them over: an owner by
// update who has the replicas in the object hands them to a twin without a time; an owner by apply keeps them.
#pragma once

#include "kube/api/apply/managed_fields.h"

namespace basalt::server {

// Sets metadata.managedFields of `object`, whose replicas at `path` (".spec.replicas") went from `before` to `now` by
// the hand of `writer`. A Scale does not write zero replicas, so nobody owns them.
void update_scale_managed_fields(text::Object& object, std::string_view path, int64_t before, int64_t now,
                                 const api::FieldManager& writer);

}  // namespace basalt::server

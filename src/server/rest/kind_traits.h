// How kinds differ in details of writes and deletions, as a table.
#pragma once

#include <string_view>

#include "kube/api/api_resource.h"

namespace basalt::server {

struct KindTraits {
  std::string_view group, kind;
  bool put_creates = false;            // PUT of an object that does not exist creates it
  bool put_needs_version = false;      // PUT without metadata.resourceVersion is refused
  bool delete_answers_object = false;  // a removal is answered with the object that went, not with a Status
  bool bare_finalizers = false;        // finalizers need no domain
  bool orphans = false;                // dependents stay when nothing else is said
  bool metadata_last = false;  // create: metadata is looked at only when the rest is right, and any name will do
  // How often Kubernetes checks metadata for this kind on an update, besides the two checks that every kind has: a
  // fault in it is reported as often. `_changes` compares with the former state, `_whole` looks at the new one.
  uint8_t update_changes = 1, update_whole = 0, status_changes = 1;
};

// The row of a kind; the default traits when it has none.
[[nodiscard]] const KindTraits& traits_of(const api::ApiResource& resource);

}  // namespace basalt::server

// The requests that plans are made of.
//
// Patches carry the uid and resourceVersion that the plan was made from, deletions the uid: a plan from an outdated
// view is refused and made again, it never does harm.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/api/call.h"
#include "kube/text/json.h"

namespace basalt::loop {

// An object as it was seen.
struct WriteTarget {
  api::GroupVersionResource resource;
  std::string namespace_name, name, uid, version;  // version: resourceVersion; "" where it does not matter
};
[[nodiscard]] WriteTarget target_of(api::GroupVersionResource resource, const text::Object& object);

struct Deletion {
  std::string_view propagation = "Background";  // "": as the kind has it
  std::optional<int64_t> grace;
  bool same_version = false;  // only if it has not changed since
};

[[nodiscard]] api::Call create(api::GroupVersionResource resource, text::Object object);
// A merge patch; metadata.uid and resourceVersion are added to `change`.
[[nodiscard]] api::Call patch(const WriteTarget& target, text::Object change, std::string_view subresource = "");
[[nodiscard]] api::Call patch_status(const WriteTarget& target, text::Object status);
// A pod gets its node. A uid that is known is a condition: a namesake is refused.
[[nodiscard]] api::Call bind(const WriteTarget& pod, std::string_view node);
[[nodiscard]] api::Call remove(const WriteTarget& target, const Deletion& how = {});
// Server-side apply of a whole object of ours, taking over fields that others own: made when absent, else brought in
// step.
[[nodiscard]] api::Call apply(api::GroupVersionResource resource, text::Object object, std::string_view manager);

}  // namespace basalt::loop

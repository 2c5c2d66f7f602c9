#include "kube/text/merge_difference.h"

namespace basalt::text {

Object merge_difference(const Object& from, const Object& to) {
  Object patch;
  for (const auto& member : from) {
    if (!to.contains(member.key())) patch[member.key()] = nullptr;
  }
  for (const auto& member : to) {
    const Value* old = from.if_contains(member.key());
    if (old != nullptr && *old == member.value()) continue;
    if (old != nullptr && old->is_object() && member.value().is_object()) {
      patch[member.key()] = merge_difference(old->get_object(), member.value().get_object());
    } else {
      patch[member.key()] = member.value();
    }
  }
  return patch;
}

}  // namespace basalt::text

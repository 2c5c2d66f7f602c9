#include "kube/text/rename_member.h"

#include <utility>

namespace basalt::text {

bool rename_member(Object& object, std::string_view from, std::string_view to) {
  const auto found = object.find(from);
  if (found == object.end()) return false;
  if (from == to) return true;
  Value value = std::move(found->value());
  object.erase(found);
  object.insert_or_assign(to, std::move(value));
  return true;
}

}  // namespace basalt::text

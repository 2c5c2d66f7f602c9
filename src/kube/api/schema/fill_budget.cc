#include "kube/api/schema/fill_budget.h"

namespace basalt::api {

size_t rough_size(const text::Value& value) {
  constexpr size_t kScalar = 4;
  if (const auto* string = value.if_string()) return string->size() + kScalar;
  size_t size = kScalar;
  if (const text::Object* object = value.if_object()) {
    for (const auto& member : *object) size += member.key().size() + rough_size(member.value());
  } else if (const text::Array* list = value.if_array()) {
    for (const text::Value& element : *list) size += rough_size(element);
  }
  return size;
}

}  // namespace basalt::api

#include "base/check.h"
#include "kube/api/schema/schema.h"
#include "kube/api/schema/type_language.h"

namespace basalt::api {

const SchemaSet& builtin_schemas() {
  static const TypeLibrary library = [] {
    auto read = parse_types(builtin_type_texts());
    check(read.has_value(), read ? "" : read.error().message);
    return std::move(*read);
  }();
  return library.schemas;
}

}  // namespace basalt::api

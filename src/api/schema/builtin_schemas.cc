#include "api/schema/schema.h"
#include "api/schema/type_language.h"
#include "base/check.h"

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

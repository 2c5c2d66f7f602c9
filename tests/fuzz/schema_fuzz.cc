// Any bytes as a CustomResourceDefinition and an object of it, and as an object of a built-in kind: completed, checked,
// compiled, normalized, filled and validated. Always an answer; what was normalized once stays as it is.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/api/custom_resource_definition.h"
#include "kube/api/schema/defaults.h"
#include "kube/api/schema/normalize.h"
#include "kube/api/schema/openapi.h"
#include "kube/api/schema/validate.h"
#include "kube/text/json.h"

namespace {

using namespace basalt;

void use_custom(text::Object crd, const text::Value& object) {
  api::Causes causes;
  api::validate_crd(crd, causes);
  api::complete_crd(crd);
  const auto rows = api::resources_of(crd);
  if (!rows) return;
  for (const api::ApiResource& row : *rows) {
    text::Value value = object;
    (void)api::openapi_of(*row.schema);
    if (!api::normalize_custom(*row.schema, value)) continue;
    if (!api::apply_defaults(*row.schema, value)) continue;
    api::validate_value(*row.schema, value, causes);
    api::validate_value_update(*row.schema, value, object, causes);
    const auto again = api::normalize_custom(*row.schema, value);
    basalt::check(again.has_value() && again->empty(), "nothing is pruned twice");
  }
}

void use_built_in(text::Value object) {
  for (const char* name : {"io.k8s.api.core.v1.Pod", "io.k8s.api.core.v1.Secret",
                           "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"}) {
    const api::Schema* schema = api::builtin_schemas().find(name);
    text::Value value = object;
    if (schema == nullptr || !api::normalize(*schema, value)) continue;
    text::Value twice = value;
    const auto again = api::normalize(*schema, twice);
    basalt::check(again.has_value() && again->empty(), "a normalized object is normal");
    basalt::check(text::to_json(twice).size() == text::to_json(value).size(), "and stays as it is");
    (void)api::apply_defaults(*schema, value);
  }
}

}  // namespace

// Two documents, with a zero byte between them.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const size_t cut = std::min(text.find('\0'), text.size());
  const auto first = text::parse_json(text.substr(0, cut));
  const auto second = text::parse_json(text.substr(std::min(cut + 1, text.size())));
  if (first && first->is_object()) use_custom(first->get_object(), second ? *second : *first);
  if (first) use_built_in(*first);
  return 0;
}

// Any bytes as a body in Kubernetes' binary form, and as the message of several kinds: always an answer, and what is
// read can be printed, read again as JSON, and normalized.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/api/schema/normalize.h"
#include "kube/api/schema/protobuf.h"
#include "kube/text/json.h"

namespace {

using namespace basalt;

void use_as(const char* type, std::string_view message) {
  const api::ProtobufMessage* layout = api::builtin_protobuf().find(type);
  const api::Schema* schema = api::builtin_schemas().find(type);
  basalt::check(layout != nullptr && schema != nullptr, "a built-in type");
  auto value = api::decode_protobuf(*layout, message);
  if (!value) return;
  basalt::check(value->is_object(), "a message is an object");
  basalt::check(text::parse_json(text::to_json(*value)).has_value(), "what was read is good JSON");
  (void)api::normalize(*schema, *value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  const auto envelope = api::open_envelope(bytes);
  const std::string_view message = envelope ? envelope->message : bytes;
  for (const char* type :
       {"io.k8s.api.core.v1.Pod", "io.k8s.api.core.v1.Secret", "io.k8s.api.authentication.v1.TokenReview",
        "io.k8s.api.coordination.v1.Lease", "io.k8s.api.policy.v1.PodDisruptionBudget",
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"}) {
    use_as(type, message);
  }
  return 0;
}

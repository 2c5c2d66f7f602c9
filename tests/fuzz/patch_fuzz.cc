// A document and a patch, as any two JSON values: every kind of patch is applied or refused, and nothing crashes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kube/api/apply/managed_fields.h"
#include "kube/api/schema/schema.h"
#include "kube/api/strategic_merge.h"
#include "kube/text/json.h"
#include "kube/text/patch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace basalt;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t middle = input.find('\n');
  if (middle == std::string_view::npos) return 0;
  const auto document = text::parse_json(input.substr(0, middle));
  const auto patch = text::parse_json(input.substr(middle + 1));
  if (!document || !patch) return 0;
  const api::Schema& pod = *api::builtin_schemas().find("io.k8s.api.core.v1.Pod");
  const api::FieldManager writer{
      .manager = "kubectl", .api_version = "v1", .subresource = "", .now = Instant::from_unix_seconds(1)};

  (void)text::json_patch(*document, *patch);
  text::Value next = text::merge_patch(*document, *patch);
  api::track_update(pod, &*document, next, writer);
  (void)api::strategic_merge(pod, *document, *patch);
  if (document->is_object()) (void)api::apply_config(pod, &*document, *patch, writer, true);
  (void)api::apply_config(pod, nullptr, *patch, writer, false);
  return 0;
}

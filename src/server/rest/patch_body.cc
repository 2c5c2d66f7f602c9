#include "server/rest/patch_body.h"

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/strategic_merge.h"
#include "kube/api/views/metadata_view.h"
#include "kube/text/patch.h"
#include "server/rest/decode_and_validate.h"

namespace basalt::server {
namespace {

api::ApiError json_patch_refusal(const Error& error) {
  switch (error.code) {
    case ErrorCode::Unsupported:
      return api::too_large(error.message);
    case ErrorCode::NotFound: {
      api::ApiError refusal = api::invalid_object("", "", "", {});
      refusal.empty_details = true;
      refusal.message = "the server rejected our request due to an error in our request: " + error.message;
      return refusal;
    }
    default:
      return api::bad_request(error.message);
  }
}

api::ApiResult<text::Value> merged(CallContext& context, const text::Value& latest) {
  const text::Value& body = context.call.body;
  switch (context.call.patch) {
    case api::PatchType::Json: {
      auto next = text::json_patch(latest, body);
      if (!next) return std::unexpected(json_patch_refusal(next.error()));
      return std::move(*next);
    }
    case api::PatchType::Strategic:
      return api::strategic_merge(*context.resource->schema, latest, body);
    default:
      if (!body.is_object()) return std::unexpected(api::bad_request("a merge patch must be an object"));
      return text::merge_patch(latest, body);
  }
}

// A manager that gives up all it applied to metadata, by a configuration that has none, and that nobody else owns
// anything of, takes the whole of it away with its part: Kubernetes then misses the name.
bool gives_up_metadata(const CallContext& context, const text::Object& config, const text::Object& latest) {
  const text::Value* given = config.if_contains("metadata");
  const text::Array* entries = api::ObjectView(latest).metadata().managed_fields().json();
  if ((given != nullptr && !given->is_null()) || entries == nullptr) return false;
  bool own = false;
  for (const text::Value& value : *entries) {
    const text::Object* entry = value.if_object();
    if (entry == nullptr || api::object_at(*entry, {"fieldsV1", "f:metadata"}) == nullptr) continue;
    const bool mine = api::ManagedFieldsEntryView(*entry).manager() == context.call.field_manager &&
                      api::ManagedFieldsEntryView(*entry).operation() == "Apply" &&
                      api::ManagedFieldsEntryView(*entry).subresource() == context.call.subresource;
    if (!mine) return false;
    own = true;
  }
  return own;
}

}  // namespace

api::ApiResult<text::Value> patched(CallContext& context, const text::Value& latest) {
  if (!context.call.unreadable.empty()) return std::unexpected(api::bad_request(context.call.unreadable));
  auto next = merged(context, latest);
  if (!next) return next;
  context.warnings.clear();  // of a former attempt
  const text::Value result = *next;
  auto decoded = decode_object(context, std::move(*next));
  if (decoded || decoded.error().code != 400) return decoded;
  return refuse_patch(result, decoded.error());
}

std::unexpected<api::ApiError> refuse_patch(const text::Value& result, const api::ApiError& why) {
  api::Causes causes;
  causes.invalid("patch", result, why.message);
  return std::unexpected(api::invalid_object("", "", "", causes.take()));
}

api::ApiResult<text::Value> applied_config(CallContext& context, const text::Value* latest) {
  const api::ApiResource& resource = *context.resource;
  if (context.call.field_manager.empty()) {
    api::Causes causes;
    causes.required("fieldManager", "is required for apply patch");
    return std::unexpected(api::invalid_object("meta.k8s.io", "PatchOptions", "", causes.take()));
  }
  context.warnings.clear();
  text::Value config = context.call.body;
  if (!config.is_object()) return std::unexpected(api::bad_request("the applied configuration must be one object"));
  if (api::ObjectView(config.get_object()).kind().empty()) {
    return std::unexpected(api::bad_request("the applied configuration must say its kind: " + resource.kind));
  }
  if (latest != nullptr && gives_up_metadata(context, config.get_object(), latest->get_object())) {
    return std::unexpected(api::bad_request("the name of the object (" + context.call.name +
                                            " by the URL) must also be given in metadata.name"));
  }
  // A configuration owns only what it says: it is checked in a copy, and empty values and defaults are filled in on the
  // result. Checked before it is touched: what is of a wrong type must not be taken for missing.
  text::Value checked = config;
  if (auto fine = decode_config(context, checked); !fine) return std::unexpected(std::move(fine.error()));
  text::Object& metadata = api::metadata_of(config.get_object());
  if (api::ObjectView(config.get_object()).metadata().managed_fields().json() != nullptr) {
    return std::unexpected(api::bad_request("metadata.managedFields must be nil"));
  }
  if (latest != nullptr && api::ObjectMetaView(metadata).name().empty()) metadata["name"] = context.call.name;
  auto next = api::apply_config(*resource.schema, latest, config, context.writer(), context.call.force);
  if (!next) return next;
  if (auto fine = decode_config(context, *next); !fine) return std::unexpected(std::move(fine.error()));
  if (auto filled = fill_defaults(resource, *next); !filled) return std::unexpected(std::move(filled.error()));
  return next;
}

}  // namespace basalt::server

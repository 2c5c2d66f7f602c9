#include "server/rest/scale.h"

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/selector_text.h"
#include "kube/api/views/scale_view.h"
#include "kube/text/patch.h"
#include "server/rest/decode_and_validate.h"
#include "server/rest/guaranteed_update.h"
#include "server/rest/object_metadata.h"
#include "server/rest/patch_body.h"
#include "server/rest/scale_managed_fields.h"
#include "server/rest/storage_conversion.h"

namespace basalt::server {
namespace {

void put(text::Object& object, std::string_view path, text::Value value) {
  text::Object* at = &object;
  for (;;) {
    path.remove_prefix(path.starts_with('.') ? 1 : 0);
    const std::string_view step = path.substr(0, path.find('.'));
    path.remove_prefix(step.size());
    if (path.empty()) {
      (*at)[step] = std::move(value);
      return;
    }
    at = &api::object_in(*at, step);
  }
}

// A selector as text: a custom kind stores it so; apps kinds have a LabelSelector object.
std::string selector_text(const text::Object& object, std::string_view path) {
  if (path.empty()) return "";
  const text::Value* value = replicas_at(object, path);
  if (value == nullptr) return "";
  if (value->is_string()) return std::string(value->get_string());
  const text::Object* labels = value->is_object() ? api::object_at(value->get_object(), {"matchLabels"}) : nullptr;
  if (labels == nullptr && value->is_object() && value->get_object().if_contains("matchExpressions") == nullptr) {
    labels = &value->get_object();
  }
  std::string text;
  for (const auto& member : labels == nullptr ? text::Object() : *labels) {
    if (!member.value().is_string()) continue;
    text += (text.empty() ? "" : ",") + std::string(member.key()) + "=" + std::string(member.value().get_string());
  }
  return text;
}

text::Value scale_of(const api::ApiResource& resource, const text::Object& object) {
  text::Object scale;
  scale["kind"] = "Scale";
  scale["apiVersion"] = "autoscaling/v1";
  text::Object& metadata = api::metadata_of(scale);
  for (const std::string_view key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    api::copy_member(metadata, api::metadata_of(object), key);
  }
  const text::Value* wanted = replicas_at(object, resource.scale->spec_replicas);
  const text::Value* actual = replicas_at(object, resource.scale->status_replicas);
  text::Object& spec = api::object_in(scale, "spec");
  if (wanted != nullptr && *wanted != 0) spec["replicas"] = *wanted;
  text::Object& status = api::object_in(scale, "status");
  status["replicas"] = actual == nullptr ? text::Value(0) : *actual;
  if (std::string selector = selector_text(object, resource.scale->label_selector); !selector.empty()) {
    status["selector"] = std::move(selector);
  }
  return scale;
}

// Requires: a decoded Scale.
api::ApiResult<int64_t> wished_replicas(const CallContext& context, const text::Value& scale,
                                        const text::Object& object) {
  const text::Object& root = scale.get_object();
  const api::ApiResource& resource = *context.resource;
  const std::string_view uid = api::ScaleView(root).metadata().uid();
  const std::string_view own_uid = api::ObjectView(object).metadata().uid();
  if (context.call.verb == api::Verb::Update && !uid.empty() && uid != own_uid) {
    return std::unexpected(api::conflict(resource.group, resource.plural, context.call.name, other_uid(uid, own_uid)));
  }
  const int64_t wished = api::ScaleView(root).spec().replicas();
  if (wished < 0 && !resource.custom) {
    api::Causes causes;
    causes.invalid("spec.replicas", text::Value(wished), "must be greater than or equal to 0");
    return std::unexpected(api::invalid_object("autoscaling", "Scale", context.call.name, causes.take()));
  }
  const std::string_view version = api::ScaleView(root).metadata().resource_version();
  if (!version.empty() && version != api::ObjectView(object).metadata().resource_version()) {
    return std::unexpected(modified_since(context));
  }
  return wished;
}

// The Scale that the call wants, decoded.
api::ApiResult<text::Value> scale_after(CallContext& context, const text::Object& object) {
  constexpr std::string_view kScale = "io.k8s.api.autoscaling.v1.Scale";
  context.warnings.clear();  // of a former attempt
  if (context.call.verb == api::Verb::Update) {
    text::Value scale = context.call.body;
    if (auto decoded = decode_as(context, kScale, scale); !decoded) return std::unexpected(std::move(decoded.error()));
    return scale;
  }
  text::Value scale = scale_of(*context.resource, object);
  if (context.call.patch == api::PatchType::Json) {
    auto patched = text::json_patch(scale, context.call.body);
    if (!patched) return std::unexpected(api::bad_request(patched.error().message));
    scale = std::move(*patched);
  } else {
    scale = text::merge_patch(scale, context.call.body);
  }
  const text::Value given = scale;
  if (auto decoded = decode_as(context, kScale, scale); !decoded) return refuse_patch(given, decoded.error());
  return scale;
}

}  // namespace

const text::Value* replicas_at(const text::Object& object, std::string_view path) {
  const text::Object* at = &object;
  const text::Value* found = nullptr;
  while (!path.empty()) {
    path.remove_prefix(path.front() == '.' ? 1 : 0);
    const std::string_view step = path.substr(0, path.find('.'));
    path.remove_prefix(step.size());
    if (at == nullptr) return nullptr;
    found = at->if_contains(step);
    if (found == nullptr) return nullptr;
    at = found->if_object();
  }
  return found;
}

void call_scale(const ContextPtr& context) {
  const api::ApiResource& resource = *context->resource;
  if (context->call.verb == api::Verb::Get) {
    const store::RecordPtr record = context->store->get(resource.storage_name(), context->key());
    if (record == nullptr) {
      return context->refuse(api::not_found(resource.group, resource.plural, context->call.name));
    }
    ApiResponse answer;
    answer.value = std::make_shared<const text::Value>(scale_of(resource, shown(resource, *record)->get_object()));
    return context->done(std::move(answer));
  }
  if (context->call.verb != api::Verb::Update && context->call.verb != api::Verb::Patch) {
    return context->refuse(api::method_not_allowed("this one"));
  }
  guaranteed_update(
      context,
      [&](text::Object& object) -> api::ApiResult<void> {
        auto scale = scale_after(*context, object);
        if (!scale) return std::unexpected(std::move(scale.error()));
        auto replicas = wished_replicas(*context, *scale, object);
        if (!replicas) return std::unexpected(std::move(replicas.error()));
        const text::Object before = object;
        put(object, resource.scale->spec_replicas, *replicas);
        update_generation(resource, object, before);
        const text::Value* known = replicas_at(before, resource.scale->spec_replicas);
        update_scale_managed_fields(object, resource.scale->spec_replicas,
                                    known != nullptr && known->is_int64() ? known->get_int64() : 0, *replicas,
                                    context->writer());
        if (!resource.custom) return {};
        return validate_change(*context, text::Value(object), text::Value(before));
      },
      [context](const store::RecordPtr& record) {
        ApiResponse answer;
        answer.value = std::make_shared<const text::Value>(
            scale_of(*context->resource, shown(*context->resource, *record)->get_object()));
        answer.warnings = context->warnings;
        return answer;
      });
}

}  // namespace basalt::server

#include "server/rest/decode_and_validate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/check.h"
#include "kube/api/name_validation.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/schema/defaults.h"
#include "kube/api/schema/normalize.h"
#include "kube/api/schema/validate.h"
#include "kube/api/views/metadata_view.h"
#include "server/chain/admission_chain.h"
#include "server/chain/admission_warnings.h"
#include "server/rest/kind_traits.h"
#include "server/rest/scale.h"

namespace basalt::server {
namespace {

bool is_text(const text::Object& object, std::string_view key) {
  const text::Value* value = object.if_contains(key);
  return value == nullptr || value->is_null() || value->is_string();
}

api::ApiResult<void> check_type(const CallContext& context, text::Object& object) {
  const api::ApiResource& resource = *context.resource;
  // Something else than text is not "left out": decoding refuses it.
  if (!is_text(object, "apiVersion") || !is_text(object, "kind")) return {};
  const std::string api_version(api::ObjectView(object).api_version());
  const std::string kind(api::ObjectView(object).kind());
  const bool may_be_left_out = !resource.custom;
  if ((kind.empty() && !may_be_left_out)) {
    return std::unexpected(api::bad_request("Object 'Kind' is missing in the body: set kind: " + resource.kind));
  }
  // A patch that changes the version of a custom object makes it invalid, but not unreadable.
  const bool patched = resource.custom && context.call.verb == api::Verb::Patch &&
                       context.call.patch != api::PatchType::Apply && !api_version.empty();
  if (((api_version.empty() && may_be_left_out) || api_version == resource.api_version() || patched) &&
      (kind.empty() || kind == resource.kind || resource.custom)) {
    if (!patched) object["apiVersion"] = resource.api_version();
    if (kind.empty()) object["kind"] = resource.kind;
    return {};
  }
  return std::unexpected(api::bad_request("the API version in the data (" + api_version + ", kind " + kind +
                                          ") does not match the expected API version (" + resource.api_version() +
                                          ", kind " + resource.kind + ")"));
}

api::ApiResult<void> refuse_if_any(const CallContext& context, const text::Object& object, api::Causes& causes) {
  if (causes.empty()) return {};
  const api::ApiResource& resource = *context.resource;
  const std::string_view name = api::name_of(object);
  return std::unexpected(api::invalid_object(
      resource.group, resource.kind,
      name.empty() ? api::ObjectMetaView(api::metadata_of(object)).generate_name() : name, causes.take()));
}

// What the scale subresource shows of a custom object must be a number of replicas.
void validate_scale(const api::ApiResource& resource, const text::Object& object, bool status, api::Causes& causes) {
  if (!resource.scale) return;
  const std::string& path = status ? resource.scale->status_replicas : resource.scale->spec_replicas;
  const text::Value* replicas = replicas_at(object, path);
  const text::Value* parent = replicas_at(object, std::string_view(path).substr(0, path.rfind('.')));
  if (replicas == nullptr && parent != nullptr && !parent->is_object() && !parent->is_null()) {
    causes.invalid(path, text::Value(0), "there is no object to hold it");
  }
  if (replicas == nullptr || replicas->is_null()) return;
  if (!replicas->is_int64()) {
    causes.invalid(path, text::Value(0), "must be an integer");
  } else if (replicas->get_int64() < 0) {
    causes.invalid(path, *replicas, "should be a non-negative integer");
  } else if (replicas->get_int64() > std::numeric_limits<int32_t>::max()) {
    causes.invalid(path, *replicas, "should be less than or equal to 2147483647");
  }
}

// 2.0 is a whole number everywhere, and becomes one (normalize.h), but not where the scale subresource looks.
api::ApiResult<void> check_scale_number(const CallContext& context, const text::Object& object) {
  const api::ApiResource& resource = *context.resource;
  if (!resource.custom || !resource.scale) return {};
  const bool status = context.call.subresource == "status";
  const std::string& path = status ? resource.scale->status_replicas : resource.scale->spec_replicas;
  const text::Value* replicas = replicas_at(object, path);
  if (replicas == nullptr || !replicas->is_double() || std::trunc(replicas->get_double()) != replicas->get_double()) {
    return {};
  }
  api::Causes causes;
  causes.invalid(path, text::Value(0), "must be an integer");
  return refuse_if_any(context, object, causes);
}

// Objects of custom kinds are read whatever kind and version they name; here these must be theirs.
api::ApiResult<void> check_kind_name(const CallContext& context, const text::Object& object) {
  const api::ApiResource& resource = *context.resource;
  const std::string_view kind = api::ObjectView(object).kind();
  const std::string_view version = api::ObjectView(object).api_version();
  if (!resource.custom || (kind == resource.kind && version == resource.api_version())) return {};
  api::Causes causes;
  if (kind != resource.kind) causes.invalid("kind", text::Value(kind), "must be " + resource.kind);
  if (version != resource.api_version()) {
    causes.invalid("apiVersion", text::Value(version), "must be " + resource.api_version());
  }
  const size_t slash = version.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
  return std::unexpected(api::invalid_object(group, kind, api::name_of(object), causes.take()));
}

// Built-in kinds refuse finalizers without a domain; custom kinds only say that they are no good idea.
void warn_of_bare_finalizers(CallContext& context, const text::Object& object, const text::Object* old) {
  constexpr size_t kMaxWarned = 20;  // each becomes a header of the answer
  const text::Array* finalizers = api::ObjectView(object).metadata().finalizers().json();
  const text::Array* before = old == nullptr ? nullptr : api::ObjectView(*old).metadata().finalizers().json();
  if (!context.resource->custom || finalizers == nullptr) return;
  std::set<std::string_view> known;
  for (size_t i = 0; before != nullptr && i < before->size(); ++i) {
    if ((*before)[i].is_string()) known.insert((*before)[i].get_string());
  }
  size_t warned = 0;
  for (const text::Value& finalizer : *finalizers) {
    const std::string_view name = finalizer.is_string() ? std::string_view(finalizer.get_string()) : "";
    const bool standard = name == "orphan" || name == "foregroundDeletion" || name == "kubernetes";
    if (standard || name.find('/') != std::string_view::npos || known.contains(name)) continue;
    if (++warned > kMaxWarned) return;
    context.warnings.push_back("metadata.finalizers: \"" + std::string(name) +
                               "\": better with a domain and a path (/), so that no other writer uses the same");
  }
}

void warn(CallContext& context, const text::Object& object, const text::Object* old) {
  warn_of_bare_finalizers(context, object, old);
  if (context.resource->rules->warn != nullptr) context.resource->rules->warn(object, context.warnings);
}

// Kubernetes checks metadata several times, and tells each fault as often; see KindTraits.
void validate_changed_metadata(const CallContext& context, const text::Object& next, const text::Object& old,
                               api::Causes& causes) {
  const api::ApiResource& resource = *context.resource;
  const KindTraits& traits = traits_of(resource);
  const bool status = !context.call.subresource.empty();
  const int changes = status ? traits.status_changes : traits.update_changes;
  const int whole = status ? 0 : traits.update_whole;
  const size_t before = causes.list().size();
  api::validate_metadata(next, resource.namespaced, api::NameRule::PathSegment, causes);
  api::validate_metadata_update(next, old, causes);
  const bool faulty = causes.list().size() != before;
  for (int i = 0; faulty && i < changes; ++i) api::validate_metadata_update(next, old, causes);
  // The rule of the kind for names counts for a prefix too, which an update may bring.
  for (int i = 0; (faulty || next.contains("generateName")) && i < whole; ++i) {
    api::validate_metadata(next, resource.namespaced, resource.rules->name_rule, causes);
  }
  for (int i = 0; !traits.bare_finalizers && i < changes + whole; ++i) api::validate_builtin_finalizers(next, causes);
}

chain::AdmissionOperation operation_of(const text::Object* next, const text::Object* old) {
  if (next == nullptr) return chain::AdmissionOperation::Delete;
  return old == nullptr ? chain::AdmissionOperation::Create : chain::AdmissionOperation::Update;
}

// What the chain sees of other objects.
chain::AdmissionContext admission_context_of(const CallContext& context) {
  chain::AdmissionContext admission_context;
  admission_context.user = &context.user;
  admission_context.now = context.now;
  admission_context.options = context.admission;
  admission_context.get = [&context](std::string_view resource, std::string_view key) -> ObjectPtr {
    const store::RecordPtr record = context.store->latest(resource, key);
    return record == nullptr ? nullptr : context.parsed_objects->object(record);
  };
  admission_context.list = [&context](std::string_view resource, std::string_view prefix) {
    std::vector<ObjectPtr> objects;
    if (const auto page = context.store->list({.resource = resource, .prefix = prefix, .latest = true}); page) {
      objects.reserve(page->records.size());
      for (const store::RecordPtr& record : page->records) objects.push_back(context.parsed_objects->object(record));
    }
    return objects;
  };
  admission_context.used = [&context](const api::QuotaKind& kind, std::string_view ns, const text::Object& quota) {
    return context.quota_usage->used(kind, ns, quota, context.now);
  };
  return admission_context;
}

}  // namespace

api::ApiResult<text::Value> decode_object(CallContext& context, text::Value body) {
  if (auto decoded = decode_config(context, body); !decoded) return std::unexpected(std::move(decoded.error()));
  if (auto filled = fill_defaults(*context.resource, body); !filled) return std::unexpected(std::move(filled.error()));
  return body;
}

api::ApiResult<void> decode_config(CallContext& context, text::Value& body) {
  const api::ApiResource& resource = *context.resource;
  if (body.is_null() && !resource.custom) body = text::Object();  // null is an object in which nothing is said
  if (!body.is_object()) return std::unexpected(api::bad_request("the body must be one object, not a list or a value"));
  if (auto right = check_type(context, body.get_object()); !right) return right;
  if (auto whole = check_scale_number(context, body.get_object()); !whole) return whole;
  auto unknown =
      resource.custom ? api::normalize_custom(*resource.schema, body) : api::normalize(*resource.schema, body);
  if (!unknown) return std::unexpected(std::move(unknown.error()));
  return report_unknown(context.call.field_validation, *unknown, context.warnings);
}

api::ApiResult<void> report_unknown(api::FieldValidation validation, const std::vector<std::string>& unknown,
                                    std::vector<std::string>& warnings) {
  if (unknown.empty() || validation == api::FieldValidation::Ignore) return {};
  if (validation == api::FieldValidation::Warn) {
    for (const std::string& field : unknown) warnings.push_back("unknown field \"" + field + "\"");
    return {};
  }
  std::string message = "strict decoding error: ";
  for (size_t i = 0; i < unknown.size(); ++i)
    message += (i == 0 ? "" : ", ") + ("unknown field \"" + unknown[i] + "\"");
  return std::unexpected(api::bad_request(std::move(message)));
}

api::ApiResult<void> decode_as(CallContext& context, std::string_view type, text::Value& body) {
  const api::Schema* schema = api::builtin_schemas().find(type);
  check(schema != nullptr, "the type of a subresource is built in");
  if (body.is_null()) body = text::Object();
  auto unknown = api::normalize(*schema, body);
  if (!unknown) return std::unexpected(std::move(unknown.error()));
  return report_unknown(context.call.field_validation, *unknown, context.warnings);
}

api::ApiResult<void> fill_defaults(const api::ApiResource& resource, text::Value& object) {
  if (const auto filled = api::apply_defaults(*resource.schema, object); !filled) {
    return std::unexpected(api::too_large(filled.error().message));
  }
  if (resource.rules->complete != nullptr) resource.rules->complete(object.get_object());
  return {};
}

api::ApiResult<void> validate_new(CallContext& context, const text::Value& whole) {
  const text::Object& object = whole.get_object();
  const api::ApiResource& resource = *context.resource;
  api::Causes causes;
  if (auto named = check_kind_name(context, object); !named) return named;
  const KindTraits& traits = traits_of(resource);
  if (!traits.metadata_last) {
    api::validate_metadata(api::metadata_of(object), resource.namespaced, resource.rules->name_rule, causes);
  }
  if (resource.custom) {
    api::validate_value(*resource.schema, whole, causes);
    validate_scale(resource, object, false, causes);
  }
  if (!traits.bare_finalizers) api::validate_builtin_finalizers(api::metadata_of(object), causes);
  if (resource.rules->validate != nullptr) resource.rules->validate(object, causes);
  if (resource.rules->validate_create != nullptr) resource.rules->validate_create(object, causes);
  if (traits.metadata_last && causes.empty()) {
    api::validate_metadata(api::metadata_of(object), resource.namespaced, api::NameRule::PathSegment, causes);
  }
  if (causes.empty()) warn(context, object, nullptr);
  return refuse_if_any(context, object, causes);
}

api::ApiResult<void> validate_change(CallContext& context, const text::Value& whole, const text::Value& former) {
  const text::Object& next = whole.get_object();
  const text::Object& old = former.get_object();
  const api::KindRules& rules = *context.resource->rules;
  const bool status = context.call.subresource == "status";
  api::Causes causes;
  if (auto named = check_kind_name(context, next); !named) return named;
  validate_changed_metadata(context, api::metadata_of(next), api::metadata_of(old), causes);
  if (context.resource->custom) {
    api::validate_value_update(*context.resource->schema, whole, former, causes);
    validate_scale(*context.resource, next, status, causes);
  }
  if (status) {
    if (rules.validate_status != nullptr) rules.validate_status(next, old, causes);
  } else {
    if (rules.validate != nullptr) rules.validate(next, causes);
    if (rules.validate_update != nullptr) rules.validate_update(next, old, causes);
    if (causes.empty()) warn(context, next, &old);
  }
  return refuse_if_any(context, next, causes);
}

api::ApiResult<void> admit_mutating(const CallContext& context, text::Object* next, const text::Object* old) {
  return chain::admit_mutating(operation_of(next, old), *context.resource, context.call.subresource, next, old,
                               admission_context_of(context));
}

api::ApiResult<void> admit_validating(const CallContext& context, const text::Object* next, const text::Object* old) {
  return chain::admit_validating(operation_of(next, old), *context.resource, context.call.subresource, next, old,
                                 admission_context_of(context));
}

std::vector<std::string> warnings_for(const CallContext& context, const text::Object& created) {
  return chain::warnings_on_create(*context.resource, created, admission_context_of(context));
}

}  // namespace basalt::server

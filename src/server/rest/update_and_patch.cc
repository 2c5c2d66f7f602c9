#include "server/rest/update_and_patch.h"

#include "kube/api/object_fields.h"
#include "kube/api/views/metadata_view.h"
#include "server/rest/commit.h"
#include "server/rest/create.h"
#include "server/rest/decode_and_validate.h"
#include "server/rest/kind_traits.h"
#include "server/rest/object_metadata.h"
#include "server/rest/patch_body.h"
#include "server/rest/storage_conversion.h"

namespace basalt::server {
namespace {

using api::metadata_of;

api::ApiError not_found(const CallContext& context) {
  return api::not_found(context.resource->group, context.resource->plural, context.call.name);
}

// The name and namespace in a body must be those of the path.
api::ApiResult<void> check_place(const CallContext& context, text::Object& next) {
  text::Object& metadata = metadata_of(next);
  const std::string_view name = api::ObjectMetaView(metadata).name();
  if (name.empty()) {
    return std::unexpected(api::bad_request("the name of the object (" + context.call.name +
                                            " by the URL) must also be given in metadata.name"));
  }
  if (name != context.call.name) {
    return std::unexpected(api::bad_request("the name of the object (" + std::string(name) +
                                            ") does not match the name on the URL (" + context.call.name + ")"));
  }
  const std::string_view ns = api::ObjectMetaView(metadata).namespace_name();
  if (context.resource->namespaced && !ns.empty() && ns != context.call.namespace_name) {
    return std::unexpected(api::bad_request("the namespace of the object (" + std::string(ns) +
                                            ") does not match the namespace on the URL (" +
                                            context.call.namespace_name + ")"));
  }
  if (context.resource->namespaced) metadata["namespace"] = context.call.namespace_name;
  return {};
}

// Optimistic concurrency: a uid or resourceVersion in the body must be the latest.
api::ApiResult<void> check_preconditions(const CallContext& context, const text::Object& next, const text::Object& old,
                                         store::Revision revision) {
  const api::ApiResource& resource = *context.resource;
  const std::string_view uid = api::ObjectMetaView(metadata_of(next)).uid();
  const std::string_view old_uid = api::ObjectMetaView(metadata_of(old)).uid();
  if (context.call.verb == api::Verb::Update && !uid.empty() && uid != old_uid) {
    return std::unexpected(api::conflict(resource.group, resource.plural, context.call.name, other_uid(uid, old_uid)));
  }
  const std::string_view version = api::ObjectMetaView(metadata_of(next)).resource_version();
  if (version.empty() || version == "0") {
    const bool applied = context.call.verb == api::Verb::Patch && context.call.patch == api::PatchType::Apply;
    if (!applied && traits_of(resource).put_needs_version) {
      api::Causes causes;
      causes.invalid("metadata.resourceVersion", text::Value(0), "must be specified for an update");
      return std::unexpected(api::invalid_object(resource.group, resource.plural, context.call.name, causes.take()));
    }
    return {};
  }
  if (version != std::to_string(revision)) {
    return std::unexpected(modified_since(context));
  }
  return {};
}

// A write of the main resource leaves status alone, a write of status everything else.
void keep_the_other_part(const CallContext& context, text::Object& next, const text::Object& old) {
  const api::ApiResource& resource = *context.resource;
  if (context.call.subresource == "status") {
    text::Object status_only = old;
    api::copy_member(status_only, next, "status");
    text::Object& kept = metadata_of(status_only);
    // Metadata that a status write may carry: what versions of Kubernetes let controllers set on the way.
    const text::Object& given = metadata_of(static_cast<const text::Object&>(next));
    if (!resource.custom) {
      for (const std::string_view key : {"labels", "annotations", "finalizers", "ownerReferences", "uid",
                                         "deletionTimestamp", "deletionGracePeriodSeconds"}) {
        api::copy_member(kept, given, key);
      }
    }
    api::copy_member(kept, given, "managedFields");
    next = std::move(status_only);
  } else if (resource.has_status) {
    api::copy_member(next, old, "status");
  }
}

api::ApiResult<void> prepare(CallContext& context, text::Value& next, const text::Value& old, bool tracked) {
  const api::ApiResource& resource = *context.resource;
  const api::KindRules& rules = *resource.rules;
  text::Object& root = next.get_object();
  const text::Object& before = old.get_object();
  keep_the_other_part(context, root, before);
  prepare_for_update(root, before);
  if (!tracked) {
    metadata_of(root).erase("resourceVersion");
    api::track_update(*resource.schema, &old, next, context.writer());
  }
  keep_deletion_metadata(root, before);
  if (context.call.subresource == "status") {
    if (rules.prepare_status != nullptr) rules.prepare_status(root, before);
  } else {
    if (auto admitted = admit_mutating(context, &root, &before); !admitted) return admitted;
    if (rules.prepare_update != nullptr) rules.prepare_update(root, before);
    update_generation(resource, root, before);
  }
  if (auto valid = validate_change(context, next, old); !valid) return valid;
  return admit_validating(context, &root, &before);
}

// One attempt. False: another writer won, try again.
bool attempt_change(const ContextPtr& context, const ComputeUpdate& compute, bool tracked) {
  const store::RecordPtr latest = context->latest();
  if (latest == nullptr) {
    context->refuse(not_found(*context));
    return true;
  }
  const ObjectPtr old = shown(*context->resource, *latest);
  auto next = compute(*old);
  if (!next) {
    context->refuse(std::move(next.error()));
    return true;
  }
  text::Object& root = next->get_object();
  if (auto fine = check_preconditions(*context, root, old->get_object(), latest->revision()); !fine) {
    context->refuse(std::move(fine.error()));
    return true;
  }
  if (auto prepared = prepare(*context, *next, *old, tracked); !prepared) {
    context->refuse(std::move(prepared.error()));
    return true;
  }
  const bool remove = is_ready_for_removal(root) && context->call.subresource.empty();
  if (!remove && same_content(root, old->get_object())) {
    // Nothing changes; but the state answered must be durable, so an uncommitted one is waited for by writing it again.
    if (context->store->get(context->resource->storage_name(), context->key()) == latest) {
      ApiResponse answer;
      answer.record = latest;
      answer.warnings = context->warnings;
      context->done(std::move(answer));
      return true;
    }
  }
  if (remove) {
    return commit_finalized_deletion(context, context->key(), std::move(*next), *old, latest->revision()) ==
           CommitResult::Accepted;
  }
  return commit(context, context->key(), std::move(*next), latest->revision(), CommitAction::Update, false) ==
         CommitResult::Accepted;
}

}  // namespace

void change_object(const ContextPtr& context, const ComputeUpdate& compute, bool tracked) {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if (attempt_change(context, compute, tracked)) return;
  }
  context->refuse(store_refusal({.why = store::StoreErrorCode::Conflict, .message = ""}, *context));
}

void update(const ContextPtr& context) {
  auto object = decode_object(*context, std::move(context->call.body));
  if (!object) return context->refuse(std::move(object.error()));
  if (auto placed = check_place(*context, object->get_object()); !placed) {
    return context->refuse(std::move(placed.error()));
  }
  // Kubernetes creates a missing service also for a PUT of its status.
  if (traits_of(*context->resource).put_creates && context->latest() == nullptr) {
    text::Object& metadata = metadata_of(object->get_object());
    if (const std::string_view uid = api::ObjectMetaView(metadata).uid(); !uid.empty()) {
      return context->refuse(
          api::conflict(context->resource->group, context->resource->plural, context->call.name, other_uid(uid, "")));
    }
    if (api::ObjectMetaView(metadata).resource_version().find_first_not_of("0123456789") != std::string_view::npos) {
      return context->refuse(api::bad_request("metadata.resourceVersion is no number"));
    }
    metadata.erase("resourceVersion");
    return create_decoded(context, std::move(*object), false);
  }
  change_object(context, [&object](const text::Value&) -> api::ApiResult<text::Value> { return *object; }, false);
}

void patch(const ContextPtr& context) {
  if (context->resource->custom && context->call.patch == api::PatchType::Strategic) {
    return context->refuse(api::unsupported_media_type(
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"));
  }
  const bool apply = context->call.patch == api::PatchType::Apply;
  if (apply && context->latest() == nullptr) {
    if (!context->call.subresource.empty()) return context->refuse(not_found(*context));
    context->labels_given = gives_labels(context->call.body);
    auto object = applied_config(*context, nullptr);
    if (!object) return context->refuse(std::move(object.error()));
    if (auto placed = check_place(*context, object->get_object()); !placed) {
      return context->refuse(std::move(placed.error()));
    }
    if (const std::string_view uid = api::ObjectMetaView(metadata_of(object->get_object())).uid(); !uid.empty()) {
      return context->refuse(api::conflict(context->resource->group, context->resource->plural, context->call.name,
                                           "uid mismatch: the provided object specified uid " + std::string(uid) +
                                               ", and no existing object was found"));
    }
    metadata_of(object->get_object()).erase("resourceVersion");
    return create_decoded(context, std::move(*object), true);
  }
  change_object(
      context,
      [&context, apply](const text::Value& latest) -> api::ApiResult<text::Value> {
        auto next = apply ? applied_config(*context, &latest) : patched(*context, latest);
        if (!next) return next;
        if (auto placed = check_place(*context, next->get_object()); !placed) {
          return std::unexpected(std::move(placed.error()));
        }
        return next;
      },
      apply);
}

}  // namespace basalt::server

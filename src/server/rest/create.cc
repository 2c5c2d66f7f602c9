#include "server/rest/create.h"

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/service_view.h"
#include "server/rest/commit.h"
#include "server/rest/decode_and_validate.h"
#include "server/rest/object_metadata.h"

namespace basalt::server {
namespace {

constexpr int kMaxGeneratedNames = 8;

api::ApiError name_taken(const api::ApiResource& resource, const std::string& name, const std::string& prefix) {
  api::ApiError error = api::already_exists(resource.group, resource.plural, name);
  if (!prefix.empty()) error.retry_after_seconds = 1;  // another try may make up another name
  return error;
}

// Kubernetes gives a service its address before it looks at its name, and to a name that fits in no path it cannot.
api::ApiResult<void> refuse_unnameable(const CallContext& context, const text::Object& object) {
  const std::string_view name = api::name_of(object);
  if (context.resource->kind != "Service" || !context.resource->group.empty() || context.call.dry_run) return {};
  const std::string_view address = api::ServiceView(object).spec().cluster_ip();
  if (address.empty() || address == "None" || name.find_first_of("/%") == std::string_view::npos) return {};
  api::Causes causes;
  causes.invalid("spec.clusterIPs", text::Value(text::Array{""}),
                 "failed to allocate IP: the name may not hold / or %");
  return std::unexpected(api::invalid_object("", "Service", name, causes.take()));
}

api::ApiResult<void> prepare(const ContextPtr& context, text::Value& object, bool tracked) {
  const api::ApiResource& resource = *context->resource;
  text::Object& root = object.get_object();
  if (auto begun = prepare_for_create(*context, root); !begun) return begun;
  if (resource.has_status && (resource.custom || resource.rules->prepare_create == nullptr)) root.erase("status");
  if (!tracked) {
    api::track_update(*resource.schema, nullptr, object, context->writer());
  }
  if (auto admitted = admit_mutating(*context, &root, nullptr); !admitted) return admitted;
  if (auto nameable = refuse_unnameable(*context, root); !nameable) return nameable;
  text::Object labels;
  if (context->labels_given && resource.kind == "Job") labels = api::object_in(api::metadata_of(root), "labels");
  if (resource.rules->prepare_create != nullptr) resource.rules->prepare_create(root);
  if (!labels.empty()) api::metadata_of(root)["labels"] = std::move(labels);
  if (auto valid = validate_new(*context, object); !valid) return valid;
  if (auto judged = admit_validating(*context, &root, nullptr); !judged) return judged;
  for (std::string& warning : warnings_for(*context, root)) context->warnings.push_back(std::move(warning));
  return {};
}

// Two creates at the same time must not both take the last of a quota: where one counts, judging and ordering are one
// step. Elsewhere creates do not wait for each other.
std::unique_lock<std::recursive_mutex> quota_turn(const CallContext& context) {
  if (!context.resource->namespaced) return {};
  const std::string prefix = context.call.namespace_name + "/";
  const auto quotas = context.store->list({.resource = "resourcequotas", .prefix = prefix, .limit = 1});
  if (!quotas || quotas->records.empty()) return {};
  return std::unique_lock(*context.quota_mutex);
}

}  // namespace

void create_decoded(const ContextPtr& context, text::Value object, bool tracked) {
  const api::ApiResource& resource = *context->resource;
  const auto turn = quota_turn(*context);
  const std::string prefix(api::ObjectView(object.get_object()).metadata().generate_name());
  const bool generated = api::name_of(object.get_object()).empty() && !prefix.empty();
  if (auto prepared = prepare(context, object, tracked); !prepared) {
    return context->refuse(std::move(prepared.error()));
  }
  if (!context->call.dry_run && !api::ObjectView(object.get_object()).metadata().resource_version().empty()) {
    return context->refuse(api::bad_request("resourceVersion should not be set on objects to be created"));
  }
  for (int attempt = 0;; ++attempt) {
    const std::string name(api::name_of(object.get_object()));
    const bool last = !generated || attempt + 1 == kMaxGeneratedNames;
    if (context->store->latest(resource.storage_name(), context->key_of(name)) == nullptr) {
      text::Value draft = last ? std::move(object) : object;
      if (commit(context, context->key_of(name), std::move(draft), 0, CommitAction::Update, true) ==
          CommitResult::Accepted)
        return;
    }
    if (last) return context->refuse(name_taken(resource, name, prefix));
    api::metadata_of(object.get_object())["name"] = context->ids->name_from(prefix);
  }
}

bool gives_labels(const text::Value& body) {
  const text::Object* root = body.if_object();
  const text::Object* labels = root == nullptr ? nullptr : api::ObjectView(*root).metadata().labels().json();
  return labels != nullptr && !labels->empty();
}

void create(const ContextPtr& context) {
  context->labels_given = gives_labels(context->call.body);
  auto object = decode_object(*context, std::move(context->call.body));
  if (!object) return context->refuse(std::move(object.error()));
  create_decoded(context, std::move(*object), false);
}

}  // namespace basalt::server

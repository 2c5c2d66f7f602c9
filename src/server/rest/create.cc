#include "server/rest/create.h"

#include "api/object_fields.h"
#include "server/rest/commit.h"
#include "server/rest/decode.h"
#include "server/rest/object_life.h"

namespace basalt::server {
namespace {

constexpr int kMaxGeneratedNames = 8;

api::ApiResult<void> prepare(const ContextPtr& context, text::Value& object, bool tracked) {
  const api::Resource& resource = *context->resource;
  text::Object& root = object.get_object();
  if (auto begun = begin_life(*context, root); !begun) return begun;
  if (resource.has_status && (resource.custom || resource.rules->prepare_create == nullptr)) root.erase("status");
  if (!tracked) {
    api::track_update(*resource.schema, nullptr, object, context->writer());
  }
  if (auto admitted = admit_changing(*context, &root, nullptr); !admitted) return admitted;
  text::Object labels;
  if (context->labels_given && resource.kind == "Job") labels = api::object_in(api::metadata_of(root), "labels");
  if (resource.rules->prepare_create != nullptr) resource.rules->prepare_create(root);
  if (!labels.empty()) api::metadata_of(root)["labels"] = std::move(labels);
  if (auto valid = validate_new(*context, root); !valid) return valid;
  return admit_judging(*context, &root, nullptr);
}

// Two creates at the same time must not both take the last of a quota: where one counts, judging and ordering are one
// step. Elsewhere creates do not wait for each other.
std::unique_lock<std::recursive_mutex> quota_turn(const CallContext& context) {
  if (!context.resource->namespaced) return {};
  const std::string prefix = context.call.namespace_name + "/";
  const auto quotas = context.store->list({.resource = "resourcequotas", .prefix = prefix, .limit = 1});
  if (!quotas || quotas->records.empty()) return {};
  return std::unique_lock(*context.quota_gate);
}

}  // namespace

void create_decoded(const ContextPtr& context, text::Value object, bool tracked) {
  const api::Resource& resource = *context->resource;
  const auto turn = quota_turn(*context);
  if (auto prepared = prepare(context, object, tracked); !prepared) {
    return context->refuse(std::move(prepared.error()));
  }
  const bool generated = !api::string_at(object.get_object(), {"metadata", "generateName"}).empty();
  for (int attempt = 0;; ++attempt) {
    const std::string name(api::name_of(object.get_object()));
    const bool last = !generated || attempt + 1 == kMaxGeneratedNames;
    if (context->store->latest(resource.storage_name(), context->key_of(name)) == nullptr) {
      text::Value draft = last ? std::move(object) : object;
      if (commit(context, context->key_of(name), std::move(draft), 0, Fate::Stays, true) == Ordered::Yes) return;
    }
    if (last) return context->refuse(api::already_exists(resource.group, resource.plural, name));
    const std::string prefix(api::string_at(object.get_object(), {"metadata", "generateName"}));
    api::metadata_of(object.get_object())["name"] = context->identity->name_from(prefix);
  }
}

bool gives_labels(const text::Value& body) {
  const text::Object* root = body.if_object();
  const text::Object* labels = root == nullptr ? nullptr : api::object_at(*root, {"metadata", "labels"});
  return labels != nullptr && !labels->empty();
}

void create(const ContextPtr& context) {
  context->labels_given = gives_labels(context->call.body);
  auto object = decode_object(*context, std::move(context->call.body));
  if (!object) return context->refuse(std::move(object.error()));
  create_decoded(context, std::move(*object), false);
}

}  // namespace basalt::server

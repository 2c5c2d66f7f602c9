#include "server/rest/delete_objects.h"

#include <atomic>

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "server/rest/commit.h"
#include "server/rest/decode_and_validate.h"
#include "server/rest/deletion_plan.h"
#include "server/rest/kind_traits.h"
#include "server/rest/list_objects.h"
#include "server/rest/storage_conversion.h"

namespace basalt::server {
namespace {

api::ApiResult<void> check_preconditions(const CallContext& context, const DeleteOptions& options,
                                         const text::Object& object, store::Revision revision) {
  const std::string_view uid = api::ObjectView(object).metadata().uid();
  std::string why;
  if (!options.uid.empty() && options.uid != uid) {
    why = other_uid(options.uid, uid);
  } else if (!options.resource_version.empty() && options.resource_version != std::to_string(revision)) {
    why = "Precondition failed: ResourceVersion in precondition: " + options.resource_version +
          ", ResourceVersion in object meta: " + std::to_string(revision);
  }
  if (why.empty()) return {};
  const bool is_namespace = context.resource->kind == "Namespace";
  return std::unexpected(api::conflict(context.resource->group,
                                       is_namespace ? context.resource->plural : context.resource->kind,
                                       context.call.name, why));
}

ApiResponse success_status(const api::ApiResource& resource, const store::RecordPtr& record) {
  const ObjectPtr object = record->object();
  const text::Object& root = object->get_object();
  text::Object details;
  details["name"] = api::name_of(root);
  if (!resource.group.empty()) details["group"] = resource.group;
  details["kind"] = resource.plural;
  details["uid"] = api::ObjectView(root).metadata().uid();
  text::Object status;
  status["kind"] = "Status";
  status["apiVersion"] = "v1";
  status["metadata"] = text::Object();
  status["status"] = "Success";
  status["details"] = std::move(details);
  ApiResponse answer;
  answer.value = std::make_shared<const text::Value>(std::move(status));
  return answer;
}

bool attempt_removal(const ContextPtr& context, const DeleteOptions& options) {
  const api::ApiResource& resource = *context->resource;
  const auto refuse = [&context](api::ApiError error) {
    context->refuse(std::move(error));
    return true;
  };
  const store::RecordPtr latest = context->latest();
  if (latest == nullptr) return refuse(api::not_found(resource.group, resource.plural, context->call.name));
  const ObjectPtr old = shown(resource, *latest);
  const text::Object& before = old->get_object();
  if (auto fine = check_preconditions(*context, options, before, latest->revision()); !fine) {
    return refuse(std::move(fine.error()));
  }
  if (auto admitted = admit_mutating(*context, nullptr, &before); !admitted) return refuse(std::move(admitted.error()));
  DeletionPlan plan = plan_deletion(*context, options, *old);
  if (plan.nothing && context->store->get(resource.storage_name(), context->key()) == latest) {
    ApiResponse answer;
    answer.record = latest;
    answer.accepted = options.cascade;
    context->done(std::move(answer));
    return true;
  }
  std::function<ApiResponse(const store::RecordPtr&)> finish;
  if (plan.action == CommitAction::Update && options.cascade) {
    finish = [context](const store::RecordPtr& record) {
      ApiResponse answer;
      answer.record = record;
      answer.accepted = true;
      answer.warnings = context->warnings;
      return answer;
    };
  }
  if (plan.action != CommitAction::Update && !traits_of(resource).delete_answers_object) {
    finish = [&resource = *context->resource, kinds = context->kinds](const store::RecordPtr& record) {
      return success_status(resource, record);
    };
  }
  return commit(context, context->key(), std::move(plan.next), latest->revision(), plan.action, false,
                std::move(finish)) == CommitResult::Accepted;
}

// Removals of a collection that are still under way; the last one answers the call.
struct Collection {
  ContextPtr context;
  ListResponse listing;
  std::atomic<size_t> open = 0;
  std::mutex mutex;
  std::optional<api::ApiError> error;

  void one_done(const ApiOutcome& outcome) {
    if (!outcome && outcome.error().code != 404) {
      const std::lock_guard lock(mutex);
      error = outcome.error();
    }
    if (open.fetch_sub(1) != 1) return;
    if (error) return context->refuse(std::move(*error));
    ApiResponse answer;
    answer.list = std::move(listing);
    answer.warnings = context->warnings;
    context->done(std::move(answer));
  }
};

void warn_of_orphans(CallContext& context) {
  context.warnings.push_back("dependents stay when " + context.resource->plural +
                             " are deleted: set propagationPolicy=Background to remove them, or "
                             "propagationPolicy=Orphan to say that this is meant");
}

}  // namespace

void remove(const ContextPtr& context) {
  auto options = read_delete_options(context->call.body);
  if (!options) return context->refuse(std::move(options.error()));
  if (options->dry_run) context->call.dry_run = true;
  if (options->propagation.empty() && traits_of(*context->resource).orphans) warn_of_orphans(*context);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if (attempt_removal(context, *options)) return;
  }
  context->refuse(store_refusal({.why = store::StoreErrorCode::Conflict, .message = ""}, *context));
}

void remove_collection(const ContextPtr& context) {
  const auto options = read_delete_options(context->call.body);
  if (!options) return context->refuse(options.error());
  if (options->propagation.empty() && traits_of(*context->resource).orphans) warn_of_orphans(*context);
  auto listing = list_matching(*context);
  if (!listing) return context->refuse(std::move(listing.error()));
  auto collection = std::make_shared<Collection>();
  collection->context = context;
  collection->listing = std::move(*listing);
  const std::vector<store::RecordPtr> records = collection->listing.records;
  collection->open = records.size() + 1;  // one for this loop, so that nobody answers before it is over
  for (const store::RecordPtr& record : records) {
    auto one = std::make_shared<CallContext>(*context);
    const std::string_view key = record->key();
    one->call.name = key.substr(key.find('/') == std::string_view::npos ? 0 : key.find('/') + 1);
    if (context->resource->namespaced) one->call.namespace_name = key.substr(0, key.find('/'));
    one->done = [collection](const ApiOutcome& outcome) { collection->one_done(outcome); };
    remove(one);
  }
  collection->one_done(ApiResponse{});
}

}  // namespace basalt::server

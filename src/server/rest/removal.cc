#include "server/rest/removal.h"

#include <atomic>

#include "kube/api/object_fields.h"
#include "server/rest/commit.h"
#include "server/rest/decode.h"
#include "server/rest/kind_traits.h"
#include "server/rest/listing.h"
#include "server/rest/removal_plan.h"
#include "server/rest/stored_form.h"

namespace basalt::server {
namespace {

using api::string_at;

api::ApiResult<void> check_preconditions(const CallContext& context, const DeleteOptions& options,
                                         const text::Object& object, store::Revision revision) {
  const std::string_view uid = string_at(object, {"metadata", "uid"});
  std::string why;
  if (!options.uid.empty() && options.uid != uid) {
    why = other_uid(options.uid, uid);
  } else if (!options.resource_version.empty() && options.resource_version != std::to_string(revision)) {
    why = "Precondition failed: ResourceVersion in precondition: " + options.resource_version +
          ", ResourceVersion in object meta: " + std::to_string(revision);
  }
  if (why.empty()) return {};
  const bool space = context.resource->kind == "Namespace";
  return std::unexpected(api::conflict(
      context.resource->group, space ? context.resource->plural : context.resource->kind, context.call.name, why));
}

Answer success_status(const api::Resource& resource, const store::RecordPtr& record) {
  const ObjectPtr object = record->object();
  const text::Object& root = object->get_object();
  text::Object details;
  details["name"] = api::name_of(root);
  if (!resource.group.empty()) details["group"] = resource.group;
  details["kind"] = resource.plural;
  details["uid"] = string_at(root, {"metadata", "uid"});
  text::Object status;
  status["kind"] = "Status";
  status["apiVersion"] = "v1";
  status["metadata"] = text::Object();
  status["status"] = "Success";
  status["details"] = std::move(details);
  Answer answer;
  answer.value = std::make_shared<const text::Value>(std::move(status));
  return answer;
}

bool attempt_removal(const ContextPtr& context, const DeleteOptions& options) {
  const api::Resource& resource = *context->resource;
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
  if (auto admitted = admit_changing(*context, nullptr, &before); !admitted) return refuse(std::move(admitted.error()));
  RemovalPlan plan = plan_removal(*context, options, *old);
  if (plan.nothing && context->store->get(resource.storage_name(), context->key()) == latest) {
    Answer answer;
    answer.record = latest;
    answer.accepted = options.cascade;
    context->done(std::move(answer));
    return true;
  }
  std::function<Answer(const store::RecordPtr&)> finish;
  if (plan.fate == Fate::Stays && options.cascade) {
    finish = [context](const store::RecordPtr& record) {
      Answer answer;
      answer.record = record;
      answer.accepted = true;
      answer.warnings = context->warnings;
      return answer;
    };
  }
  if (plan.fate != Fate::Stays && !traits_of(resource).delete_answers_object) {
    finish = [&resource = *context->resource, kinds = context->kinds](const store::RecordPtr& record) {
      return success_status(resource, record);
    };
  }
  return commit(context, context->key(), std::move(plan.next), latest->revision(), plan.fate, false,
                std::move(finish)) == Ordered::Yes;
}

// Removals of a collection that are still under way; the last one answers the call.
struct Collection {
  ContextPtr context;
  Listing listing;
  std::atomic<size_t> open = 0;
  std::mutex mutex;
  std::optional<api::ApiError> error;

  void one_done(const Outcome& outcome) {
    if (!outcome && outcome.error().code != 404) {
      const std::lock_guard lock(mutex);
      error = outcome.error();
    }
    if (open.fetch_sub(1) != 1) return;
    if (error) return context->refuse(std::move(*error));
    Answer answer;
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
  context->refuse(store_refusal({.why = store::Refusal::Conflict, .message = ""}, *context));
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
    one->done = [collection](const Outcome& outcome) { collection->one_done(outcome); };
    remove(one);
  }
  collection->one_done(Answer{});
}

}  // namespace basalt::server

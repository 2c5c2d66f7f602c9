#include "server/rest/removal.h"

#include <algorithm>
#include <atomic>

#include "api/object_fields.h"
#include "server/rest/commit.h"
#include "server/rest/decode.h"
#include "server/rest/kind_traits.h"
#include "server/rest/listing.h"
#include "server/rest/object_life.h"
#include "server/rest/stored_form.h"
#include "text/time.h"

namespace basalt::server {
namespace {

using api::string_at;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

struct DeleteOptions {
  std::optional<int64_t> grace;
  std::string uid, resource_version;  // preconditions; "": none
  std::string propagation;            // "", Background, Foreground, Orphan
  bool dry_run = false;
  bool cascade = false;  // orphanDependents is false: a deletion that takes time is answered with 202
};

api::ApiResult<DeleteOptions> read_options(const text::Value& body) {
  DeleteOptions options;
  if (body.is_null()) return options;
  if (!body.is_object()) return std::unexpected(api::bad_request("DeleteOptions must be an object"));
  const text::Object& given = body.get_object();
  if (const std::string_view kind = string_at(given, "kind"); !kind.empty() && kind != "DeleteOptions") {
    return std::unexpected(api::bad_request("the body must be DeleteOptions, not " + std::string(kind)));
  }
  if (const text::Value* grace = given.if_contains("gracePeriodSeconds"); grace != nullptr && !grace->is_null()) {
    if (!grace->is_int64()) return std::unexpected(api::bad_request("gracePeriodSeconds must be an integer"));
    options.grace = grace->get_int64();
  }
  options.uid = string_at(given, {"preconditions", "uid"});
  options.resource_version = string_at(given, {"preconditions", "resourceVersion"});
  options.propagation = string_at(given, "propagationPolicy");
  api::Causes causes;
  if (const text::Array* dry = api::array_at(given, {"dryRun"}); dry != nullptr && !dry->empty()) {
    options.dry_run = true;
    if (dry->front() != "All") causes.not_supported("dryRun", dry->front(), {"All"});
  }
  const text::Value* orphan = given.if_contains("orphanDependents");
  if (orphan != nullptr && orphan->is_bool()) {
    if (!options.propagation.empty()) {
      causes.invalid("propagationPolicy", text::Value(options.propagation),
                     "orphanDependents and deletionPropagation cannot be both set");
    }
    options.propagation = orphan->get_bool() ? "Orphan" : "Background";
    options.cascade = !orphan->get_bool();
  }
  if (!options.propagation.empty() && options.propagation != "Background" && options.propagation != "Foreground" &&
      options.propagation != "Orphan") {
    causes.not_supported("propagationPolicy", text::Value(options.propagation), {"Foreground", "Background", "Orphan"});
  }
  if (!causes.empty()) return std::unexpected(api::invalid_object("meta.k8s.io", "DeleteOptions", "", causes.take()));
  return options;
}

api::ApiResult<void> check_preconditions(const CallContext& context, const DeleteOptions& options,
                                         const text::Object& object, store::Revision revision) {
  const std::string_view uid = string_at(object, {"metadata", "uid"});
  std::string why;
  if (!options.uid.empty() && options.uid != uid) {
    why = "Precondition failed: UID in precondition: " + options.uid + ", UID in object meta: " + std::string(uid);
  } else if (!options.resource_version.empty() && options.resource_version != std::to_string(revision)) {
    why = "Precondition failed: ResourceVersion in precondition: " + options.resource_version +
          ", ResourceVersion in object meta: " + std::to_string(revision);
  }
  if (why.empty()) return {};
  const bool space = context.resource->kind == "Namespace";
  return std::unexpected(api::conflict(
      context.resource->group, space ? context.resource->plural : context.resource->kind, context.call.name, why));
}

// How long a pod may take to end. Other kinds go at once.
int64_t grace_of(const CallContext& context, const DeleteOptions& options, const text::Object& object) {
  if (context.resource->kind != "Pod" || !context.resource->group.empty()) return 0;
  const std::string_view phase = string_at(object, {"status", "phase"});
  if (string_at(object, {"spec", "nodeName"}).empty() || phase == "Succeeded" || phase == "Failed") return 0;
  const int64_t own = api::int_at(object, {"spec", "terminationGracePeriodSeconds"}, 30);
  const int64_t grace = options.grace.value_or(own);
  return grace < 0 ? 1 : grace;
}

// The propagation policy as finalizers: the garbage collector removes them when its work is done.
void set_propagation(text::Object& object, const std::string& policy) {
  if (policy.empty()) return;
  text::Object& metadata = api::metadata_of(object);
  text::Array kept;
  if (const text::Array* finalizers = api::array_at(object, {"metadata", "finalizers"}); finalizers != nullptr) {
    for (const text::Value& finalizer : *finalizers) {
      const std::string_view name = finalizer.is_string() ? std::string_view(finalizer.get_string()) : "";
      if (name != kOrphan && name != kForeground) kept.push_back(finalizer);
    }
  }
  if (policy == "Orphan") kept.emplace_back(kOrphan);
  if (policy == "Foreground") kept.emplace_back(kForeground);
  if (kept.empty()) {
    metadata.erase("finalizers");
  } else {
    metadata["finalizers"] = std::move(kept);
  }
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

struct Plan {
  text::Value next;
  Fate fate = Fate::Stays;  // a pod whose marks of deletion are new departs
  bool nothing = false;     // it is already on its way; nothing to write
};

Plan plan_removal(const CallContext& context, const DeleteOptions& options, const text::Value& old) {
  Plan plan{.next = old};
  text::Object& root = plan.next.get_object();
  const text::Object& before = old.get_object();
  const int64_t grace = grace_of(context, options, before);
  if (context.resource->kind != "Event" || context.resource->custom) set_propagation(root, options.propagation);
  const bool was_deleted = is_being_deleted(before);
  const int64_t pending = api::int_at(before, {"metadata", "deletionGracePeriodSeconds"});
  const bool sooner = grace < pending && (options.grace || grace == 0);
  if (context.resource->kind == "Pod" && was_deleted && !sooner && (pending > 0 || has_finalizers(before))) {
    return {.next = old, .nothing = true};  // it is on its way already
  }
  if (grace == 0 && !has_finalizers(root)) {
    plan.fate = Fate::Goes;
    if (context.resource->kind != "Pod" || !context.resource->group.empty()) return plan;
    if (!was_deleted) {
      mark_deleted(root, context.now, 0);
      plan.fate = Fate::Departs;
    } else if (api::int_at(before, {"metadata", "deletionGracePeriodSeconds"}) > 0) {
      api::metadata_of(root)["deletionGracePeriodSeconds"] = 0;
      api::metadata_of(root)["deletionTimestamp"] = text::format_time(context.now);
      plan.fate = Fate::Departs;
    }
    return plan;
  }
  if (!was_deleted) {
    mark_deleted(root, context.now, grace);
    if (context.resource->kind == "Namespace") {
      api::object_in(root, "status")["phase"] = "Terminating";
      api::metadata_of(root).erase("deletionGracePeriodSeconds");
    } else if (context.resource->kind == "CustomResourceDefinition") {
      api::metadata_of(root).erase("deletionGracePeriodSeconds");
      api::copy_member(api::metadata_of(root), api::metadata_of(before), "generation");
    }
  } else if (grace < api::int_at(before, {"metadata", "deletionGracePeriodSeconds"}) && options.grace) {
    api::metadata_of(root)["deletionGracePeriodSeconds"] = grace;  // sooner, never later
  }
  plan.nothing = same_content(root, before);
  return plan;
}

bool attempt_removal(const ContextPtr& context, const DeleteOptions& options) {
  const api::Resource& resource = *context->resource;
  const auto refuse = [&context](api::ApiError error) {
    context->refuse(std::move(error));
    return true;
  };
  const store::RecordPtr latest = context->store->latest(resource.storage_name(), context->key());
  if (latest == nullptr) return refuse(api::not_found(resource.group, resource.plural, context->call.name));
  const ObjectPtr old = shown(resource, *latest);
  const text::Object& before = old->get_object();
  if (auto fine = check_preconditions(*context, options, before, latest->revision()); !fine) {
    return refuse(std::move(fine.error()));
  }
  if (auto admitted = admit_changing(*context, nullptr, &before); !admitted) return refuse(std::move(admitted.error()));
  Plan plan = plan_removal(*context, options, *old);
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
  auto options = read_options(context->call.body);
  if (!options) return context->refuse(std::move(options.error()));
  if (options->dry_run) context->call.dry_run = true;
  if (options->propagation.empty() && traits_of(*context->resource).orphans) {
    options->propagation = "Orphan";
    warn_of_orphans(*context);
  }
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if (attempt_removal(context, *options)) return;
  }
  context->refuse(store_refusal({.why = store::Refusal::Conflict, .message = ""}, *context));
}

void remove_collection(const ContextPtr& context) {
  const auto options = read_options(context->call.body);
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

#include "server/rest/deletion_plan.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/schema/normalize.h"
#include "kube/api/views/delete_options_view.h"
#include "kube/api/views/metadata_view.h"
#include "kube/api/views/namespace_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/text/rfc3339.h"
#include "server/rest/kind_traits.h"
#include "server/rest/object_metadata.h"

namespace basalt::server {
namespace {

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

bool is_pod(const CallContext& context) { return context.resource->kind == "Pod" && context.resource->group.empty(); }

// How long a pod that is not being deleted yet may take to end.
int64_t grace_of_pod(const DeleteOptions& options, const text::Object& object) {
  const api::PodView pod(object);
  const std::string_view phase = pod.status().phase();
  if (pod.spec().node_name().empty() || phase == "Succeeded" || phase == "Failed") return 0;
  const int64_t own = pod.spec().termination_grace_period_seconds().value_or(30);
  const int64_t grace = options.grace.value_or(own);
  return grace < 0 ? 1 : grace;
}

// A grace period that runs may only be shortened, and never ends in the past.
void shorten_grace(text::Object& pod, int64_t pending, int64_t grace, Instant now) {
  text::Object& metadata = api::metadata_of(pod);
  const auto ends = text::parse_time(api::ObjectMetaView(metadata).deletion_timestamp());
  const Instant wished = ends ? *ends + Duration::seconds(grace - pending) : now;
  const bool over = wished < now;
  metadata["deletionTimestamp"] = text::format_time(over ? now : wished);
  metadata["deletionGracePeriodSeconds"] = over && grace > 0 ? 1 : grace;
}

std::vector<std::string> finalizers_of(const text::Object& object) {
  std::vector<std::string> names;
  if (const text::Array* list = api::ObjectView(object).metadata().finalizers().json(); list != nullptr) {
    for (const text::Value& one : *list) {
      if (one.is_string()) names.emplace_back(one.get_string().data(), one.get_string().size());
    }
  }
  return names;
}

// The propagation policy as finalizers: the garbage collector removes them when its work is done. Without a policy
// those that are there speak; where there is none, the habit of the kind.
void set_propagation(const CallContext& context, const DeleteOptions& options, text::Object& object) {
  if (context.resource->kind == "Event" && !context.resource->custom) return;
  const std::vector<std::string> before = finalizers_of(object);
  const auto had = [&](std::string_view name) { return std::ranges::find(before, name) != before.end(); };
  std::string policy = options.propagation;
  if (policy.empty() && (had(kOrphan) || had(kForeground))) return;
  if (policy.empty()) policy = traits_of(*context.resource).orphans ? "Orphan" : "Background";
  // A namespace is emptied before it goes, so "do not orphan" means to wait for that.
  const bool waits = options.cascade && context.resource->kind == "Namespace" && !is_being_deleted(object);
  const bool orphan = policy == "Orphan";
  const bool foreground = policy == "Foreground" || waits;
  if (had(kOrphan) == orphan && had(kForeground) == foreground) return;
  text::Array kept;
  for (const std::string& name : before) {
    if (name != kOrphan && name != kForeground) kept.emplace_back(name);
  }
  if (orphan) kept.emplace_back(kOrphan);
  if (foreground) kept.emplace_back(kForeground);
  if (kept.empty()) {
    api::metadata_of(object).erase("finalizers");
  } else {
    api::metadata_of(object)["finalizers"] = std::move(kept);
  }
}

DeletionPlan plan_pod(const CallContext& context, const DeleteOptions& options, const text::Value& old) {
  DeletionPlan plan{.next = old};
  text::Object& root = plan.next.get_object();
  const int64_t pending = api::ObjectView(old.get_object()).metadata().deletion_grace_period_seconds().value_or(0);
  const bool was_deleted = is_being_deleted(root);
  int64_t grace = 0;
  if (!was_deleted) {
    grace = grace_of_pod(options, root);
    mark_deleted(root, context.now, grace);
  } else if (pending > 0) {
    grace = options.grace && *options.grace < 0 ? 1 : options.grace.value_or(pending);
    if (grace >= pending) return {.next = old, .nothing = true};
    shorten_grace(root, pending, grace, context.now);
  }
  set_propagation(context, options, root);
  if (has_finalizers(root) || grace > 0) {
    plan.nothing = same_content(root, old.get_object());
  } else {
    plan.action = was_deleted && pending == 0 ? CommitAction::Delete : CommitAction::UpdateThenDelete;
  }
  return plan;
}

void mark_namespace(text::Object& ns) {
  api::object_in(ns, "status")["phase"] = "Terminating";
  api::metadata_of(ns).erase("deletionGracePeriodSeconds");
}

}  // namespace

api::ApiResult<DeleteOptions> read_delete_options(const text::Value& body) {
  DeleteOptions options;
  if (body.is_null()) return options;
  text::Value decoded = body;
  const api::Schema* type = api::builtin_schemas().find("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
  check(type != nullptr, "DeleteOptions are built in");
  if (auto read = api::normalize(*type, decoded); !read) return std::unexpected(std::move(read.error()));
  const text::Object& given = decoded.get_object();
  if (const std::string_view kind = api::DeleteOptionsView(given).kind(); !kind.empty() && kind != "DeleteOptions") {
    return std::unexpected(api::bad_request("the body must be DeleteOptions, not " + std::string(kind)));
  }
  if (given.contains("gracePeriodSeconds"))
    options.grace = api::DeleteOptionsView(given).grace_period_seconds().value_or(0);
  options.uid = api::DeleteOptionsView(given).preconditions().uid();
  options.resource_version = api::DeleteOptionsView(given).preconditions().resource_version();
  options.propagation = api::DeleteOptionsView(given).propagation_policy();
  api::Causes causes;
  if (const text::Array* dry = api::DeleteOptionsView(given).dry_run().json(); dry != nullptr && !dry->empty()) {
    options.dry_run = true;
    if (dry->front() != "All") causes.not_supported("dryRun", dry->front(), {"All"});
  }
  if (const text::Value* orphan = given.if_contains("orphanDependents"); orphan != nullptr) {
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

DeletionPlan plan_deletion(const CallContext& context, const DeleteOptions& options, const text::Value& old) {
  if (is_pod(context)) return plan_pod(context, options, old);
  DeletionPlan plan{.next = old};
  text::Object& root = plan.next.get_object();
  const bool ns = context.resource->kind == "Namespace" && context.resource->group.empty();
  const text::Array* of_spec = ns ? api::NamespaceView(root).spec().finalizers().json() : nullptr;
  if (is_being_deleted(root) && of_spec != nullptr && !of_spec->empty()) {
    return {.next = old, .nothing = true};  // it is emptied first
  }
  set_propagation(context, options, root);
  if (!has_finalizers(root)) {
    plan.action = CommitAction::Delete;
    return plan;
  }
  if (!is_being_deleted(root)) {
    mark_deleted(root, context.now, 0);
    if (ns) mark_namespace(root);
    if (context.resource->kind == "CustomResourceDefinition") {
      api::metadata_of(root).erase("deletionGracePeriodSeconds");
      api::copy_member(api::metadata_of(root), api::metadata_of(old.get_object()), "generation");
    }
  }
  plan.nothing = same_content(root, old.get_object());
  return plan;
}

}  // namespace basalt::server

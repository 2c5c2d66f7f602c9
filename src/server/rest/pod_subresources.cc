#include "server/rest/pod_subresources.h"

#include <tuple>

#include "kube/api/object_fields.h"
#include "kube/api/selector_text.h"
#include "kube/api/views/binding_view.h"
#include "kube/api/views/budget_view.h"
#include "kube/api/views/delete_options_view.h"
#include "kube/api/views/eviction_view.h"
#include "kube/api/views/namespace_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/text/rfc3339.h"
#include "server/rest/decode_and_validate.h"
#include "server/rest/delete_objects.h"
#include "server/rest/guaranteed_update.h"
#include "server/rest/object_metadata.h"

namespace basalt::server {
namespace {

constexpr std::string_view kBudgets = "poddisruptionbudgets.policy";

api::ApiError pod_conflict(const CallContext& context, std::string_view why) {
  return api::conflict("", "pods/binding", context.call.name, why);
}

api::ApiResult<std::string> node_of_binding(const CallContext& context) {
  const text::Object& binding = context.call.body.get_object();
  const std::string_view named = api::name_of(binding);
  if (named != context.call.name) {
    return std::unexpected(api::bad_request("name in URL does not match name in Binding object"));
  }
  const std::string_view ns = api::namespace_of(binding);
  if (!ns.empty() && ns != context.call.namespace_name) {
    return std::unexpected(
        api::bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  }
  const std::string_view kind = api::BindingView(binding).target().kind();
  const std::string_view node = api::BindingView(binding).target().name();
  api::Causes causes;
  if (!kind.empty() && kind != "Node") causes.not_supported("target.kind", text::Value(kind), {"Node", "<empty>"});
  if (node.empty()) causes.required("target.name", "");
  if (!causes.empty()) {
    return std::unexpected(api::invalid_object("", "Binding", context.call.name, causes.take()));
  }
  return std::string(node);
}

void set_scheduled(text::Object& pod, Instant now) {
  text::Array& conditions = api::array_in(api::object_in(pod, "status"), "conditions");
  text::Object scheduled;
  scheduled["type"] = "PodScheduled";
  scheduled["status"] = "True";
  scheduled["lastProbeTime"] = nullptr;
  scheduled["lastTransitionTime"] = text::format_time(now);
  if (text::Value* known = condition_of(conditions, "PodScheduled"); known != nullptr) {
    *known = std::move(scheduled);
  } else {
    conditions.emplace_back(std::move(scheduled));
  }
}

api::ApiResult<void> assign(const CallContext& context, const text::Object& binding, const std::string& node,
                            text::Object& pod) {
  const std::string& name = context.call.name;
  const std::string_view uid = api::BindingView(binding).metadata().uid();
  const api::PodView as_it_is(pod);  // until the pod is changed, below
  const std::string_view pod_uid = as_it_is.metadata().uid();
  if (!uid.empty() && uid != pod_uid) {
    return std::unexpected(api::conflict("", "pods", context.call.name, other_uid(uid, pod_uid)));
  }
  if (!as_it_is.metadata().deletion_timestamp().empty()) {
    return std::unexpected(pod_conflict(context, "pod " + name + " is being deleted, cannot be assigned to a host"));
  }
  if (const std::string_view now_on = as_it_is.spec().node_name(); !now_on.empty()) {
    return std::unexpected(
        pod_conflict(context, "pod " + name + " is already assigned to node \"" + std::string(now_on) + "\""));
  }
  if (!as_it_is.spec().scheduling_gates().empty()) {
    return std::unexpected(pod_conflict(context, "pod " + name + " has non-empty .spec.schedulingGates"));
  }
  api::object_in(pod, "spec")["nodeName"] = node;
  for (const std::string_view map : {"annotations", "labels"}) {
    const text::Object* given = api::object_at(binding, {"metadata", map});
    if (given == nullptr || given->empty()) continue;
    text::Object& into = api::object_in(api::metadata_of(pod), map);
    for (const auto& member : *given) into[member.key()] = member.value();
  }
  api::object_in(pod, "status").erase("nominatedNodeName");  // it has a node of its own now
  set_scheduled(pod, context.now);
  return {};
}

bool needs_no_budget(const text::Object& object) {
  const api::PodView pod(object);
  const std::string_view phase = pod.status().phase();
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         !pod.metadata().deletion_timestamp().empty();
}

// The budgets that guard a pod.
std::vector<ObjectPtr> budgets_of(const CallContext& context, const text::Object& pod) {
  std::vector<ObjectPtr> found;
  const std::string prefix = context.call.namespace_name + "/";
  const auto page = context.store->list({.resource = kBudgets, .prefix = prefix});
  if (!page) return found;
  const text::Value* labels = api::value_at(pod, {"metadata", "labels"});
  for (const store::RecordPtr& record : page->records) {
    ObjectPtr budget = record->object();
    const text::Value* selector = api::value_at(budget->get_object(), {"spec", "selector"});
    if (selector == nullptr) continue;
    api::Causes ignored;
    if (api::LabelQuery::from_selector(*selector, "", ignored).matches_labels(labels))
      found.push_back(std::move(budget));
  }
  return found;
}

api::ApiError no_budget_left(const text::Object& budget) {
  api::ApiError error = api::too_many_requests("Cannot evict pod as it would violate the pod's disruption budget.", 0);
  error.causes.push_back({.reason = "DisruptionBudget",
                          .message = "The disruption budget " + std::string(api::name_of(budget)) + " needs " +
                                     std::to_string(api::PodDisruptionBudgetView(budget).status().desired_healthy()) +
                                     " healthy pods and has " +
                                     std::to_string(api::PodDisruptionBudgetView(budget).status().current_healthy()) +
                                     " currently",
                          .field = ""});
  return error;
}

void mark_disrupted(text::Object& pod, Instant now) {
  text::Array& conditions = api::array_in(api::object_in(pod, "status"), "conditions");
  text::Object target{{"type", "DisruptionTarget"},        {"status", "True"},
                      {"lastProbeTime", nullptr},          {"lastTransitionTime", text::format_time(now)},
                      {"reason", "EvictionByEvictionAPI"}, {"message", "Eviction API: evicting"}};
  text::Value* known = condition_of(conditions, "DisruptionTarget");
  if (known == nullptr) {
    conditions.emplace_back(std::move(target));
    return;
  }
  if (api::PodConditionView(known->get_object()).status() == "True") {
    api::copy_member(target, known->get_object(), "lastTransitionTime");
  }
  *known = std::move(target);
}

void delete_pod(const ContextPtr& context, std::string_view revision) {
  auto removal = std::make_shared<CallContext>(*context);
  removal->call.verb = api::Verb::Delete;
  removal->call.subresource.clear();
  const text::Object* eviction = context->call.body.if_object();
  const text::Value* options = eviction == nullptr ? nullptr : eviction->if_contains("deleteOptions");
  removal->call.body = options == nullptr ? text::Value() : *options;
  if (!revision.empty() && options != nullptr && options->is_object() &&
      !api::DeleteOptionsView(options->get_object()).preconditions().resource_version().empty()) {
    api::object_in(removal->call.body.get_object(), "preconditions")["resourceVersion"] = revision;
  }
  removal->done = [context](ApiOutcome outcome) {
    if (!outcome) return context->refuse(std::move(outcome.error()));
    context->done(success_response());
  };
  remove(removal);
}

bool is_dry(const CallContext& context) {
  if (context.call.dry_run) return true;
  const text::Object* eviction = context.call.body.if_object();
  const text::Array* dry =
      eviction == nullptr ? nullptr : api::EvictionView(*eviction).delete_options().dry_run().json();
  return dry != nullptr && !dry->empty();
}

// Says in the pod's status why it goes, then deletes it.
void delete_evicted(const ContextPtr& context) {
  if (is_dry(*context)) return delete_pod(context, "");
  auto marking = std::make_shared<CallContext>(*context);
  marking->call.subresource = "status";
  marking->done = [context](ApiOutcome outcome) {
    if (!outcome) return context->refuse(std::move(outcome.error()));
    delete_pod(context, outcome->record == nullptr ? "" : std::to_string(outcome->record->revision()));
  };
  const text::Object& eviction = context->call.body.get_object();
  guaranteed_update(
      marking,
      [&](text::Object& pod) -> api::ApiResult<void> {
        const api::PreconditionsView wanted = api::EvictionView(eviction).delete_options().preconditions();
        const api::ObjectMetaView there = api::PodView(pod).metadata();
        for (const auto& [field, given, has] :
             {std::tuple("uid", wanted.uid(), there.uid()),
              std::tuple("resourceVersion", wanted.resource_version(), there.resource_version())}) {
          if (given.empty() || given == has) continue;
          return std::unexpected(api::conflict("", "Pod", context->call.name,
                                               "the " + std::string(field) + " in the precondition does not match"));
        }
        mark_disrupted(pod, context->now);
        return {};
      },
      nullptr);
}

// Takes one disruption from the budget, then deletes.
void charge_and_delete(const ContextPtr& context, const text::Object& budget) {
  auto charge = std::make_shared<CallContext>(*context);
  charge->resource = context->kinds->find("policy", "v1", "poddisruptionbudgets");
  charge->call.name = api::name_of(budget);
  charge->call.subresource = "status";
  charge->done = [context](ApiOutcome outcome) {
    if (!outcome) return context->refuse(std::move(outcome.error()));
    delete_evicted(context);
  };
  guaranteed_update(
      charge,
      [&context](text::Object& latest) -> api::ApiResult<void> {
        text::Object& status = api::object_in(latest, "status");
        const int64_t allowed = api::PodDisruptionBudgetView(latest).status().disruptions_allowed();
        if (allowed <= 0) return std::unexpected(no_budget_left(latest));
        status["disruptionsAllowed"] = allowed - 1;
        api::object_in(status, "disruptedPods")[context->call.name] = text::format_time(context->now);
        return {};
      },
      nullptr);
}

}  // namespace

void bind_pod(const ContextPtr& context) {
  if (auto decoded = decode_as(*context, "io.k8s.api.core.v1.Binding", context->call.body); !decoded) {
    return context->refuse(std::move(decoded.error()));
  }
  auto node = node_of_binding(*context);
  if (!node) return context->refuse(std::move(node.error()));
  const text::Object& binding = context->call.body.get_object();
  guaranteed_update(
      context, [&](text::Object& pod) { return assign(*context, binding, *node, pod); },
      [](const store::RecordPtr&) { return success_response(); }, EditEffect::Changes);
}

void evict_pod(const ContextPtr& context) {
  if (auto decoded = decode_as(*context, "io.k8s.api.policy.v1.Eviction", context->call.body); !decoded) {
    return context->refuse(std::move(decoded.error()));
  }
  if (api::name_of(context->call.body.get_object()) != context->call.name) {
    return context->refuse(api::bad_request("name in URL does not match name in Eviction object"));
  }
  const store::RecordPtr record = context->latest();
  if (record == nullptr) return context->refuse(api::not_found("", "pods", context->call.name));
  const ObjectPtr pod = record->object();
  if (needs_no_budget(pod->get_object())) return delete_evicted(context);
  const std::vector<ObjectPtr> budgets = budgets_of(*context, pod->get_object());
  if (budgets.empty()) return delete_evicted(context);
  if (budgets.size() > 1) {
    api::ApiError error;
    error.reason.clear();
    error.message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    return context->refuse(std::move(error));
  }
  charge_and_delete(context, budgets.front()->get_object());
}

void finalize_namespace(const ContextPtr& context) {
  if (auto decoded = decode_config(*context, context->call.body); !decoded) {
    return context->refuse(std::move(decoded.error()));
  }
  const text::Object& body = context->call.body.get_object();
  guaranteed_update(
      context,
      [&body](text::Object& ns) -> api::ApiResult<void> {
        const text::Array* finalizers = api::NamespaceView(body).spec().finalizers().json();
        text::Object& spec = api::object_in(ns, "spec");
        if (finalizers == nullptr || finalizers->empty()) {
          spec.erase("finalizers");
        } else {
          spec["finalizers"] = *finalizers;
        }
        return {};
      },
      [context](const store::RecordPtr& record) {
        ApiResponse answer;
        answer.record = record;
        return answer;
      });
}

}  // namespace basalt::server

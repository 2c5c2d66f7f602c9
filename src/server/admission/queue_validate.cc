// Queues: defaults of a new one, and what a new, changed or deleted one must keep to.
#include <fmt/format.h>

#include <algorithm>

#include "kube/api/go_quote.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/rules/checks.h"
#include "kube/api/rules/resource_checks.h"
#include "kube/api/views/volcano_queue_view.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/scalar.h"
#include "server/admission/queue_admission.h"
#include "server/admission/refusal_message.h"

namespace basalt::admission {
namespace {

using api::rules::FieldPath;
using api::rules::text_value;

std::string amount_of(const text::Value& value) { return api::rules::amount_of(value).to_string(); }

void check_amounts(const text::Object& list, const FieldPath& at, api::Causes& causes) {
  for (const auto& member : list) {
    api::rules::check_amount(member.key(), text_value(amount_of(member.value())), at.key(member.key()), causes);
  }
}

// guarantee <= deserved, for every resource of which something is guaranteed.
void check_guarantee(const text::Object& guarantee, const text::Object& deserved, const FieldPath& at,
                     api::Causes& causes) {
  const FieldPath spec = at.key("guarantee");
  const FieldPath here = spec.key("resource");
  const FieldPath other = at.key("deserved");
  for (const auto& member : guarantee) {
    const std::string_view resource = member.key();
    const std::string least = amount_of(member.value());
    api::rules::check_amount(resource, text_value(least), here.key(resource), causes);
    const text::Value* own = member_of(deserved, resource);
    if (own == nullptr) {
      causes.invalid(other.key(resource).text(), text_value("<nil>"),
                     fmt::format("deserved[{0}] must be >= guarantee[{0}]={1}", resource, least));
    } else if (api::rules::amount_of(*own) < api::rules::amount_of(member.value())) {
      causes.invalid(other.key(resource).text(), text_value(amount_of(*own)),
                     fmt::format("deserved[{0}]={2} must be >= guarantee[{0}]={1}", resource, least, amount_of(*own)));
    }
  }
}

void check_spec(const text::Object& spec, const FieldPath& at, api::Causes& causes) {
  const text::Object& capability = part_of(spec, "capability");
  const text::Object& deserved = part_of(spec, "deserved");
  check_amounts(capability, at.key("capability"), causes);
  check_amounts(deserved, at.key("deserved"), causes);
  check_guarantee(part_of(part_of(spec, "guarantee"), "resource"), deserved, at, causes);
  const FieldPath here = at.key("deserved");
  for (const auto& member : deserved) {
    const std::string_view resource = member.key();
    const text::Value* most = member_of(capability, resource);
    if (most == nullptr || api::rules::amount_of(member.value()) <= api::rules::amount_of(*most)) continue;
    causes.invalid(here.key(resource).text(), text_value(amount_of(member.value())),
                   fmt::format("deserved[{0}]={1} must be <= capability[{0}]={2}", resource, amount_of(member.value()),
                               amount_of(*most)));
  }
}

std::string weights_complaint(std::string_view weights) {
  for (std::string_view rest = weights;;) {
    const size_t slash = rest.find('/');
    const std::string_view weight = rest.substr(0, slash);
    const auto number = text::parse_double(weight);
    if (!number) {
      return fmt::format("{} in the {} is invalid number: strconv.ParseFloat: parsing {}: invalid syntax", weight,
                         weights, api::go_quote(weight));
    }
    if (*number <= 0) return fmt::format("{} in the {} must be larger than 0", weight, weights);
    if (slash == std::string_view::npos) return "";
    rest.remove_prefix(slash + 1);
  }
}

// The path of the hierarchy that hdrf reads, in annotations.
void check_path(const text::Object& queue, const ObjectLookup& lookup, api::Causes& causes) {
  const text::Object& annotations = part_of(part_of(queue, "metadata"), "annotations");
  const std::string_view path = api::StringMapView(&annotations)[api::keys::kHierarchy];
  const std::string_view weights = api::StringMapView(&annotations)[api::keys::kHierarchyWeights];
  if (path.empty() && weights.empty()) return;
  const std::string at = "requestBody.metadata.annotations";
  if (std::ranges::count(path, '/') != std::ranges::count(weights, '/')) {
    return causes.invalid(
        at, text_value(path),
        fmt::format("{} must have the same length with {}", api::keys::kHierarchy, api::keys::kHierarchyWeights));
  }
  if (const std::string complaint = weights_complaint(weights); !complaint.empty()) {
    return causes.invalid(at, text_value(weights), complaint);
  }
  const std::string below = std::string(path) + "/";
  for (const ObjectPtr& one : lookup.queues()) {
    if (one == nullptr || !one->is_object() || api::name_of(one->get_object()) == api::name_of(queue)) continue;
    const text::Object& other = one->get_object();
    const std::string_view there = api::ObjectView(other).metadata().annotations()[api::keys::kHierarchy];
    if (!there.starts_with(below)) continue;
    return causes.invalid(
        at, text_value(path),
        fmt::format("{} is not allowed to be in the sub path of {} of queue {}", path, there, api::name_of(other)));
  }
}

WebhookResult check_alone(const AdmissionRequest& request) {
  const text::Object& queue = *request.object;
  api::Causes causes;
  const FieldPath body("requestBody");
  const FieldPath spec = body.key("spec");
  check_spec(part_of(queue, "spec"), spec, causes);
  // A state that stands there already is the controller's business: a queue that is being closed can be edited.
  const std::string_view state = queue_state(queue);
  const bool kept = request.old != nullptr && queue_state(*request.old) == state;
  if (!state.empty() && state != "Open" && state != "Closed" && !kept) {
    causes.invalid(spec.key("state").text(), text_value(state), "queue state must be in [Open Closed]");
  }
  check_path(queue, request.lookup, causes);
  if (causes.empty()) return {};
  return deny(aggregate_text(causes));
}

bool same_resources(const text::Object& left, const text::Object& right) {
  const auto same = [](const text::Object& one, const text::Object& two) {
    if (one.size() != two.size()) return false;
    return std::ranges::all_of(one, [&two](const auto& member) {
      const text::Value* other = member_of(two, member.key());
      return other != nullptr && api::rules::amount_of(member.value()) == api::rules::amount_of(*other);
    });
  };
  const text::Object& one = part_of(left, "spec");
  const text::Object& two = part_of(right, "spec");
  return same(part_of(one, "capability"), part_of(two, "capability")) &&
         same(part_of(one, "deserved"), part_of(two, "deserved")) &&
         same(part_of(part_of(one, "guarantee"), "resource"), part_of(part_of(two, "guarantee"), "resource"));
}

WebhookResult validate_deletion(const AdmissionRequest& request) {
  const std::string_view name = request.name;
  if (name == api::keys::kDefaultQueue || name == api::keys::kRootQueue) {
    return deny(fmt::format("`{}` queue can not be deleted", name));
  }
  const ObjectPtr queue = request.lookup.queue(name);
  if (queue == nullptr || !queue->is_object()) return deny(queue_not_found(name));
  const int64_t pods = allocated_pods(queue->get_object());
  if (request.options.check_allocated_pods && pods != 0) {
    return deny(fmt::format("queue {} cannot be deleted because it has allocated Pods: {}", name, pods),
                fmt::format("close it first, so that nothing new comes in, and delete it when its jobs are over: vcctl "
                            "queue operate --name {} --action close",
                            name));
  }
  const QueueTree tree(request.lookup.queues());
  const auto& children = tree.children(name);
  if (children.empty()) return {};
  std::vector<std::string_view> names;
  for (const text::Object* child : children) names.push_back(api::name_of(*child));
  return deny(fmt::format("queue {} can not be deleted because it has {} child queues: {}", name, names.size(),
                          fmt::join(names, ", ")),
              "delete them first, or give them another parent");
}

}  // namespace

WebhookResult mutate_queue(const AdmissionRequest& /*request*/, text::Object& queue) {
  text::Object* metadata = object_at(queue, "metadata");
  text::Object* annotations = metadata == nullptr ? nullptr : object_at(*metadata, "annotations");
  if (annotations != nullptr) {
    const std::string path{api::StringMapView(annotations)[api::keys::kHierarchy]};
    const std::string weights{api::StringMapView(annotations)[api::keys::kHierarchyWeights]};
    if (!path.empty() && !weights.empty() && !path.starts_with(api::keys::kRootQueue)) {
      (*annotations)[api::keys::kHierarchy] = "root/" + path;
      (*annotations)[api::keys::kHierarchyWeights] = "1/" + weights;
    }
  }
  text::Object& spec = make_object(queue, "spec");
  if (!has(spec, "reclaimable")) spec["reclaimable"] = true;
  if (api::QueueSpecView(spec).weight().value_or(0) == 0) spec["weight"] = 1;
  // A queue that is guaranteed something deserves at least that; many manifests say only the former.
  const text::Object guarantee = part_of(part_of(spec, "guarantee"), "resource");
  if (!guarantee.empty() && part_of(spec, "deserved").empty()) spec["deserved"] = guarantee;
  return {};
}

WebhookResult validate_queue(const AdmissionRequest& request) {
  if (request.operation == WebhookOperation::Delete) return validate_deletion(request);
  if (request.object == nullptr) return {};
  if (WebhookResult fine = check_alone(request); !fine) return fine;
  const text::Object& queue = *request.object;
  const text::Object* old = request.operation == WebhookOperation::Update ? request.old : nullptr;
  const bool moved = old == nullptr || parent_of(*old) != parent_of(queue);
  const bool resized = old == nullptr || !same_resources(*old, queue);
  if (!moved && !resized) return {};
  const QueueTree tree(request.lookup.queues());
  if (moved) {
    if (WebhookResult fine = check_queue_place(request, tree); !fine) return fine;
  }
  if (api::name_of(queue) == api::keys::kRootQueue) {
    if (old == nullptr || !resized || !request.options.protect_root_queue) return {};
    return deny("root queue's resource attributes (capability, deserved, guarantee) cannot be modified",
                "the root queue stands for the whole cluster");
  }
  return check_queue_resources(request, tree);
}

}  // namespace basalt::admission

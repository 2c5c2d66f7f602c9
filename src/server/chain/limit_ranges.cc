#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kube/api/resource_list.h"
#include "kube/api/views/container_view.h"
#include "kube/api/views/limit_range_view.h"
#include "kube/api/views/pod_spec_view.h"
#include "server/chain/admission_step.h"

namespace basalt::server::chain {
namespace {

using api::pod_resource_total;
using api::resource_list_in;
using api::ResourceList;

constexpr std::string_view kMark = "kubernetes.io/limit-ranger";

std::vector<ObjectPtr> ranges_of(const AdmissionAttributes& request) {
  return request.admission_context.list("limitranges", fmt::format("{}/", request.ns()));
}

// Members of `list` that the container lacks are taken over; their names go into the note of what was done.
void fill(text::Object& container, std::string_view part, const ResourceList& defaults, std::string_view what,
          std::vector<std::string>& notes) {
  std::vector<std::string_view> set;
  text::Object& list = make_object(make_object(container, "resources"), part);
  for (const auto& [name, amount] : defaults) {
    if (has(list, name)) continue;
    list[name] = amount.to_string();
    set.push_back(name);
  }
  if (set.empty()) return;
  notes.push_back(fmt::format("{} {} for {} {}", fmt::join(set, ", "), part == "limits" ? "limit" : "request", what,
                              api::ContainerView(container).name()));
}

// Bounds of one item of a limit range against what is asked for.
struct Asked {
  ResourceList requests, limits;
};

const text::Quantity* find(const ResourceList& amounts, std::string_view name) {
  const auto at = amounts.find(name);
  return at == amounts.end() ? nullptr : &at->second;
}

void check_min(std::string_view type, const ResourceList& bounds, const Asked& asked,
               std::vector<std::string>& errors) {
  for (const auto& [name, bound] : bounds) {
    const text::Quantity* request = find(asked.requests, name);
    const text::Quantity* limit = find(asked.limits, name);
    const std::string head = fmt::format("minimum {} usage per {} is {}", name, type, bound.to_string());
    if (request == nullptr) {
      errors.push_back(head + ".  No request is specified");
    } else if (*request < bound) {
      errors.push_back(fmt::format("{}, but request is {}", head, request->to_string()));
    } else if (limit != nullptr && *limit < bound) {
      errors.push_back(fmt::format("{}, but limit is {}", head, limit->to_string()));
    }
  }
}

void check_max(std::string_view type, const ResourceList& bounds, const Asked& asked,
               std::vector<std::string>& errors) {
  const bool claim = type == "PersistentVolumeClaim";  // which has requests only
  for (const auto& [name, bound] : bounds) {
    const text::Quantity* request = find(asked.requests, name);
    const text::Quantity* limit = find(asked.limits, name);
    const std::string head = fmt::format("maximum {} usage per {} is {}", name, type, bound.to_string());
    if (claim ? request == nullptr : limit == nullptr) {
      errors.push_back(fmt::format("{}.  No {} is specified", head, claim ? "request" : "limit"));
    } else if (limit != nullptr && *limit > bound) {
      errors.push_back(fmt::format("{}, but limit is {}", head, limit->to_string()));
    } else if (request != nullptr && *request > bound) {
      errors.push_back(fmt::format("{}, but request is {}", head, request->to_string()));
    }
  }
}

void check_ratio(std::string_view type, const ResourceList& bounds, const Asked& asked,
                 std::vector<std::string>& errors) {
  for (const auto& [name, bound] : bounds) {
    const text::Quantity* request = find(asked.requests, name);
    const text::Quantity* limit = find(asked.limits, name);
    const std::string head = fmt::format("{} max limit to request ratio per {} is {}", name, type, bound.to_string());
    if (request == nullptr || request->is_zero()) {
      errors.push_back(head + ", but no request is specified or request is 0");
    } else if (limit == nullptr || limit->is_zero()) {
      errors.push_back(head + ", but no limit is specified or limit is 0");
    } else {
      const double ratio = static_cast<double>(limit->milli_value()) / static_cast<double>(request->milli_value());
      if (ratio * 1000 > static_cast<double>(bound.milli_value())) {
        errors.push_back(fmt::format("{}, but provided ratio is {:.6f}", head, ratio));
      }
    }
  }
}

void check_item(std::string_view type, api::LimitRangeItemView item, const Asked& asked,
                std::vector<std::string>& errors) {
  check_min(type, resource_list_in(item.min().json()), asked, errors);
  check_max(type, resource_list_in(item.max().json()), asked, errors);
  if (type != "PersistentVolumeClaim") {
    check_ratio(type, resource_list_in(item.max_limit_request_ratio().json()), asked, errors);
  }
}

Asked asked_by(const text::Object& resources) {
  return {.requests = resource_list_in(api::ResourceRequirementsView(resources).requests().json()),
          .limits = resource_list_in(api::ResourceRequirementsView(resources).limits().json())};
}

void check_pod(const text::Object& spec, api::LimitRangeItemView item, std::vector<std::string>& errors) {
  const std::string_view type = item.type();
  if (type == "Pod") {
    check_item(type, item,
               {.requests = pod_resource_total(api::PodSpecView(spec), api::ResourceBound::Requests),
                .limits = pod_resource_total(api::PodSpecView(spec), api::ResourceBound::Limits)},
               errors);
  }
  if (type != "Container") return;
  for (const std::string_view list : {"containers", "initContainers"}) {
    each_object(spec, list, [&](const text::Object& container, size_t) {
      check_item(type, item, asked_by(part_of(container, "resources")), errors);
    });
  }
}

}  // namespace

StepResult fill_container_limits(const AdmissionAttributes& request) {
  for (const ObjectPtr& range : ranges_of(request)) {
    if (range == nullptr || !range->is_object()) continue;
    ResourceList limits;
    ResourceList requests;
    for (const api::LimitRangeItemView item : api::LimitRangeView(*range).spec().limits()) {
      if (item.type() != "Container") continue;
      for (const auto& [name, amount] : resource_list_in(item.default_().json())) limits[name] = amount;
      for (const auto& [name, amount] : resource_list_in(item.default_request().json())) requests[name] = amount;
    }
    if (limits.empty() && requests.empty()) continue;
    std::vector<std::string> notes;
    text::Object& spec = make_object(*request.next, "spec");
    for (const std::string_view list : {"containers", "initContainers"}) {
      const std::string_view what = list == "containers" ? "container" : "init container";
      each_object(spec, list, [&](text::Object& container, size_t) {
        fill(container, "requests", requests, what, notes);
        fill(container, "limits", limits, what, notes);
      });
    }
    if (notes.empty()) continue;
    make_object(make_object(*request.next, "metadata"), "annotations")[kMark] =
        fmt::format("LimitRanger plugin set: {}", fmt::join(notes, "; "));
  }
  return {};
}

StepResult check_limit_ranges(const AdmissionAttributes& request) {
  if (request.old != nullptr && has(part_of(*request.old, "metadata"), "deletionTimestamp")) return {};
  const text::Object& spec = part_of(*request.next, "spec");
  for (const ObjectPtr& range : ranges_of(request)) {
    if (range == nullptr || !range->is_object()) continue;
    std::vector<std::string> errors;
    for (const api::LimitRangeItemView item : api::LimitRangeView(*range).spec().limits()) {
      if (request.resource.kind == "Pod") {
        check_pod(spec, item, errors);
      } else if (item.type() == "PersistentVolumeClaim") {
        check_item("PersistentVolumeClaim", item, {.requests = asked_by(part_of(spec, "resources")).requests}, errors);
      }
    }
    if (errors.empty()) continue;
    return request.forbid(errors.size() == 1 ? errors[0] : fmt::format("[{}]", fmt::join(errors, ", ")));
  }
  return {};
}

}  // namespace basalt::server::chain

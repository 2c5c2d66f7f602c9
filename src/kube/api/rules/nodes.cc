#include <fmt/format.h>

#include <set>

#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/checks.h"
#include "kube/api/rules/resource_checks.h"

namespace basalt::api::rules {
namespace {

// podCIDR is the first of podCIDRs; who gives only one of the two means both, and where they differ the one counts.
void complete_networks(text::Object& node) {
  text::Object* spec = object_at(node, "spec");
  if (spec == nullptr) return;
  const std::string one(string_at(*spec, "podCIDR"));
  const text::Array* list = array_at(*spec, "podCIDRs");
  const std::string first(list == nullptr || list->empty() ? std::string_view() : view_of(list->front()));
  if (one.empty() && !first.empty()) (*spec)["podCIDR"] = first;
  if (!one.empty() && one != first) (*spec)["podCIDRs"] = text::Array{one};
}

// A node that says what it has, and not what of it may be used, offers all.
void complete_node(text::Object& node) {
  complete_networks(node);
  text::Object* status = object_at(node, "status");
  if (status == nullptr || has(*status, "allocatable") || !has(*status, "capacity")) return;
  text::Value capacity = status->at("capacity");
  (*status)["allocatable"] = std::move(capacity);
}

// Nodes register with their status, so a create keeps it.
void prepare_create_node(text::Object&) {}

void check_taints(const text::Object& spec, Causes& causes) {
  const FieldPath list("metadata.taints");
  std::set<std::string> seen;
  each_object(spec, "taints", [&](const text::Object& taint, size_t i) {
    const FieldPath here = list.at(i);
    const std::string_view key = string_at(taint, "key");
    const std::string_view value = string_at(taint, "value");
    refuse(qualified_name(key), key, here.key("key"), causes);
    const ValidationMessages complaints = label_value(value);
    if (!complaints.empty()) {
      causes.invalid(here.key("value").text(), text_value(value), fmt::format("{}", fmt::join(complaints, ";")));
    }
    check_word(taint, "effect", {"NoSchedule", "PreferNoSchedule", "NoExecute"}, Need::Required, here, causes);
    if (!seen.insert(fmt::format("{}:{}", key, string_at(taint, "effect"))).second) {
      causes.duplicate(here.text(), taint);
    }
  });
}

void check_amounts(const text::Object& node, Causes& causes) {
  const text::Object& status = part_of(node, "status");
  for (const std::string_view list : {"capacity", "allocatable"}) {
    const FieldPath at("status");
    const FieldPath here = at.key(list);
    for (const auto& member : part_of(status, list)) {
      check_amount(member.key(), member.value(), here.key(member.key()), causes);
    }
  }
}

void check_networks(const text::Object& spec, Causes& causes) {
  const FieldPath list("spec.podCIDRs");
  size_t fourth = 0;
  size_t sixth = 0;
  each_string(spec, "podCIDRs", [&](std::string_view network, size_t i) {
    check_network(network, list.at(i), causes);
    ++(network.find(':') == std::string_view::npos ? fourth : sixth);
  });
  if (fourth > 1 || sixth > 1) {
    causes.invalid(list.text(), shown_member(spec, "podCIDRs"), "may specify no more than one CIDR for each IP family");
  }
}

void validate_node(const text::Object& node, Causes& causes) {
  check_taints(part_of(node, "spec"), causes);
  check_amounts(node, causes);
  check_networks(part_of(node, "spec"), causes);
}

void check_addresses(const text::Object& node, Causes& causes) {
  std::set<std::string> seen;
  each_object(part_of(node, "status"), "addresses", [&](const text::Object& address, size_t i) {
    if (!seen.insert(fmt::format("{}/{}", string_at(address, "type"), string_at(address, "address"))).second) {
      causes.duplicate(fmt::format("status.addresses[{}]", i), address);
    }
  });
}

void validate_update_node(const text::Object& next, const text::Object& old, Causes& causes) {
  const text::Object& spec = part_of(next, "spec");
  const text::Object& before = part_of(old, "spec");
  if (length_at(before, "podCIDRs") > 0 && !same_member(spec, before, "podCIDRs")) {
    causes.forbidden("spec.podCIDRs", "node updates may not change podCIDR except from \"\" to valid");
  }
  const std::string_view provider = string_at(before, "providerID");
  if (!provider.empty() && provider != string_at(spec, "providerID")) {
    causes.forbidden("spec.providerID", "node updates may not change providerID except from \"\" to valid");
  }
  check_addresses(next, causes);
  // Kubernetes looks at these again, and tells each fault twice.
  check_amounts(next, causes);
  check_taints(spec, causes);
}

}  // namespace

KindRules node_rules() {
  return {.complete = complete_node,
          .prepare_create = prepare_create_node,
          .validate = validate_node,
          .validate_update = validate_update_node,
          .validate_status = validate_update_node};
}

}  // namespace basalt::api::rules

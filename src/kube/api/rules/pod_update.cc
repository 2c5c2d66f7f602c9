#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "kube/api/rules/checks.h"
#include "kube/api/rules/pod_update_rules.h"

namespace basalt::api::rules {
namespace {

constexpr std::string_view kOnlyThese =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

// Equal but for the members named.
bool same_but(const text::Object& next, const text::Object& old, std::initializer_list<std::string_view> except) {
  const auto skipped = [&](std::string_view key) { return std::ranges::find(except, key) != except.end(); };
  for (const auto& member : next) {
    if (!skipped(member.key()) && !same_member(next, old, member.key())) return false;
  }
  for (const auto& member : old) {
    if (!skipped(member.key()) && !next.contains(member.key()) && !same_member(next, old, member.key())) return false;
  }
  return true;
}

bool same_containers_but_images(const text::Object& next, const text::Object& old, std::string_view list) {
  const text::Array* a = array_at(next, list);
  const text::Array* b = array_at(old, list);
  if (a == nullptr || b == nullptr) return length_at(next, list) == length_at(old, list);
  if (a->size() != b->size()) return false;
  for (size_t i = 0; i < a->size(); ++i) {
    const text::Object* left = (*a)[i].if_object();
    const text::Object* right = (*b)[i].if_object();
    if (left == nullptr || right == nullptr || !same_but(*left, *right, {"image"})) return false;
  }
  return true;
}

// False: the lists cannot be compared any further. Images are what an update may change, so they are looked at here
// too: a missing one is told twice, as Kubernetes does.
bool check_containers(const text::Object& next, const text::Object& old, std::string_view list, Causes& causes) {
  if (length_at(next, list) != length_at(old, list)) {
    causes.forbidden(fmt::format("spec.{}", list), "pod updates may not add or remove containers");
    return false;
  }
  each_object(next, list, [&](const text::Object& container, size_t i) {
    const std::string_view image = string_at(container, "image");
    const std::string where = fmt::format("spec.{}[{}].image", list, i);
    if (image.empty()) return causes.required(where);
    constexpr std::string_view kBlank = " \t\n\v\f\r";
    if (kBlank.find(image.front()) != std::string_view::npos || kBlank.find(image.back()) != std::string_view::npos) {
      causes.invalid(where, text_value(image), "must not have leading or trailing whitespace");
    }
  });
  return true;
}

bool check_deadline(const text::Object& next, const text::Object& old, Causes& causes) {
  constexpr std::string_view kField = "spec.activeDeadlineSeconds";
  const auto now = int_at(next, "activeDeadlineSeconds");
  const auto before = int_at(old, "activeDeadlineSeconds");
  if (now && (*now < 0 || *now > std::numeric_limits<int32_t>::max())) {
    causes.invalid(std::string(kField), *now, "must be between 0 and 2147483647, inclusive");
    return false;
  }
  if (now && before && *before < *now) {
    causes.invalid(std::string(kField), *now, "must be less than or equal to previous value");
    return false;
  }
  if (!now && before) {
    causes.invalid(std::string(kField), nullptr, "must not update from a positive integer to nil value");
  }
  return true;
}

// All of a toleration but its seconds.
std::string toleration_text(const text::Object& toleration) {
  std::string text;
  for (const std::string_view field : {"key", "operator", "value", "effect"}) {
    if (const text::Value* value = toleration.if_contains(field)) text::append_json(text, *value);
    text += '\n';  // stands in no JSON text of one line
  }
  return text;
}

void check_tolerations_kept(const text::Object& next, const text::Object& old, Causes& causes) {
  std::set<std::string> kept;
  each_object(next, "tolerations", [&](const text::Object& now, size_t) { kept.insert(toleration_text(now)); });
  bool all_kept = true;
  each_object(old, "tolerations", [&](const text::Object& before, size_t) {
    all_kept = all_kept && kept.contains(toleration_text(before));
  });
  if (!all_kept) {
    causes.forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds");
  }
}

void check_gates_only_leave(const text::Object& next, const text::Object& old, Causes& causes) {
  std::set<std::string_view> known;
  each_object(old, "schedulingGates", [&](const text::Object& gate, size_t) { known.insert(string_at(gate, "name")); });
  each_object(next, "schedulingGates", [&](const text::Object& gate, size_t i) {
    const std::string_view name = string_at(gate, "name");
    if (known.contains(name)) return;
    causes.forbidden(fmt::format("spec.schedulingGates[{}].name", i),
                     fmt::format("only deletion is allowed, but found new scheduling gate '{}'", name));
  });
}

// The list begins with all that was there.
bool grows(const text::Object& next, const text::Object& old, std::string_view list) {
  const size_t count = length_at(old, list);
  if (length_at(next, list) < count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!same_value(&(*array_at(next, list))[i], &(*array_at(old, list))[i])) return false;
  }
  return true;
}

// While a pod waits at a gate, its demands on a node may become stricter.
void check_stricter_node_affinity(const text::Object& next, const text::Object& old, Causes& causes) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  const std::string path = fmt::format("spec.affinity.nodeAffinity.{}.nodeSelectorTerms", kRequired);
  const text::Object& before = part_of(part_of(part_of(old, "affinity"), "nodeAffinity"), kRequired);
  const text::Object& now = part_of(part_of(part_of(next, "affinity"), "nodeAffinity"), kRequired);
  const size_t count = length_at(before, "nodeSelectorTerms");
  if (count == 0) return;
  if (length_at(now, "nodeSelectorTerms") != count) {
    causes.invalid(path, shown_member(now, "nodeSelectorTerms"),
                   "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    return;
  }
  each_object(before, "nodeSelectorTerms", [&](const text::Object& term, size_t i) {
    const text::Object* grown = (*array_at(now, "nodeSelectorTerms"))[i].if_object();
    if (grown == nullptr) return;
    const bool was_empty = length_at(term, "matchExpressions") == 0 && length_at(term, "matchFields") == 0;
    const bool is_empty = length_at(*grown, "matchExpressions") == 0 && length_at(*grown, "matchFields") == 0;
    if ((was_empty && !is_empty) || !grows(*grown, term, "matchExpressions") || !grows(*grown, term, "matchFields")) {
      causes.invalid(fmt::format("{}[{}]", path, i), *grown, "only additions are allowed (no mutations or deletions)");
    }
  });
}

void check_gated_changes(const text::Object& next, const text::Object& old, Causes& causes) {
  const text::Object& now = part_of(next, "nodeSelector");
  for (const auto& member : part_of(old, "nodeSelector")) {
    const text::Value* value = now.if_contains(member.key());
    if (value != nullptr && *value == member.value()) continue;
    causes.invalid("spec.nodeSelector", now,
                   "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    break;
  }
  check_stricter_node_affinity(next, old, causes);
}

// An affinity that says nothing is not the same as none: unlike elsewhere, {} counts.
bool same_affinity(const text::Object& next, const text::Object& old) {
  const text::Value* now = member_of(next, "affinity");
  const text::Value* before = member_of(old, "affinity");
  return now == nullptr || before == nullptr ? now == before : *now == *before;
}

bool same_fixed_fields(const text::Object& next, const text::Object& old) {
  const bool gated = length_at(old, "schedulingGates") > 0;
  constexpr std::string_view kGrace = "terminationGracePeriodSeconds";
  const bool grace =
      same_member(next, old, kGrace) || (int_at(old, kGrace).value_or(0) < 0 && int_at(next, kGrace).value_or(0) == 1);
  const bool selector = gated || same_member(next, old, "nodeSelector");
  const bool affinity = gated ? same_but(part_of(next, "affinity"), part_of(old, "affinity"), {"nodeAffinity"})
                              : same_affinity(next, old);
  return grace && selector && affinity && same_containers_but_images(next, old, "containers") &&
         same_containers_but_images(next, old, "initContainers") &&
         same_but(next, old,
                  {"containers", "initContainers", "activeDeadlineSeconds", "tolerations", "schedulingGates",
                   "nodeSelector", "affinity", kGrace});
}

}  // namespace

void check_fixed_annotations(const text::Object& next, const text::Object& old, Causes& causes) {
  const text::Object& now = part_of(part_of(next, "metadata"), "annotations");
  const text::Object& before = part_of(part_of(old, "metadata"), "annotations");
  const auto check = [&](const text::Object& list, const text::Object& other, std::string_view what) {
    for (const auto& member : list) {
      const std::string_view key = member.key();
      const bool armor = key.starts_with("container.apparmor.security.beta.kubernetes.io/");
      if (!armor && key != "kubernetes.io/config.mirror") continue;
      const text::Value* value = other.if_contains(key);
      if (value != nullptr && (what == "add" || *value == member.value())) continue;
      causes.forbidden(fmt::format("metadata.annotations[{}]", key),
                       fmt::format("may not {} {}", what, armor ? "AppArmor annotations" : "mirror pod annotation"));
    }
  };
  check(before, now, "remove or update");
  check(now, before, "add");
}

void validate_pod_update(const text::Object& next_pod, const text::Object& old_pod, Causes& causes) {
  check_fixed_annotations(next_pod, old_pod, causes);
  const text::Object& next = part_of(next_pod, "spec");
  const text::Object& old = part_of(old_pod, "spec");
  if (!check_containers(next, old, "containers", causes)) return;
  if (!check_containers(next, old, "initContainers", causes)) return;
  if (!check_deadline(next, old, causes)) return;
  check_tolerations_kept(next, old, causes);
  check_gates_only_leave(next, old, causes);
  if (length_at(old, "schedulingGates") > 0) check_gated_changes(next, old, causes);
  if (!same_fixed_fields(next, old)) causes.forbidden("spec", kOnlyThese);
}

}  // namespace basalt::api::rules

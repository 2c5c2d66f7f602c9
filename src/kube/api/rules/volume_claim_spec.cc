#include "kube/api/rules/volume_claim_spec.h"

#include <algorithm>
#include <array>

#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/pod_spec_checks.h"
#include "kube/api/rules/resource_checks.h"

namespace basalt::api::rules {
namespace {

constexpr std::array<std::string_view, 4> kAccessModes = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                                          "ReadWriteOncePod"};

void check_access_modes(const text::Object& spec, const FieldPath& at, Causes& causes) {
  const FieldPath where = at.key("accessModes");
  if (length_at(spec, "accessModes") == 0) causes.required(where.text(), "at least 1 access mode is required");
  bool alone = false;
  bool shared = false;
  each_string(spec, "accessModes", [&](std::string_view mode, size_t) {
    if (std::ranges::find(kAccessModes, mode) == kAccessModes.end()) {
      causes.not_supported(where.text(), text_value(mode), {kAccessModes.begin(), kAccessModes.end()});
    }
    (mode == "ReadWriteOncePod" ? alone : shared) = true;
  });
  if (alone && shared) causes.forbidden(where.text(), "may not use ReadWriteOncePod with other access modes");
}

// One source under two names: the newer one is kept in step with the older.
void complete_claim(text::Object& claim) {
  text::Object& spec = make_object(claim, "spec");
  if (has(spec, "dataSource") && !has(spec, "dataSourceRef")) {
    text::Value source = spec.at("dataSource");
    spec["dataSourceRef"] = std::move(source);
  } else if (!has(spec, "dataSource") && has(spec, "dataSourceRef")) {
    const text::Object& ref = part_of(spec, "dataSourceRef");
    const std::string_view kind = string_at(ref, "kind");
    const std::string_view group = string_at(ref, "apiGroup");
    const bool known = (kind == "PersistentVolumeClaim" && group.empty()) ||
                       (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
    if (!known || !string_at(ref, "namespace").empty()) return;
    text::Value source = spec.at("dataSourceRef");
    spec["dataSource"] = std::move(source);
  }
}

void start_claim(text::Object& claim) { claim["status"] = text::Object{{"phase", "Pending"}}; }

void validate_claim(const text::Object& claim, Causes& causes) {
  const FieldPath at("spec");
  check_claim_spec(part_of(claim, "spec"), at, causes);
}

text::Quantity storage_of(const text::Object& object, std::string_view list) {
  const text::Value* amount = part_of(object, list).if_contains("storage");
  return amount == nullptr ? text::Quantity() : amount_of(*amount);
}

void update_claim(const text::Object& next, const text::Object& old, Causes& causes) {
  const text::Object& spec = part_of(next, "spec");
  const text::Object& before = part_of(old, "spec");
  const bool bound = string_at(part_of(next, "status"), "phase") == "Bound";
  bool same = true;
  for (const std::string_view field : {"accessModes", "selector", "volumeMode", "dataSource", "dataSourceRef"}) {
    same = same && same_member(spec, before, field);
  }
  same = same && (string_at(before, "volumeName").empty() || same_member(spec, before, "volumeName"));
  same = same && (!has(before, "storageClassName") || same_member(spec, before, "storageClassName"));
  const text::Quantity now = storage_of(part_of(spec, "resources"), "requests");
  const text::Quantity was = storage_of(part_of(before, "resources"), "requests");
  if (!bound) same = same && now == was && same_member(spec, before, "volumeAttributesClassName");
  if (!same) {
    causes.forbidden("spec",
                     "spec is immutable after creation except resources.requests and volumeAttributesClassName "
                     "for bound claims");
  }
  if (now < was && now <= storage_of(part_of(old, "status"), "capacity")) {
    causes.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
  }
}

void complete_persistent_volume(text::Object& volume) {
  text::Object& spec = make_object(volume, "spec");
  set_if_missing(spec, "persistentVolumeReclaimPolicy", "Retain");
  set_if_missing(spec, "volumeMode", "Filesystem");
}

void start_volume(text::Object& volume) {
  text::Object status{{"phase", "Pending"}};
  const text::Object& metadata = part_of(volume, "metadata");
  if (has(metadata, "creationTimestamp")) status["lastPhaseTransitionTime"] = metadata.at("creationTimestamp");
  volume["status"] = std::move(status);
}

void status_of_volume(text::Object& next, const text::Object& old) {
  const text::Object& before = part_of(old, "status");
  text::Object& status = make_object(next, "status");
  if (same_member(status, before, "phase") && !has(status, "lastPhaseTransitionTime") &&
      has(before, "lastPhaseTransitionTime")) {
    status["lastPhaseTransitionTime"] = before.at("lastPhaseTransitionTime");
  }
}

constexpr std::array<std::string_view, 22> kPersistentSources = {"hostPath",
                                                                 "gcePersistentDisk",
                                                                 "awsElasticBlockStore",
                                                                 "glusterfs",
                                                                 "flocker",
                                                                 "nfs",
                                                                 "rbd",
                                                                 "quobyte",
                                                                 "cephfs",
                                                                 "iscsi",
                                                                 "cinder",
                                                                 "fc",
                                                                 "flexVolume",
                                                                 "azureFile",
                                                                 "vsphereVolume",
                                                                 "photonPersistentDisk",
                                                                 "portworxVolume",
                                                                 "azureDisk",
                                                                 "scaleIO",
                                                                 "local",
                                                                 "storageos",
                                                                 "csi"};

void validate_volume(const text::Object& volume, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(volume, "spec");
  check_access_modes(spec, at, causes);
  const text::Object& capacity = part_of(spec, "capacity");
  if (capacity.empty()) causes.required(at.key("capacity").text());
  if (!capacity.contains("storage") || capacity.size() > 1) {
    causes.not_supported(at.key("capacity").text(), capacity, {"storage"});
  }
  const FieldPath amounts = at.key("capacity");
  for (const auto& member : capacity) {
    if (amount_of(member.value()) <= text::Quantity()) {
      causes.invalid(amounts.entry(member.key()).text(), member.value(), "must be greater than zero");
    }
  }
  check_word(spec, "persistentVolumeReclaimPolicy", {"Delete", "Recycle", "Retain"}, Need::Optional, at, causes);
  check_word(spec, "volumeMode", {"Block", "Filesystem"}, Need::Optional, at, causes);
  check_name(spec, "storageClassName", dns1123_subdomain, Need::Optional, at, causes);
  std::string_view found;
  for (const std::string_view source : kPersistentSources) {
    if (!has(spec, source)) continue;
    if (!found.empty()) causes.forbidden(at.key(source).text(), "may not specify more than 1 volume type");
    if (found.empty()) found = source;
  }
  if (found.empty()) causes.required(at.text(), "must specify a volume type");
  const text::Object& affinity = part_of(spec, "nodeAffinity");
  if (const text::Object* required = object_at(affinity, "required")) {
    check_node_selector(*required, at.key("nodeAffinity.required"), causes);
  } else if (found == "local") {
    causes.required(at.key("nodeAffinity").text(), "Local volume requires node affinity");
  }
}

void update_volume(const text::Object& next, const text::Object& old, Causes& causes) {
  const text::Object& spec = part_of(next, "spec");
  const text::Object& before = part_of(old, "spec");
  validate_volume(next, causes);  // again: Kubernetes tells each fault twice
  for (const std::string_view source : kPersistentSources) {
    if (same_member(spec, before, source)) continue;
    causes.forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation");
    break;
  }
  const FieldPath at("");
  check_immutable(spec, before, "volumeMode", at, causes);
  if (has(before, "nodeAffinity")) check_immutable(spec, before, "nodeAffinity", at, causes);
}

}  // namespace

void check_claim_spec(const text::Object& spec, const FieldPath& at, Causes& causes) {
  check_access_modes(spec, at, causes);
  if (const text::Object* selector = object_at(spec, "selector")) {
    check_label_selector(*selector, at.key("selector"), causes);
  }
  const FieldPath resources = at.key("resources");
  const FieldPath where = resources.entry("storage");
  const text::Value* storage = part_of(part_of(spec, "resources"), "requests").if_contains("storage");
  if (storage == nullptr) {
    causes.required(where.text());
  } else if (amount_of(*storage) <= text::Quantity()) {
    causes.invalid(where.text(), *storage, "must be greater than zero");
  }
  check_name(spec, "storageClassName", dns1123_subdomain, Need::Optional, at, causes);
  check_name(spec, "volumeAttributesClassName", dns1123_subdomain, Need::Optional, at, causes);
  check_word(spec, "volumeMode", {"Block", "Filesystem"}, Need::Optional, at, causes);
  for (const std::string_view source : {"dataSource", "dataSourceRef"}) {
    const text::Object* ref = object_at(spec, source);
    if (ref == nullptr) continue;
    const FieldPath here = at.key(source);
    check_given(*ref, "name", here, causes);
    check_given(*ref, "kind", here, causes);
    if (string_at(*ref, "apiGroup").empty() && string_at(*ref, "kind") != "PersistentVolumeClaim") {
      causes.invalid(here.text(), shown_member(*ref, "kind"),
                     "must be 'PersistentVolumeClaim' when referencing the "
                     "default apiGroup");
    }
  }
}

KindRules persistent_volume_claim_rules() {
  return {.complete = complete_claim,
          .prepare_create = start_claim,
          .validate = validate_claim,
          .validate_update = update_claim};
}

KindRules persistent_volume_rules() {
  return {.complete = complete_persistent_volume,
          .prepare_create = start_volume,
          .prepare_status = status_of_volume,
          .validate = validate_volume,
          .validate_update = update_volume};
}

}  // namespace basalt::api::rules

// StorageClass, CSINode, CSIDriver and VolumeAttachment.
#include <map>
#include <set>

#include "base/ascii.h"
#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/checks.h"

namespace basalt::api::rules {
namespace {

constexpr size_t kMaxParameters = 512;
constexpr size_t kMaxParameterBytes = size_t{256} * 1024;
constexpr size_t kMaxNodeIdBytes = 256;

void check_driver_name(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes) {
  const std::string_view driver = string_at(object, name);
  if (driver.empty()) return causes.required(at.key(name).text());
  if (driver.size() > kMaxLabelBytes) causes.too_long(at.key(name).text(), kMaxLabelBytes);
  refuse(dns1123_subdomain(lower(driver)), driver, at.key(name), causes);
}

void validate_class(const text::Object& object, Causes& causes) {
  const FieldPath at("");
  const std::string_view provisioner = string_at(object, "provisioner");
  if (provisioner.empty()) {
    causes.required("provisioner");
  } else {
    refuse(qualified_name(lower(provisioner)), provisioner, at.key("provisioner"), causes);
  }
  const text::Object& parameters = part_of(object, "parameters");
  size_t bytes = 0;
  for (const auto& member : parameters) bytes += member.key().size() + view_of(member.value()).size();
  if (parameters.size() > kMaxParameters) causes.too_long("parameters", kMaxParameters);
  if (bytes > kMaxParameterBytes) causes.too_long("parameters", kMaxParameterBytes);
  check_word(object, "reclaimPolicy", {"Delete", "Retain"}, Need::Optional, at, causes);
  check_word(object, "volumeBindingMode", {"Immediate", "WaitForFirstConsumer"}, Need::Required, at, causes);
}

void update_class(const text::Object& next, const text::Object& old, Causes& causes) {
  const FieldPath at("");
  for (const std::string_view field : {"parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"}) {
    check_immutable(next, old, field, at, causes);
  }
}

void validate_csi_node(const text::Object& node, Causes& causes) {
  const FieldPath list("spec.drivers");
  std::set<std::string_view> seen;
  each_object(part_of(node, "spec"), "drivers", [&](const text::Object& driver, size_t i) {
    const FieldPath here = list.at(i);
    check_driver_name(driver, "name", here, causes);
    check_given(driver, "nodeID", here, causes);
    if (string_at(driver, "nodeID").size() > kMaxNodeIdBytes) {
      causes.invalid(here.key("nodeID").text(), shown_member(driver, "nodeID"), "must be 256 characters or less");
    }
    const std::string_view name = string_at(driver, "name");
    if (!seen.insert(name).second) causes.duplicate(here.key("name").text(), text_value(name));
    each_string(driver, "topologyKeys",
                [&](std::string_view key, size_t) { refuse(qualified_name(key), key, here, causes); });
    const text::Object& allocatable = part_of(driver, "allocatable");
    check_not_negative(allocatable, "count", here.key("allocatable"), causes);
  });
}

void update_csi_node(const text::Object& next, const text::Object& old, Causes& causes) {
  std::map<std::string_view, const text::Object*> drivers;  // names are unique
  each_object(part_of(next, "spec"), "drivers",
              [&](const text::Object& now, size_t) { drivers.try_emplace(string_at(now, "name"), &now); });
  each_object(part_of(old, "spec"), "drivers", [&](const text::Object& before, size_t) {
    const auto found = drivers.find(string_at(before, "name"));
    if (found == drivers.end()) return;
    const text::Object& now = *found->second;
    if (!same_member(now, before, "nodeID") || !same_member(now, before, "topologyKeys")) {
      causes.invalid("spec.drivers", now, kImmutable);
    }
  });
}

void validate_csi_driver(const text::Object& driver, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(driver, "spec");
  check_driver_name(part_of(driver, "metadata"), "name", FieldPath("metadata"), causes);
  check_word(spec, "fsGroupPolicy", {"File", "None", "ReadWriteOnceWithFSType"}, Need::Optional, at, causes);
  const FieldPath modes = at.key("volumeLifecycleModes");
  each_string(spec, "volumeLifecycleModes", [&](std::string_view mode, size_t) {
    if (mode != "Persistent" && mode != "Ephemeral") {
      causes.not_supported(modes.text(), text_value(mode), {"Ephemeral", "Persistent"});
    }
  });
  const auto period = int_at(spec, "nodeAllocatableUpdatePeriodSeconds");
  if (period && *period < 10) {
    causes.invalid(at.key("nodeAllocatableUpdatePeriodSeconds").text(), *period,
                   "must be greater than or equal to 10 seconds");
  }
}

// A driver starts without a generation; every change of its spec counts.
void advance_csi_driver(text::Object& next, const text::Object& old) {
  if (same_member(next, old, "spec")) return;
  make_object(next, "metadata")["generation"] = int_at(part_of(old, "metadata"), "generation").value_or(0) + 1;
}

void update_csi_driver(const text::Object& next, const text::Object& old, Causes& causes) {
  const FieldPath at("spec");
  for (const std::string_view field : {"attachRequired", "volumeLifecycleModes"}) {
    check_immutable(part_of(next, "spec"), part_of(old, "spec"), field, at, causes);
  }
}

void validate_attachment(const text::Object& attachment, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(attachment, "spec");
  check_driver_name(spec, "attacher", at, causes);
  const text::Object& source = part_of(spec, "source");
  if (has(source, "persistentVolumeName") == has(source, "inlineVolumeSpec")) {
    causes.required(at.key("source").text(), "must specify exactly one of inlineVolumeSpec and persistentVolumeName");
  }
  check_name(spec, "nodeName", dns1123_subdomain, Need::Required, at, causes);
}

void update_attachment(const text::Object& next, const text::Object& old, Causes& causes) {
  const FieldPath at("");
  check_immutable(next, old, "spec", at, causes);
}

}  // namespace

KindRules storage_class_rules() { return {.validate = validate_class, .validate_update = update_class}; }
KindRules csi_node_rules() { return {.validate = validate_csi_node, .validate_update = update_csi_node}; }
KindRules csi_driver_rules() {
  return {.prepare_update = advance_csi_driver, .validate = validate_csi_driver, .validate_update = update_csi_driver};
}
KindRules volume_attachment_rules() { return {.validate = validate_attachment, .validate_update = update_attachment}; }

}  // namespace basalt::api::rules

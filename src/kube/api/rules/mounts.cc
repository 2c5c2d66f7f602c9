#include <map>
#include <set>

#include "kube/api/rules/pod_spec_checks.h"

namespace basalt::api::rules {
namespace {

void check_mount_modes(const text::Object& mount, const text::Object& container, const FieldPath& list,
                       Causes& causes) {
  const std::string_view propagation = string_at(mount, "mountPropagation");
  if (has(mount, "mountPropagation")) {
    check_word(mount, "mountPropagation", {"Bidirectional", "HostToContainer", "None"}, Need::Optional, list, causes);
    const text::Object* security = object_at(container, "securityContext");
    if (propagation == "Bidirectional" && (security == nullptr || !is_true(*security, "privileged"))) {
      causes.forbidden(list.key("mountPropagation").text(),
                       "Bidirectional mount propagation is available only to privileged containers");
    }
  }
  if (!has(mount, "recursiveReadOnly")) return;
  check_word(mount, "recursiveReadOnly", {"Disabled", "Enabled", "IfPossible"}, Need::Optional, list, causes);
  const std::string_view mode = string_at(mount, "recursiveReadOnly");
  if (mode != "Enabled" && mode != "IfPossible") return;
  const FieldPath where = list.key("recursiveReadOnly");
  if (!is_true(mount, "readOnly")) causes.forbidden(where.text(), "may only be specified when readOnly is true");
  if (!propagation.empty() && propagation != "None") {
    causes.forbidden(where.text(), "may only be specified when mountPropagation is None or not specified");
  }
}

void check_sub_path(const text::Object& mount, const FieldPath& here, const FieldPath& list, Causes& causes) {
  const std::string_view path = string_at(mount, "subPath");
  const std::string_view expression = string_at(mount, "subPathExpr");
  if (!path.empty()) check_descending_path(path, list.key("subPath"), causes);
  if (expression.empty()) return;
  if (!path.empty()) {
    causes.invalid(here.key("subPathExpr").text(), text_value(expression),
                   "subPathExpr and subPath are mutually exclusive");
  }
  check_descending_path(expression, list.key("subPathExpr"), causes);
}

void check_devices(const text::Object& container, const PodContext& pod, const FieldPath& list, Causes& causes) {
  std::set<std::string_view> names;
  std::set<std::string_view> paths;
  each_object(container, "volumeDevices", [&](const text::Object& device, size_t i) {
    const FieldPath here = list.at(i);
    const std::string_view name = string_at(device, "name");
    const std::string_view path = string_at(device, "devicePath");
    check_given(device, "name", here, causes);
    if (!names.insert(name).second) causes.invalid(here.key("name").text(), text_value(name), "must be unique");
    const auto volume = pod.volumes.find(name);
    if (volume == pod.volumes.end()) {
      causes.not_found(here.key("name").text(), text_value(name));
    } else if (!has(*volume->second, "persistentVolumeClaim") && !has(*volume->second, "ephemeral")) {
      causes.invalid(here.key("name").text(), text_value(name),
                     "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    check_given(device, "devicePath", here, causes);
    if (!path.empty() && !paths.insert(path).second) {
      causes.invalid(here.key("devicePath").text(), text_value(path), "must be unique");
    }
    if (!path.empty())
      check_descending_path(path.substr(path.starts_with('/') ? 1 : 0), here.key("devicePath"), causes);
  });
}

}  // namespace

void check_mounts(const text::Object& container, const PodContext& pod, const FieldPath& at, Causes& causes) {
  std::set<std::string_view> device_names;
  std::set<std::string_view> device_paths;
  each_object(container, "volumeDevices", [&](const text::Object& device, size_t) {
    device_names.insert(string_at(device, "name"));
    device_paths.insert(string_at(device, "devicePath"));
  });
  std::set<std::string_view> paths;
  const FieldPath list = at.key("volumeMounts");
  each_object(container, "volumeMounts", [&](const text::Object& mount, size_t i) {
    const FieldPath here = list.at(i);
    const std::string_view name = string_at(mount, "name");
    const std::string_view path = string_at(mount, "mountPath");
    check_given(mount, "name", here, causes);
    if (!pod.volumes.contains(name)) causes.not_found(here.key("name").text(), text_value(name));
    check_given(mount, "mountPath", here, causes);
    if (!paths.insert(path).second) causes.invalid(here.key("mountPath").text(), text_value(path), "must be unique");
    if (device_names.contains(name)) {
      causes.invalid(here.key("name").text(), text_value(name), "must not already exist in volumeDevices");
    }
    if (device_paths.contains(path)) {
      causes.invalid(here.key("mountPath").text(), text_value(path),
                     "must not already exist as a path in volumeDevices");
    }
    check_sub_path(mount, here, list, causes);
    check_mount_modes(mount, container, list, causes);
  });
  check_devices(container, pod, at.key("volumeDevices"), causes);
}

}  // namespace basalt::api::rules

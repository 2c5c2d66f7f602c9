#include <array>

#include "kube/api/rules/pod_spec_checks.h"
#include "kube/api/rules/resource_checks.h"

namespace basalt::api::rules {
namespace {

// All sources a volume can have; the first is what a volume without any becomes.
constexpr std::array<std::string_view, 30> kVolumeSources = {"emptyDir",
                                                             "hostPath",
                                                             "gitRepo",
                                                             "gcePersistentDisk",
                                                             "awsElasticBlockStore",
                                                             "secret",
                                                             "nfs",
                                                             "iscsi",
                                                             "glusterfs",
                                                             "persistentVolumeClaim",
                                                             "rbd",
                                                             "flexVolume",
                                                             "cinder",
                                                             "cephfs",
                                                             "flocker",
                                                             "downwardAPI",
                                                             "fc",
                                                             "azureFile",
                                                             "configMap",
                                                             "vsphereVolume",
                                                             "quobyte",
                                                             "azureDisk",
                                                             "photonPersistentDisk",
                                                             "projected",
                                                             "portworxVolume",
                                                             "scaleIO",
                                                             "storageos",
                                                             "csi",
                                                             "ephemeral",
                                                             "image"};

// Members that a source cannot do without.
struct NeededMember {
  std::string_view source, member;
};
constexpr std::array<NeededMember, 27> kNeeded = {{
    {"gitRepo", "repository"},
    {"gcePersistentDisk", "pdName"},
    {"awsElasticBlockStore", "volumeID"},
    {"secret", "secretName"},
    {"nfs", "server"},
    {"nfs", "path"},
    {"iscsi", "targetPortal"},
    {"iscsi", "iqn"},
    {"glusterfs", "endpoints"},
    {"glusterfs", "path"},
    {"persistentVolumeClaim", "claimName"},
    {"rbd", "image"},
    {"flexVolume", "driver"},
    {"cinder", "volumeID"},
    {"azureFile", "secretName"},
    {"azureFile", "shareName"},
    {"configMap", "name"},
    {"vsphereVolume", "volumePath"},
    {"quobyte", "registry"},
    {"quobyte", "volume"},
    {"azureDisk", "diskName"},
    {"azureDisk", "diskURI"},
    {"photonPersistentDisk", "pdID"},
    {"portworxVolume", "volumeID"},
    {"csi", "driver"},
    {"hostPath", "path"},
    {"scaleIO", "volumeName"},
}};

void check_items(const text::Object& source, const FieldPath& at, Causes& causes) {
  check_file_mode(source, "defaultMode", at, causes);
  const FieldPath list = at.key("items");
  each_object(source, "items",
              [&](const text::Object& item, size_t i) { check_key_to_path(item, list.at(i), causes); });
}

void check_no_backsteps(std::string_view path, const FieldPath& where, Causes& causes) {
  const std::string_view whole = path;
  while (true) {
    const size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") {
      causes.invalid(where.text(), text_value(whole), "must not contain '..'");
      return;
    }
    if (slash == std::string_view::npos) return;
    path.remove_prefix(slash + 1);
  }
}

void check_host_path(const text::Object& source, const FieldPath& at, Causes& causes) {
  check_no_backsteps(string_at(source, "path"), at.key("path"), causes);
  check_word(source, "type",
             {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"},
             Need::Optional, at, causes);
}

void check_claim_template(const text::Object& source, const FieldPath& at, Causes& causes) {
  const text::Object* claim = object_at(source, "volumeClaimTemplate");
  if (claim == nullptr) {
    causes.required(at.key("volumeClaimTemplate").text());
    return;
  }
  const text::Object* spec = object_at(*claim, "spec");
  if (spec == nullptr || length_at(*spec, "accessModes") == 0) {
    causes.required(at.key("volumeClaimTemplate").text() + ".spec.accessModes", "at least 1 access mode is required");
  }
}

void check_source(std::string_view name, const text::Object& source, const FieldPath& at, Causes& causes) {
  for (const NeededMember& needed : kNeeded) {
    if (needed.source == name) check_given(source, needed.member, at, causes);
  }
  if (name == "emptyDir") {
    const text::Value* limit = member_of(source, "sizeLimit");
    if (limit != nullptr && amount_of(*limit).is_negative()) {
      causes.forbidden(at.key("sizeLimit").text(), "SizeLimit field must be a valid resource quantity");
    }
  } else if (name == "hostPath") {
    check_host_path(source, at, causes);
  } else if (name == "nfs") {
    if (!string_at(source, "path").starts_with('/')) {
      causes.invalid(at.key("path").text(), shown_member(source, "path"), "must be an absolute path");
    }
  } else if (name == "secret" || name == "configMap") {
    check_items(source, at, causes);
  } else if (name == "downwardAPI") {
    check_file_mode(source, "defaultMode", at, causes);
    each_object(source, "items", [&](const text::Object& file, size_t) { check_downward_file(file, at, causes); });
  } else if (name == "projected") {
    check_projected(source, at, causes);
  } else if (name == "ephemeral") {
    check_claim_template(source, at, causes);
  } else if (name == "image") {
    check_given(source, "reference", at, causes);
    check_word(source, "pullPolicy", {"Always", "IfNotPresent", "Never"}, Need::Optional, at, causes);
  } else if (name == "rbd" || name == "cephfs") {
    if (length_at(source, "monitors") == 0) causes.required(at.key("monitors").text());
  }
}

void check_one_source(const text::Object& volume, const FieldPath& at, Causes& causes) {
  bool found = false;
  for (const std::string_view name : kVolumeSources) {
    const text::Object* source = object_at(volume, name);
    if (source == nullptr) continue;
    if (found) {
      causes.forbidden(at.key(name).text(), "may not specify more than 1 volume type");
      continue;
    }
    found = true;
    check_source(name, *source, at.key(name), causes);
  }
  if (!found) causes.required(at.text(), "must specify a volume type");
}

}  // namespace

void check_file_mode(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes) {
  const auto mode = int_at(object, name);
  if (mode && (*mode < 0 || *mode > 0777)) {
    causes.invalid(at.key(name).text(), *mode, "must be a number between 0 and 0777 (octal), both inclusive");
  }
}

void check_descending_path(std::string_view path, const FieldPath& where, Causes& causes) {
  if (path.starts_with('/')) causes.invalid(where.text(), text_value(path), "must be a relative path");
  check_no_backsteps(path, where, causes);
}

void check_relative_path(std::string_view path, const FieldPath& where, Causes& causes) {
  check_descending_path(path, where, causes);
  if (path.starts_with("..") && !path.starts_with("../")) {
    causes.invalid(where.text(), text_value(path), "must not start with '..'");
  }
}

void check_key_to_path(const text::Object& item, const FieldPath& at, Causes& causes) {
  check_given(item, "key", at, causes);
  check_given(item, "path", at, causes);
  check_relative_path(string_at(item, "path"), at.key("path"), causes);
  check_file_mode(item, "mode", at, causes);
}

void check_downward_file(const text::Object& file, const FieldPath& at, Causes& causes) {
  check_given(file, "path", at, causes);
  check_relative_path(string_at(file, "path"), at.key("path"), causes);
  const text::Object* field = object_at(file, "fieldRef");
  const text::Object* resource = object_at(file, "resourceFieldRef");
  if (field != nullptr) {
    check_field_ref(*field, true, at.key("fieldRef"), causes);
    if (resource != nullptr) {
      causes.invalid(at.text(), text_value("resource"),
                     "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resource != nullptr) {
    check_resource_field_ref(*resource, true, at.key("resourceFieldRef"), causes);
  } else {
    causes.required(at.text(), "one of fieldRef and resourceFieldRef is required");
  }
  check_file_mode(file, "mode", at, causes);
}

VolumesByName check_volumes(const text::Object& spec, const text::Object*, const FieldPath& at, Causes& causes) {
  VolumesByName volumes;
  const FieldPath list = at.key("volumes");
  each_object(spec, "volumes", [&](const text::Object& volume, size_t i) {
    const FieldPath here = list.at(i);
    const size_t before = causes.list().size();
    const std::string_view name = string_at(volume, "name");
    check_one_source(volume, here, causes);
    check_name(volume, "name", dns1123_label, Need::Required, here, causes);
    if (volumes.contains(name)) causes.duplicate(here.key("name").text(), text_value(name));
    if (causes.list().size() == before) volumes.emplace(name, &volume);
  });
  return volumes;
}

}  // namespace basalt::api::rules

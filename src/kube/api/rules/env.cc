#include <array>

#include "base/ascii.h"
#include "kube/api/rules/pod_spec_checks.h"
#include "kube/api/rules/resource_checks.h"

namespace basalt::api::rules {
namespace {

constexpr std::array<std::string_view, 9> kEnvPaths = {
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};
constexpr std::array<std::string_view, 5> kFilePaths = {"metadata.annotations", "metadata.labels", "metadata.name",
                                                        "metadata.namespace", "metadata.uid"};
// What can be named at all; beyond it the path cannot even be converted.
constexpr std::array<std::string_view, 12> kKnownPaths = {
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs"};
constexpr std::array<std::string_view, 6> kResourcePaths = {
    "limits.cpu",   "limits.memory",   "limits.ephemeral-storage",
    "requests.cpu", "requests.memory", "requests.ephemeral-storage"};

template <size_t N>
std::vector<std::string> strings(const std::array<std::string_view, N>& list) {
  return {list.begin(), list.end()};
}

bool is_known(std::string_view path) {
  return contains(kKnownPaths, path) || path == "status.podIP" || path == "status.podIPs";
}

// metadata.labels['app'] → metadata.labels and app.
bool split_subscript(std::string_view path, std::string_view& base, std::string_view& key) {
  if (!path.ends_with("']")) return false;
  const size_t open = path.find("['");
  if (open == std::string_view::npos || open == 0) return false;
  base = path.substr(0, open);
  key = path.substr(open + 2, path.size() - open - 4);
  return true;
}

void check_key_ref(const text::Object& ref, const FieldPath& at, Causes& causes) {
  const std::string_view name = string_at(ref, "name");
  refuse(dns1123_subdomain(name), name, at.key("name"), causes);
  check_name(ref, "key", config_key, Need::Required, at, causes);
}

void check_file_key_ref(const text::Object& ref, const FieldPath& at, Causes& causes) {
  check_name(ref, "key", env_name, Need::Required, at, causes);
  check_name(ref, "volumeName", dns1123_label, Need::Required, at, causes);
  check_given(ref, "path", at, causes);
}

void check_value_from(const text::Object& variable, const FieldPath& at, Causes& causes) {
  const text::Object* from = object_at(variable, "valueFrom");
  if (from == nullptr) return;
  int sources = 0;
  const auto visit = [&](std::string_view name, auto&& check) {
    const text::Object* source = object_at(*from, name);
    if (source == nullptr) return;
    ++sources;
    check(*source, at.key(name));
  };
  visit("fieldRef", [&](const text::Object& ref, const FieldPath& here) { check_field_ref(ref, false, here, causes); });
  visit("resourceFieldRef",
        [&](const text::Object& ref, const FieldPath& here) { check_resource_field_ref(ref, false, here, causes); });
  visit("configMapKeyRef", [&](const text::Object& ref, const FieldPath& here) { check_key_ref(ref, here, causes); });
  visit("secretKeyRef", [&](const text::Object& ref, const FieldPath& here) { check_key_ref(ref, here, causes); });
  visit("fileKeyRef", [&](const text::Object& ref, const FieldPath& here) { check_file_key_ref(ref, here, causes); });
  if (sources == 0) {
    causes.invalid(at.text(), text_value(""),
                   "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
                   "`fileKeyRef`");
  } else if (!string_at(variable, "value").empty()) {
    causes.invalid(at.text(), text_value(""), "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    causes.invalid(at.text(), text_value(""), "may not have more than one field specified at a time");
  }
}

void check_env_from(const text::Object& source, const FieldPath& at, const FieldPath& list, Causes& causes) {
  check_name(source, "prefix", env_name, Need::Optional, at, causes);
  int sources = 0;
  for (const std::string_view name : {"configMapRef", "secretRef"}) {
    const text::Object* ref = object_at(source, name);
    if (ref == nullptr) continue;
    ++sources;
    check_name(*ref, "name", dns1123_subdomain, Need::Required, at.key(name), causes);
  }
  if (sources == 0) {
    causes.invalid(list.text(), text_value(""), "must specify one of: `configMapRef` or `secretRef`");
  } else if (sources > 1) {
    causes.invalid(list.text(), text_value(""), "may not have more than one field specified at a time");
  }
}

}  // namespace

void check_field_ref(const text::Object& ref, bool of_file, const FieldPath& at, Causes& causes) {
  const std::string_view path = string_at(ref, "fieldPath");
  if (string_at(ref, "apiVersion").empty()) return causes.required(at.key("apiVersion").text());
  if (path.empty()) return causes.required(at.key("fieldPath").text());
  std::string_view base;
  std::string_view key;
  if (split_subscript(path, base, key)) {
    if (base == "metadata.annotations") {
      refuse(qualified_name(lower(key)), key, at, causes);
    } else if (base == "metadata.labels") {
      refuse(qualified_name(key), key, at, causes);
    } else {
      causes.invalid(at.key("fieldPath").text(), text_value(path), "field label does not support subscript");
    }
    return;
  }
  if (!is_known(path)) {
    causes.invalid(at.key("fieldPath").text(), text_value(path),
                   "error converting fieldPath: field label not supported: " + std::string(path));
  } else if (of_file ? !contains(kFilePaths, path) : !contains(kEnvPaths, path)) {
    causes.not_supported(at.key("fieldPath").text(), text_value(path),
                         of_file ? strings(kFilePaths) : strings(kEnvPaths));
  }
}

void check_resource_field_ref(const text::Object& ref, bool of_file, const FieldPath& at, Causes& causes) {
  const std::string_view resource = string_at(ref, "resource");
  if (of_file && string_at(ref, "containerName").empty()) {
    causes.required(at.key("containerName").text());
  } else if (resource.empty()) {
    causes.required(at.key("resource").text());
  } else if (!contains(kResourcePaths, resource) && !resource.starts_with("requests.hugepages-") &&
             !resource.starts_with("limits.hugepages-")) {
    causes.not_supported(at.key("resource").text(), text_value(resource), strings(kResourcePaths));
  }
  const text::Value* divisor = member_of(ref, "divisor");
  if (divisor == nullptr || amount_of(*divisor).is_zero()) return;
  const std::string unit = amount_of(*divisor).to_string();
  const bool cpu = resource.ends_with(".cpu");
  const bool one =
      unit == "1" ||
      (cpu ? unit == "1m" : unit.size() > 1 && unit[0] == '1' && unit != "1m" && (unit[1] < '0' || unit[1] > '9'));
  if (!one) {
    causes.invalid(at.key("divisor").text(), text_value(resource),
                   cpu ? "only divisor's values 1m and 1 are supported with the cpu resource"
                       : "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported");
  }
}

void check_env(const text::Object& container, const FieldPath& at, Causes& causes) {
  const FieldPath env = at.key("env");
  each_object(container, "env", [&](const text::Object& variable, size_t i) {
    const FieldPath here = env.at(i);
    check_name(variable, "name", env_name, Need::Required, here, causes);
    check_value_from(variable, here.key("valueFrom"), causes);
  });
  const FieldPath from = at.key("envFrom");
  each_object(container, "envFrom",
              [&](const text::Object& source, size_t i) { check_env_from(source, from.at(i), from, causes); });
}

}  // namespace basalt::api::rules

#include <algorithm>
#include <limits>
#include <set>

#include "kube/api/rules/pod_spec_checks.h"

namespace basalt::api::rules {
namespace {

constexpr int64_t kMaxId = std::numeric_limits<int32_t>::max();
constexpr size_t kMaxNameservers = 3;
constexpr size_t kMaxSearchPaths = 32;
constexpr size_t kMaxSearchBytes = 2048;
constexpr size_t kMaxSysctlBytes = 253;

// seccompProfile and appArmorProfile: a file on the node only with type Localhost, and then it must be named.
void check_profile(const text::Object& context, std::string_view name, const FieldPath& at, Causes& causes) {
  const text::Object* profile = object_at(context, name);
  if (profile == nullptr) return;
  const FieldPath here = at.key(name);
  check_word(*profile, "type", {"Localhost", "RuntimeDefault", "Unconfined"}, Need::Required, here, causes);
  const bool local = string_at(*profile, "type") == "Localhost";
  const std::string_view path = string_at(*profile, "localhostProfile");
  if (local && path.empty()) {
    causes.required(here.key("localhostProfile").text(), "must be set when seccomp type is Localhost");
  } else if (local && name == "seccompProfile") {
    check_descending_path(path, here.key("localhostProfile"), causes);
  } else if (!local && has(*profile, "localhostProfile")) {
    causes.invalid(here.key("localhostProfile").text(), text_value(path), "can only be set when type is Localhost");
  }
}

void check_sysctls(const text::Object& context, const text::Object& spec, const FieldPath& at, Causes& causes) {
  std::set<std::string_view> names;
  const FieldPath list = at.key("sysctls");
  each_object(context, "sysctls", [&](const text::Object& sysctl, size_t i) {
    const FieldPath here = list.at(i);
    const std::string_view name = string_at(sysctl, "name");
    const auto fine = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '/';
    };
    if (name.empty()) {
      causes.required(here.key("name").text());
    } else if (name.size() > kMaxSysctlBytes || !std::ranges::all_of(name, fine) || !fine(name.front()) ||
               name.front() == '.' || name.back() == '.') {
      causes.invalid(here.key("name").text(), text_value(name),
                     "must be a name of a sysctl with at most 253 characters");
    } else if (!names.insert(name).second) {
      causes.duplicate(here.key("name").text(), text_value(name));
    }
    if (name.starts_with("net") && is_true(spec, "hostNetwork")) {
      causes.invalid(here.key("name").text(), text_value(name), "may not be specified when 'hostNetwork' is true");
    }
  });
}

bool is_search_path(std::string_view path) {
  // Underscores are allowed here, unlike in other names.
  std::string plain(path);
  std::ranges::replace(plain, '_', 'a');
  return dns1123_subdomain(plain).empty();
}

}  // namespace

void check_pod_security(const text::Object& spec, const FieldPath& at, Causes& causes) {
  const text::Object* context = object_at(spec, "securityContext");
  if (context == nullptr) return;
  const FieldPath here = at.key("securityContext");
  for (const std::string_view id : {"fsGroup", "runAsUser", "runAsGroup"}) {
    check_range(*context, id, 0, kMaxId, here, causes);
  }
  if (const text::Array* groups = array_at(*context, "supplementalGroups")) {
    const FieldPath list = here.key("supplementalGroups");
    for (size_t i = 0; i < groups->size(); ++i) {
      const text::Value& id = (*groups)[i];
      if (id.is_int64() && (id.get_int64() < 0 || id.get_int64() > kMaxId)) {
        causes.invalid(list.at(i).text(), id, "must be between 0 and 2147483647, inclusive");
      }
    }
  }
  if (is_true(spec, "shareProcessNamespace") && is_true(spec, "hostPID")) {
    causes.invalid(here.key("shareProcessNamespace").text(), true,
                   "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  check_sysctls(*context, spec, here, causes);
  check_word(*context, "fsGroupChangePolicy", {"Always", "OnRootMismatch"}, Need::Optional, here, causes);
  check_word(*context, "supplementalGroupsPolicy", {"Merge", "Strict"}, Need::Optional, here, causes);
  check_word(*context, "seLinuxChangePolicy", {"MountOption", "Recursive"}, Need::Optional, here, causes);
  check_profile(*context, "seccompProfile", here, causes);
  check_profile(*context, "appArmorProfile", here, causes);
}

void check_container_security(const text::Object& context, bool host_users, const FieldPath& at, Causes& causes) {
  check_range(context, "runAsUser", 0, kMaxId, at, causes);
  check_range(context, "runAsGroup", 0, kMaxId, at, causes);
  check_word(context, "procMount", {"Default", "Unmasked"}, Need::Optional, at, causes);
  if (host_users && string_at(context, "procMount") == "Unmasked") {
    causes.invalid(at.key("procMount").text(), text_value("Unmasked"), "`hostUsers` must be false to use `Unmasked`");
  }
  check_profile(context, "seccompProfile", at, causes);
  check_profile(context, "appArmorProfile", at, causes);
  if (bool_at(context, "allowPrivilegeEscalation").value_or(true)) return;
  if (is_true(context, "privileged")) {
    causes.invalid(at.text(), context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  }
  const text::Object* capabilities = object_at(context, "capabilities");
  if (capabilities == nullptr) return;
  each_string(*capabilities, "add", [&](std::string_view name, size_t) {
    if (name == "CAP_SYS_ADMIN") {
      causes.invalid(at.text(), context,
                     "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
    }
  });
}

void check_dns_config(const text::Object& spec, const FieldPath& at, Causes& causes) {
  const text::Object* config = object_at(spec, "dnsConfig");
  const FieldPath here = at.key("dnsConfig");
  if (string_at(spec, "dnsPolicy") == "None") {
    if (config == nullptr) return causes.required(here.text(), "must provide `dnsConfig` when `dnsPolicy` is None");
    if (length_at(*config, "nameservers") == 0) {
      return causes.required(here.key("nameservers").text(),
                             "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
  }
  if (config == nullptr) return;
  const FieldPath servers = here.key("nameservers");
  if (length_at(*config, "nameservers") > kMaxNameservers) {
    causes.invalid(servers.text(), shown_member(*config, "nameservers"), "must not have more than 3 nameservers");
  }
  each_string(*config, "nameservers", [&](std::string_view ip, size_t i) { check_ip(ip, servers.at(i), causes); });
  const FieldPath searches = here.key("searches");
  if (length_at(*config, "searches") > kMaxSearchPaths) {
    causes.invalid(searches.text(), shown_member(*config, "searches"), "must not have more than 32 search paths");
  }
  size_t bytes = 0;
  each_string(*config, "searches", [&](std::string_view path, size_t i) {
    bytes += path.size() + (i == 0 ? 0 : 1);
    if (path == ".") return;
    if (path.ends_with('.')) path.remove_suffix(1);
    if (!is_search_path(path)) refuse(dns1123_subdomain(path), path, searches.at(i), causes);
  });
  if (bytes > kMaxSearchBytes) {
    causes.invalid(searches.text(), shown_member(*config, "searches"),
                   "must not have more than 2048 characters (including spaces) in the search list");
  }
  const FieldPath options = here.key("options");
  each_object(*config, "options", [&](const text::Object& option, size_t i) {
    if (string_at(option, "name").empty()) causes.required(options.at(i).text(), "must not be empty");
  });
}

}  // namespace basalt::api::rules

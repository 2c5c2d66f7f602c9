#include "control/node/local/security_context.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"

namespace basalt::node {
namespace {

using api::rules::array_at;
using api::rules::is_true;
using api::rules::object_at;
using api::rules::part_of;

// By number.
constexpr auto kCapabilityNames = std::to_array<std::string_view>({
    "CHOWN",
    "DAC_OVERRIDE",
    "DAC_READ_SEARCH",
    "FOWNER",
    "FSETID",
    "KILL",
    "SETGID",
    "SETUID",
    "SETPCAP",
    "LINUX_IMMUTABLE",
    "NET_BIND_SERVICE",
    "NET_BROADCAST",
    "NET_ADMIN",
    "NET_RAW",
    "IPC_LOCK",
    "IPC_OWNER",
    "SYS_MODULE",
    "SYS_RAWIO",
    "SYS_CHROOT",
    "SYS_PTRACE",
    "SYS_PACCT",
    "SYS_ADMIN",
    "SYS_BOOT",
    "SYS_NICE",
    "SYS_RESOURCE",
    "SYS_TIME",
    "SYS_TTY_CONFIG",
    "MKNOD",
    "LEASE",
    "AUDIT_WRITE",
    "AUDIT_CONTROL",
    "SETFCAP",
    "MAC_OVERRIDE",
    "MAC_ADMIN",
    "SYSLOG",
    "WAKE_ALARM",
    "BLOCK_SUSPEND",
    "AUDIT_READ",
    "PERFMON",
    "BPF",
    "CHECKPOINT_RESTORE",
});
static_assert(kCapabilityNames.size() == CAP_LAST_CAP + 1);
constexpr std::string_view kAll = "ALL";

constexpr std::string_view kProfileFields[] = {"seccompProfile", "appArmorProfile"};
// Nothing of ours reads them.
constexpr std::string_view kUnknownToUs[] = {"seLinuxOptions", "windowsOptions", "sysctls", "seLinuxChangePolicy"};
constexpr std::string_view kNeedRoot[] = {"fsGroup", "fsGroupChangePolicy", "supplementalGroups"};

const text::Object& context_of(const text::Object& holder) { return part_of(holder, "securityContext"); }

// `type` of a profile of the container, or else of the pod.
std::string_view profile_type(const text::Object& pod, const text::Object& container, std::string_view field) {
  const std::string_view own = api::string_at(part_of(context_of(container), field), "type");
  return own.empty() ? api::string_at(part_of(context_of(part_of(pod, "spec")), field), "type") : own;
}

template <typename Each>
void for_each_name(const text::Object& capabilities, std::string_view list, Each each) {
  const text::Array* names = array_at(capabilities, list);
  for (size_t i = 0; names != nullptr && i < names->size(); ++i) {
    if ((*names)[i].is_string()) each(std::string_view((*names)[i].get_string()));
  }
}

uint64_t capabilities_of(const text::Object& context) {
  if (is_true(context, "privileged")) return kAllCapabilities;
  const text::Object& wish = part_of(context, "capabilities");
  uint64_t held = kDefaultCapabilities;
  const auto bits = [](std::string_view name) {
    if (name == kAll) return kAllCapabilities;
    const auto number = find_capability(name);
    return number ? capability_bit(*number) : uint64_t{0};
  };
  // As container runtimes: ALL counts first, in either list, and then the single ones.
  for (const bool all : {true, false}) {
    for_each_name(wish, "add", [&](std::string_view name) {
      if ((name == kAll) == all) held |= bits(name);
    });
    for_each_name(wish, "drop", [&](std::string_view name) {
      if ((name == kAll) == all) held &= ~bits(name);
    });
  }
  return held;
}

std::vector<gid_t> groups_of(const text::Object& context) {
  std::vector<gid_t> groups;
  const auto add = [&](std::optional<int64_t> group) {
    if (group && *group >= 0 && *group < UINT32_MAX) groups.push_back(static_cast<gid_t>(*group));
  };
  if (const text::Array* list = array_at(context, "supplementalGroups")) {
    for (const text::Value& one : *list) add(one.is_int64() ? std::optional(one.get_int64()) : std::nullopt);
  }
  add(api::rules::int_at(context, "fsGroup"));
  std::ranges::sort(groups);
  const auto twice = std::ranges::unique(groups);
  groups.erase(twice.begin(), twice.end());
  return groups;
}

// Collects fields by their path.
class Ignored {
 public:
  Ignored(const text::Object& pod, const HostFeatures& can) : can_(can) {
    const text::Object& spec = part_of(pod, "spec");
    for (const std::string_view field : {"hostPID", "shareProcessNamespace"}) {
      if (is_true(spec, field)) add("spec", field);
    }
    const text::Value* users = spec.if_contains("hostUsers");
    if (users != nullptr && users->is_bool() && !users->get_bool()) add("spec", "hostUsers");
    const text::Object& context = context_of(spec);
    look_at_both("spec.securityContext", context);
    for (const std::string_view field : kNeedRoot) {
      if (!can.other_users && has(context, field)) add("spec.securityContext", field);
    }
    // The groups of an image's /etc/group are never merged in.
    if (api::string_at(context, "supplementalGroupsPolicy") == "Merge") {
      add("spec.securityContext", "supplementalGroupsPolicy");
    }
    for (const std::string_view list : {"initContainers", "containers"}) look_at_list(spec, list);
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (size_t i = 0; i < fields_.size() && i < kMaxIgnoredFields; ++i) out += (i == 0 ? "" : ", ") + fields_[i];
    if (fields_.size() > kMaxIgnoredFields) {
      out += " and " + std::to_string(fields_.size() - kMaxIgnoredFields) + " more";
    }
    return out;
  }

 private:
  static bool has(const text::Object& context, std::string_view field) {
    const text::Value* value = context.if_contains(field);
    if (value == nullptr || value->is_null()) return false;
    return !(value->is_array() && value->get_array().empty());
  }
  void add(const std::string& where, std::string_view field) { fields_.push_back(where + "." + std::string(field)); }

  // What pods and containers both have.
  void look_at_both(const std::string& where, const text::Object& context) {
    for (const std::string_view field : kUnknownToUs) {
      if (has(context, field)) add(where, field);
    }
    for (const std::string_view field : kProfileFields) {
      const std::string_view type = api::string_at(part_of(context, field), "type");
      const bool filter = type == "RuntimeDefault" && field == "seccompProfile" && can_.filters;
      if (!type.empty() && type != "Unconfined" && !filter) add(where, field);
    }
  }

  void look_at_list(const text::Object& spec, std::string_view list) {
    const text::Array* containers = array_at(spec, list);
    for (size_t i = 0; containers != nullptr && i < containers->size(); ++i) {
      const text::Object* container = (*containers)[i].if_object();
      if (container == nullptr) continue;
      look_at_container(
          "spec." + std::string(list) + "{" + std::string(api::string_at(*container, "name")) + "}.securityContext",
          context_of(*container));
    }
  }

  void look_at_container(const std::string& where, const text::Object& context) {
    look_at_both(where, context);
    if (is_true(context, "privileged") && !can_.other_users) add(where, "privileged");
    if (is_true(context, "readOnlyRootFilesystem") && !can_.read_only_roots) add(where, "readOnlyRootFilesystem");
    std::string added, dropped;
    const text::Object& wish = part_of(context, "capabilities");
    for_each_name(wish, "add", [&](std::string_view name) {
      const auto number = find_capability(name);
      const bool given = can_.other_users && (name == kAll || (number && can_give(*number)));
      if (!given) added += (added.empty() ? "" : " ") + std::string(name);
    });
    for_each_name(wish, "drop", [&](std::string_view name) {
      const bool known = name == kAll || find_capability(name);
      if (!known || !(can_.other_users || can_.mounts)) dropped += (dropped.empty() ? "" : " ") + std::string(name);
    });
    if (!added.empty()) add(where, "capabilities.add: " + added);
    if (!dropped.empty()) add(where, "capabilities.drop: " + dropped);
  }
  [[nodiscard]] bool can_give(int number) const { return (can_.bounding & capability_bit(number)) != 0; }

  const HostFeatures& can_;
  std::vector<std::string> fields_;
};

}  // namespace

std::optional<int> find_capability(std::string_view name) {
  constexpr std::string_view kPrefix = "CAP_";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  const auto found = std::ranges::find(kCapabilityNames, name);
  if (found == kCapabilityNames.end()) return std::nullopt;
  return static_cast<int>(found - kCapabilityNames.begin());
}

ProcessSecurity security_of(const text::Object& pod, const text::Object& container) {
  const text::Object& spec = part_of(pod, "spec");
  const text::Object& context = context_of(container);
  const bool privileged = is_true(context, "privileged");
  const text::Value* escalation = context.if_contains("allowPrivilegeEscalation");
  ProcessSecurity security;
  security.groups = groups_of(context_of(spec));
  security.capabilities = capabilities_of(context);
  security.no_new_privileges = escalation != nullptr && escalation->is_bool() && !escalation->get_bool();
  security.filtered = !privileged && profile_type(pod, container, "seccompProfile") == "RuntimeDefault";
  security.read_only_root = is_true(context, "readOnlyRootFilesystem");
  security.host_devices = privileged;
  security.unmasked_proc = api::string_at(context, "procMount") == "Unmasked";
  security.host_ipc = is_true(spec, "hostIPC");
  return security;
}

std::string fields_without_effect(const text::Object& pod, const HostFeatures& can) { return Ignored(pod, can).text(); }

}  // namespace basalt::node

#include <fmt/format.h>

#include <set>

#include "server/table/builtin_columns.h"
#include "server/table/cell_values.h"

namespace basalt::server {
namespace {

constexpr std::string_view kRolePrefix = "node-role.kubernetes.io/";

std::string status_text(const text::Value& node) {
  std::string status = "Unknown";
  for (const text::Value& condition : list_at(node, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) != "Ready") continue;
    status = text_at(condition, {"status"}) == "True" ? "Ready" : "NotReady";
  }
  return bool_at(node, {"spec", "unschedulable"}) ? status + ",SchedulingDisabled" : status;
}

std::string roles_text(const text::Value& node) {
  std::set<std::string> roles;
  for (const auto& [label, value] : object_at(node, {"metadata", "labels"})) {
    const std::string_view key = label;
    if (key.starts_with(kRolePrefix)) roles.emplace(key.substr(kRolePrefix.size()));
    if (key == "kubernetes.io/role" && value.is_string()) roles.emplace(value.get_string());
  }
  roles.erase("");
  return or_none(join({roles.begin(), roles.end()}, ","));
}

std::string address_text(const text::Value& node, std::string_view type) {
  for (const text::Value& address : list_at(node, {"status", "addresses"})) {
    if (text_at(address, {"type"}) == type) return std::string(text_at(address, {"address"}));
  }
  return "<none>";
}

}  // namespace

void fill_node(const text::Value& object, Instant now, text::Array& cells) {
  std::string kernel = text_or(object, {"status", "nodeInfo", "kernelVersion"}, "<unknown>");
  const std::string_view machine = text_at(object, {"status", "nodeInfo", "architecture"});
  if (!machine.empty()) kernel += fmt::format(" ({})", machine);

  cells.emplace_back(name_of(object));
  cells.emplace_back(status_text(object));
  cells.emplace_back(roles_text(object));
  cells.emplace_back(age_of(object, now));
  cells.emplace_back(text_at(object, {"status", "nodeInfo", "kubeletVersion"}));
  cells.emplace_back(address_text(object, "InternalIP"));
  cells.emplace_back(address_text(object, "ExternalIP"));
  cells.emplace_back(text_or(object, {"status", "nodeInfo", "osImage"}, "<unknown>"));
  cells.emplace_back(kernel);
  cells.emplace_back(text_or(object, {"status", "nodeInfo", "containerRuntimeVersion"}, "<unknown>"));
}

}  // namespace basalt::server

#include "control/volcano/job/plugins/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "control/volcano/job/plugins/builtin.h"

namespace basalt::volcano {
namespace {

constexpr std::array<JobPlugin, 8> kPlugins = {{
    {.name = "svc", .arm = arm_svc},
    {.name = "ssh", .arm = arm_ssh},
    {.name = "env", .arm = arm_env},
    {.name = "pytorch", .arm = arm_pytorch},
    {.name = "tensorflow", .arm = arm_tensorflow},
    {.name = "mpi", .arm = arm_mpi},
    {.name = "ray", .arm = arm_ray},
    {.name = "hcclrank", .arm = arm_hcclrank},
}};

std::string known_names() {
  std::string names;
  for (const JobPlugin& plugin : kPlugins) names += fmt::format("{}{}", names.empty() ? "" : ", ", plugin.name);
  return names;
}

}  // namespace

std::span<const JobPlugin> job_plugins() { return kPlugins; }

Result<PluginSet> PluginSet::of(const JobView& job) {
  for (const PluginView& asked : job.plugins) {
    if (std::ranges::find(kPlugins, asked.name, &JobPlugin::name) != kPlugins.end()) continue;
    return failure(ErrorCode::Unsupported,
                   fmt::format("failed to get plugin {}: spec.plugins may name {}", asked.name, known_names()));
  }
  PluginSet set;
  for (const JobPlugin& plugin : kPlugins) {
    const auto asked = std::ranges::find(job.plugins, plugin.name, &PluginView::name);
    if (asked != job.plugins.end()) set.plugins_.push_back(plugin.arm(asked->arguments));
  }
  return set;
}

std::vector<std::string> PluginSet::warnings() const {
  std::vector<std::string> all;
  for (const ArmedPlugin& plugin : plugins_) {
    for (const std::string& warning : plugin.warnings) all.push_back(fmt::format("{}: {}", plugin.name, warning));
  }
  return all;
}

Result<void> PluginSet::shape(PodDraft& draft, const JobView& job, const TaskView& task) const {
  for (const ArmedPlugin& plugin : plugins_) {
    if (!plugin.shape) continue;
    if (auto shaped = plugin.shape(draft, job, task); !shaped) return shaped;
  }
  return {};
}

Result<std::vector<WantedObject>> PluginSet::objects(const JobView& job) const {
  std::vector<WantedObject> all;
  for (const ArmedPlugin& plugin : plugins_) {
    if (!plugin.objects) continue;
    Result<std::vector<WantedObject>> wanted = plugin.objects(job);
    if (!wanted) return std::unexpected(wanted.error());
    std::ranges::move(*wanted, std::back_inserter(all));
  }
  return all;
}

text::Object PluginSet::controlled_resources() const {
  text::Object entries;
  for (const ArmedPlugin& plugin : plugins_) {
    if (plugin.controlled) entries[plugin_resource_key(plugin.name)] = plugin.name;
  }
  return entries;
}

}  // namespace basalt::volcano

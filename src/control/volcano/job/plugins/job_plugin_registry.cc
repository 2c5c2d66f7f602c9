#include "control/volcano/job/plugins/job_plugin_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "control/volcano/job/plugins/builtin_job_plugins.h"

namespace basalt::volcano {
namespace {

constexpr std::array<JobPlugin, 8> kPlugins = {{
    {.name = "svc", .configure = configure_svc},
    {.name = "ssh", .configure = configure_ssh},
    {.name = "env", .configure = configure_env},
    {.name = "pytorch", .configure = configure_pytorch},
    {.name = "tensorflow", .configure = configure_tensorflow},
    {.name = "mpi", .configure = configure_mpi},
    {.name = "ray", .configure = configure_ray},
    {.name = "hcclrank", .configure = configure_hcclrank},
}};

std::string known_names() {
  std::string names;
  for (const JobPlugin& plugin : kPlugins) names += fmt::format("{}{}", names.empty() ? "" : ", ", plugin.name);
  return names;
}

}  // namespace

std::span<const JobPlugin> job_plugins() { return kPlugins; }

Result<JobPluginSet> JobPluginSet::of(const JobView& job) {
  for (const PluginView& asked : job.plugins) {
    if (std::ranges::find(kPlugins, asked.name, &JobPlugin::name) != kPlugins.end()) continue;
    return failure(ErrorCode::Unsupported,
                   fmt::format("failed to get plugin {}: spec.plugins may name {}", asked.name, known_names()));
  }
  JobPluginSet set;
  for (const JobPlugin& plugin : kPlugins) {
    const auto asked = std::ranges::find(job.plugins, plugin.name, &PluginView::name);
    if (asked != job.plugins.end()) set.plugins_.push_back(plugin.configure(asked->arguments));
  }
  return set;
}

std::vector<std::string> JobPluginSet::warnings() const {
  std::vector<std::string> all;
  for (const ConfiguredPlugin& plugin : plugins_) {
    for (const std::string& warning : plugin.warnings) all.push_back(fmt::format("{}: {}", plugin.name, warning));
  }
  return all;
}

Result<void> JobPluginSet::shape(TaskPodDraft& draft, const JobView& job, const TaskView& task) const {
  for (const ConfiguredPlugin& plugin : plugins_) {
    if (!plugin.shape) continue;
    if (auto shaped = plugin.shape(draft, job, task); !shaped) return shaped;
  }
  return {};
}

Result<std::vector<WantedObject>> JobPluginSet::objects(const JobView& job) const {
  std::vector<WantedObject> all;
  for (const ConfiguredPlugin& plugin : plugins_) {
    if (!plugin.objects) continue;
    Result<std::vector<WantedObject>> wanted = plugin.objects(job);
    if (!wanted) return std::unexpected(wanted.error());
    std::ranges::move(*wanted, std::back_inserter(all));
  }
  return all;
}

text::Object JobPluginSet::controlled_resources() const {
  text::Object entries;
  for (const ConfiguredPlugin& plugin : plugins_) {
    if (plugin.controlled) entries[plugin_resource_key(plugin.name)] = plugin.name;
  }
  return entries;
}

}  // namespace basalt::volcano

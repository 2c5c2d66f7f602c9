#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "control/volcano/job/plugins/builtin_job_plugins.h"
#include "control/volcano/job/plugins/task_hosts.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/go_flags.h"

namespace basalt::volcano {
namespace {

namespace keys = api::keys;

constexpr std::string_view kMountPath = "/etc/volcano";

struct SvcFlags {
  bool publish_not_ready = false;
  bool no_network_policy = false;
  bool hosts_env = true;
  bool host_env = false;
};

std::string config_map_name(const JobView& job) { return fmt::format("{}-svc", job.name); }

std::string hosts_variable(const TaskView& task) { return fmt::format("VC_{}_HOSTS", variable_part(task.name)); }
std::string count_variable(const TaskView& task) { return fmt::format("VC_{}_NUM", variable_part(task.name)); }

void add_reference(TaskPodDraft& draft, const std::string& variable, const std::string& config_map) {
  const text::Object reference{
      {"name", variable},
      {"valueFrom", text::Object{{"configMapKeyRef", text::Object{{"name", config_map}, {"key", variable}}}}}};
  for (const ContainerList list : kBothContainerLists) draft.add_env(list, reference);
}

// VC_<TASK>_HOST, for tasks with one host: where a container asks for it by name, or everywhere when `always`.
void add_single_hosts(TaskPodDraft& draft, const JobView& job, bool always) {
  for (const TaskView& task : job.tasks) {
    if (host_count(task) != 1) continue;
    const std::string variable = fmt::format("VC_{}_HOST", variable_part(task.name));
    const std::string host = host_name(job, task, 0);
    for (const ContainerList list : kBothContainerLists) {
      text::Array* containers = draft.containers(list);
      for (size_t i = 0; containers != nullptr && i < containers->size(); ++i) {
        text::Object* container = (*containers)[i].if_object();
        if (container == nullptr || (!always && !mentions(*container, variable))) continue;
        api::array_in(*container, "env").push_back(text::Object{{"name", variable}, {"value", host}});
      }
    }
  }
}

Result<void> shape_svc(const SvcFlags& flags, TaskPodDraft& draft, const JobView& job, const TaskView& task) {
  text::Object& spec = draft.spec();
  if (task.hostname.empty()) draft.set_hostname({.before = fmt::format("{}-{}-", job.name, task.name)});
  if (task.subdomain.empty()) spec["subdomain"] = job.name;
  const std::string config_map = config_map_name(job);
  if (flags.hosts_env) {
    for (const TaskView& one : job.tasks) {
      add_reference(draft, hosts_variable(one), config_map);
      add_reference(draft, count_variable(one), config_map);
    }
  }
  add_single_hosts(draft, job, flags.host_env);
  draft.add_volume({{"name", config_map}, {"configMap", text::Object{{"name", config_map}}}});
  for (const ContainerList list : kBothContainerLists) {
    draft.add_mount(list, {{"name", config_map}, {"mountPath", kMountPath}});
  }
  return {};
}

text::Object hosts_data(const JobView& job) {
  text::Object data;
  for (const TaskView& task : job.tasks) {
    const std::vector<std::string> hosts = task_hosts(job, task);
    std::string file(task.name);
    std::ranges::replace(file, '-', '_');
    data[file + ".host"] = join(hosts, "\n");
    data[hosts_variable(task)] = join(hosts, ",");
    data[count_variable(task)] = fmt::to_string(hosts.size());
  }
  return data;
}

text::Object pods_of(const JobView& job) {
  return {{keys::kJobName, job.name}, {keys::kJobNamespace, job.namespace_name}};
}

WantedObject service_of(const SvcFlags& flags, const JobView& job) {
  text::Object spec{{"clusterIP", "None"}, {"selector", pods_of(job)}};
  if (flags.publish_not_ready) spec["publishNotReadyAddresses"] = true;
  return wanted_object({.version = "v1", .plural = "services"},
                       text::Object{{"apiVersion", "v1"},
                                    {"kind", "Service"},
                                    {"metadata", owned_metadata(job, job.name)},
                                    {"spec", std::move(spec)}});
}

WantedObject network_policy_of(const JobView& job) {
  const text::Object selector{{"matchLabels", pods_of(job)}};
  text::Object spec{
      {"podSelector", selector},
      {"ingress", text::Array{text::Object{{"from", text::Array{text::Object{{"podSelector", selector}}}}}}},
      {"policyTypes", text::Array{"Ingress"}}};
  return wanted_object({.group = "networking.k8s.io", .version = "v1", .plural = "networkpolicies"},
                       text::Object{{"apiVersion", "networking.k8s.io/v1"},
                                    {"kind", "NetworkPolicy"},
                                    {"metadata", owned_metadata(job, job.name)},
                                    {"spec", std::move(spec)}});
}

Result<std::vector<WantedObject>> objects_of_svc(const SvcFlags& flags, const JobView& job) {
  if (auto few = check_host_count(job, "svc"); !few) return std::unexpected(few.error());
  std::vector<WantedObject> wanted;
  wanted.push_back(wanted_object({.version = "v1", .plural = "configmaps"},
                                 text::Object{{"apiVersion", "v1"},
                                              {"kind", "ConfigMap"},
                                              {"metadata", owned_metadata(job, config_map_name(job))},
                                              {"data", hosts_data(job)}}));
  wanted.back().once = false;  // the list follows the job's size
  wanted.push_back(service_of(flags, job));
  if (!flags.no_network_policy) wanted.push_back(network_policy_of(job));
  return wanted;
}

}  // namespace

ConfiguredPlugin configure_svc(JobPluginArguments arguments) {
  SvcFlags flags;
  const text::GoFlag known[] = {{.name = "publish-not-ready-addresses", .target = &flags.publish_not_ready},
                                {.name = "disable-network-policy", .target = &flags.no_network_policy},
                                {.name = "inject-hosts-env", .target = &flags.hosts_env},
                                {.name = "inject-host-env", .target = &flags.host_env}};
  ConfiguredPlugin plugin{.name = "svc"};
  if (std::string warning = text::read_go_flags(arguments, known); !warning.empty()) plugin.warnings.push_back(warning);
  plugin.shape = [flags](TaskPodDraft& draft, const JobView& job, const TaskView& task) {
    return shape_svc(flags, draft, job, task);
  };
  plugin.objects = [flags](const JobView& job) { return objects_of_svc(flags, job); };
  return plugin;
}

}  // namespace basalt::volcano

#include <fmt/format.h>

#include <utility>

#include "control/volcano/job/plugins/builtin_job_plugins.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/views/container_view.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/go_flags.h"

namespace basalt::volcano {
namespace {

namespace keys = api::keys;

struct RayFlags {
  std::string head = "head", head_container = "head", worker = "worker", worker_container = "worker";
  int64_t port = 6379, dashboard_port = 8265, client_port = 10001;
};

struct NamedPort {
  std::string_view name;
  int64_t number = 0;
};

std::vector<NamedPort> ports_of(const RayFlags& flags) {
  return {{.name = "gcs", .number = flags.port},
          {.name = "dashboard", .number = flags.dashboard_port},
          {.name = "client-server", .number = flags.client_port}};
}

void run_in_shell(text::Object& container, std::string_view line) {
  container["command"] = text::Array{"sh", "-c", line};
}

Result<void> shape_ray(const RayFlags& flags, TaskPodDraft& draft, const JobView& job, const TaskView& task) {
  const TaskView* head = job.find_task(flags.head);
  if (head == nullptr) return invalid(fmt::format("job {} doesn't have head task {}", job.name, flags.head));
  const std::string start_head = fmt::format(
      "ray start --head --block --dashboard-host=0.0.0.0 --port={} --dashboard-port={} --ray-client-server-port={}",
      flags.port, flags.dashboard_port, flags.client_port);
  const std::string start_worker =
      fmt::format("ray start --block --address={}:{}", host_name(job, *head, 0), flags.port);
  api::rules::each_object(draft.spec(), "containers", [&](text::Object& container, size_t) {
    const std::string name(api::ContainerView(container).name());  // the ports move the container's members
    if (task.key() == flags.head && name == flags.head_container) {
      for (const NamedPort& port : ports_of(flags)) open_port(container, port.name, port.number);
      run_in_shell(container, start_head);
    }
    if (task.key() == flags.worker && name == flags.worker_container) run_in_shell(container, start_worker);
  });
  return {};
}

Result<std::vector<WantedObject>> objects_of_ray(const RayFlags& flags, const JobView& job) {
  text::Array ports;
  for (const NamedPort& port : ports_of(flags)) {
    ports.push_back(text::Object{{"name", port.name},
                                 {"protocol", "TCP"},
                                 {"port", static_cast<int32_t>(port.number)},
                                 {"targetPort", port.name}});
  }
  text::Object selector{
      {keys::kJobName, job.name}, {keys::kJobNamespace, job.namespace_name}, {keys::kTaskSpec, flags.head}};
  std::vector<WantedObject> wanted;
  wanted.push_back(wanted_object(
      {.version = "v1", .plural = "services"},
      text::Object{{"apiVersion", "v1"},
                   {"kind", "Service"},
                   {"metadata", owned_metadata(job, fmt::format("{}-head-svc", job.name))},
                   {"spec", text::Object{{"ports", std::move(ports)}, {"selector", std::move(selector)}}}}));
  return wanted;
}

}  // namespace

ConfiguredPlugin configure_ray(JobPluginArguments arguments) {
  RayFlags flags;
  const text::GoFlag known[] = {{.name = "head", .target = &flags.head},
                                {.name = "headContainer", .target = &flags.head_container},
                                {.name = "worker", .target = &flags.worker},
                                {.name = "workerContainer", .target = &flags.worker_container},
                                {.name = "port", .target = &flags.port},
                                {.name = "dashboardPort", .target = &flags.dashboard_port},
                                {.name = "clientPort", .target = &flags.client_port}};
  ConfiguredPlugin plugin{.name = "ray"};
  if (std::string warning = text::read_go_flags(arguments, known); !warning.empty()) plugin.warnings.push_back(warning);
  plugin.shape = [flags](TaskPodDraft& draft, const JobView& job, const TaskView& task) {
    return shape_ray(flags, draft, job, task);
  };
  plugin.objects = [flags](const JobView& job) { return objects_of_ray(flags, job); };
  return plugin;
}

}  // namespace basalt::volcano

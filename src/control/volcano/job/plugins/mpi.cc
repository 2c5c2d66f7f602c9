#include "control/volcano/job/plugins/builtin_job_plugins.h"
#include "control/volcano/job/plugins/task_hosts.h"
#include "kube/api/rules/member_access.h"
#include "kube/text/go_flags.h"

namespace basalt::volcano {
namespace {

struct MpiFlags {
  std::string master = "master", worker = "worker";
  int64_t port = 22;
};

Result<void> shape_mpi(const MpiFlags& flags, TaskPodDraft& draft, const JobView& job, const TaskView& task) {
  const bool is_master = task.key() == flags.master;
  const TaskView* workers = job.find_task(flags.worker);
  if (is_master && workers == nullptr) return {};
  for (const std::string_view list : {"initContainers", "containers"}) {
    api::rules::each_object(draft.spec(), list,
                            [&](text::Object& container, size_t) { open_port(container, "mpijob-port", flags.port); });
  }
  if (!is_master) return {};
  if (auto few = check_host_count(job, "mpi"); !few) return few;
  const std::string hosts = join(task_hosts(job, *workers), ",");
  for (const ContainerList list : kBothContainerLists) draft.add_env(list, "MPI_HOST", hosts);
  return {};
}

}  // namespace

ConfiguredPlugin configure_mpi(JobPluginArguments arguments) {
  MpiFlags flags;
  const text::GoFlag known[] = {{.name = "master", .target = &flags.master},
                                {.name = "worker", .target = &flags.worker},
                                {.name = "port", .target = &flags.port}};
  ConfiguredPlugin plugin{.name = "mpi"};
  if (std::string warning = text::read_go_flags(arguments, known); !warning.empty()) plugin.warnings.push_back(warning);
  plugin.shape = [flags](TaskPodDraft& draft, const JobView& job, const TaskView& task) {
    return shape_mpi(flags, draft, job, task);
  };
  return plugin;
}

}  // namespace basalt::volcano

#include <fmt/format.h>

#include "control/volcano/job/plugins/builtin_job_plugins.h"
#include "control/volcano/job/plugins/task_hosts.h"
#include "kube/api/object_fields.h"
#include "kube/text/go_flags.h"

namespace basalt::volcano {
namespace {

// The size of the pod's task, where a container asks for it by name, or everywhere when `always`.
void add_task_size(TaskPodDraft& draft, const TaskView& task, bool always) {
  const std::string size = fmt::to_string(task.replicas);
  for (const ContainerList list : kBothContainerLists) {
    text::Array* containers = draft.containers(list);
    for (size_t i = 0; containers != nullptr && i < containers->size(); ++i) {
      text::Object* container = (*containers)[i].if_object();
      if (container == nullptr) continue;
      for (const std::string_view variable : {"VK_TASK_NUM", "VC_TASK_NUM"}) {
        if (!always && !mentions(*container, variable)) continue;
        api::array_in(*container, "env").push_back(text::Object{{"name", variable}, {"value", size}});
      }
    }
  }
}

}  // namespace

ConfiguredPlugin configure_env(JobPluginArguments arguments) {
  bool task_num = false;
  const text::GoFlag known[] = {{.name = "task-num", .target = &task_num}};
  ConfiguredPlugin plugin{.name = "env"};
  if (std::string warning = text::read_go_flags(arguments, known); !warning.empty()) plugin.warnings.push_back(warning);
  plugin.shape = [task_num](TaskPodDraft& draft, const JobView&, const TaskView& task) -> Result<void> {
    for (const ContainerList list : kBothContainerLists) {
      draft.add_env(list, "VK_TASK_INDEX", IndexText{});
      draft.add_env(list, "VC_TASK_INDEX", IndexText{});
    }
    add_task_size(draft, task, task_num);
    return {};
  };
  return plugin;
}

}  // namespace basalt::volcano

#include "control/volcano/job/plugins/builtin_job_plugins.h"
#include "kube/api/object_view.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/go_flags.h"

namespace basalt::volcano {
namespace {

struct HcclFlags {
  std::string master = "master", worker = "worker";
};

Result<void> shape_hccl(const HcclFlags& flags, TaskPodDraft& draft, const JobView& job, const TaskView& task) {
  const std::string_view key = api::keys::kRankIndex;
  if (!api::ObjectView(draft.pod()).metadata().annotations()[key].empty()) return {};
  const auto rank = draft.env_text("RANK");
  if (const auto* per_index = std::get_if<IndexText>(&rank)) {
    draft.set_annotation(key, *per_index);
  } else if (const auto& fixed = std::get<std::string>(rank); !fixed.empty()) {
    draft.set_annotation(key, fixed);
  } else if (task.key() == flags.master) {
    draft.set_annotation(key, IndexText{});
  } else if (task.key() == flags.worker) {
    const TaskView* masters = job.find_task(flags.master);
    draft.set_annotation(key, IndexText{.add = masters == nullptr ? 0 : masters->replicas});
  }
  return {};
}

}  // namespace

ConfiguredPlugin configure_hcclrank(JobPluginArguments arguments) {
  HcclFlags flags;
  const text::GoFlag known[] = {{.name = "master", .target = &flags.master},
                                {.name = "worker", .target = &flags.worker}};
  ConfiguredPlugin plugin{.name = "hcclrank", .controlled = false};
  if (std::string warning = text::read_go_flags(arguments, known); !warning.empty()) plugin.warnings.push_back(warning);
  plugin.shape = [flags](TaskPodDraft& draft, const JobView& job, const TaskView& task) {
    return shape_hccl(flags, draft, job, task);
  };
  return plugin;
}

}  // namespace basalt::volcano

#include <fmt/format.h>

#include <array>
#include <utility>

#include "control/volcano/job/plugins/builtin_job_plugins.h"
#include "control/volcano/job/plugins/task_hosts.h"
#include "kube/text/go_flags.h"

namespace basalt::volcano {
namespace {

struct TensorflowFlags {
  std::string ps = "ps", worker = "worker", chief = "chief", evaluator = "evaluator";
  int64_t port = 2222;
};

// TensorFlow's word for the task; a task that plays none is called by its own name.
std::string_view role_of(const TensorflowFlags& flags, std::string_view task) {
  if (task == flags.chief) return "chief";
  if (task == flags.worker) return "worker";
  if (task == flags.ps) return "ps";
  if (task == flags.evaluator) return "evaluator";
  return task;
}

// The addresses of one role. Later tasks of the same name replace earlier ones; a role is given to the first flag that
// names the task, in the order ps, worker, chief, evaluator.
text::Object cluster_of(const TensorflowFlags& flags, const JobView& job) {
  const std::array<std::pair<std::string_view, std::string_view>, 4> roles = {
      {{"ps", flags.ps}, {"worker", flags.worker}, {"chief", flags.chief}, {"evaluator", flags.evaluator}}};
  std::array<text::Array, 4> addresses;
  for (const TaskView& task : job.tasks) {
    for (size_t role = 0; role < roles.size(); ++role) {
      if (roles[role].second != task.name) continue;
      addresses[role].clear();
      for (int64_t i = 0; i < task.replicas; ++i) {
        addresses[role].emplace_back(fmt::format("{}:{}", host_name(job, task, i), flags.port));
      }
      break;
    }
  }
  text::Object cluster;
  for (size_t role = 0; role < roles.size(); ++role) {
    if (!addresses[role].empty()) cluster[roles[role].first] = std::move(addresses[role]);
  }
  return cluster;
}

Result<void> shape_tensorflow(const TensorflowFlags& flags, TaskPodDraft& draft, const JobView& job,
                              const TaskView& task) {
  if (job.tasks.size() == 1 && job.tasks[0].replicas == 1) return {};  // alone: no cluster to describe
  if (auto few = check_host_count(job, "tensorflow"); !few) return few;
  std::string before = R"({"cluster":)" + text::to_json(cluster_of(flags, job)) + R"(,"task":{"type":)";
  text::append_json_string(before, role_of(flags, task.key()));
  before += R"(,"index":)";
  draft.add_env(ContainerList::Main, "TF_CONFIG", IndexText{.before = std::move(before), .after = "}}"});
  return {};
}

}  // namespace

ConfiguredPlugin configure_tensorflow(JobPluginArguments arguments) {
  TensorflowFlags flags;
  const text::GoFlag known[] = {{.name = "ps", .target = &flags.ps},
                                {.name = "worker", .target = &flags.worker},
                                {.name = "chief", .target = &flags.chief},
                                {.name = "evaluator", .target = &flags.evaluator},
                                {.name = "port", .target = &flags.port}};
  ConfiguredPlugin plugin{.name = "tensorflow"};
  if (std::string warning = text::read_go_flags(arguments, known); !warning.empty()) plugin.warnings.push_back(warning);
  plugin.shape = [flags](TaskPodDraft& draft, const JobView& job, const TaskView& task) {
    return shape_tensorflow(flags, draft, job, task);
  };
  return plugin;
}

}  // namespace basalt::volcano

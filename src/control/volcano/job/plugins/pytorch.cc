#include <fmt/format.h>

#include <algorithm>

#include "control/volcano/job/plugins/builtin_job_plugins.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/views/container_view.h"
#include "kube/text/go_flags.h"

namespace basalt::volcano {
namespace {

constexpr std::string_view kWaiter = "wait-for-master";

struct PytorchFlags {
  std::string master = "master", worker = "worker";
  int64_t port = 23456;
  bool wait = false;
  int64_t timeout_s = 300;
  std::string image = "busybox:1.36.1";
};

// The text is part of the pod that users see, and equal to Volcano's.
std::string wait_script(const PytorchFlags& flags, std::string_view master) {
  return fmt::format(
      "echo \"Waiting for master node {0}:{1} to be ready...\"\n"
      "TIMEOUT={2}\n"
      "ELAPSED=0\n"
      "until {{ nc -z {0} {1} || echo > /dev/tcp/{0}/{1}; }} 2>/dev/null; do\n"
      "  if [ $ELAPSED -ge $TIMEOUT ]; then\n"
      "    echo \"Timeout waiting for master after ${{TIMEOUT}} seconds\"\n"
      "    exit 1\n"
      "  fi\n"
      "  echo \"Master not ready yet, retrying in 2 seconds... (elapsed: ${{ELAPSED}}s)\"\n"
      "  sleep 2\n"
      "  ELAPSED=$((ELAPSED + 2))\n"
      "done\n"
      "echo \"Master node is ready!\"",
      master, flags.port, flags.timeout_s);
}

void add_waiter(const PytorchFlags& flags, TaskPodDraft& draft, std::string_view master) {
  text::Array& containers = api::array_in(draft.spec(), "initContainers");
  const bool there = std::ranges::any_of(containers, [](const text::Value& one) {
    return one.is_object() && api::ContainerView(one.get_object()).name() == kWaiter;
  });
  if (there) return;
  containers.push_back(text::Object{
      {"name", kWaiter}, {"image", flags.image}, {"command", text::Array{"sh", "-c", wait_script(flags, master)}}});
}

Result<void> shape_pytorch(const PytorchFlags& flags, TaskPodDraft& draft, const JobView& job, const TaskView& task) {
  const TaskView* master = job.find_task(flags.master);
  if (master == nullptr) return {};  // nothing to meet at: the pods stay as they are
  const std::string address = host_name(job, *master, 0);
  const bool is_worker = task.key() == flags.worker;
  if (is_worker && flags.wait) add_waiter(flags, draft, address);
  int64_t context = 0;
  for (const TaskView& one : job.tasks) {
    if (one.name == flags.master || one.name == flags.worker) context += one.replicas;
  }
  api::rules::each_object(draft.spec(), "containers", [&](text::Object& container, size_t) {
    open_port(container, "pytorchjob-port", flags.port);
  });
  draft.add_env(ContainerList::Main, "MASTER_ADDR", address);
  draft.add_env(ContainerList::Main, "MASTER_PORT", fmt::to_string(flags.port));
  draft.add_env(ContainerList::Main, "WORLD_SIZE", fmt::to_string(context));
  if (is_worker) {
    draft.add_env(ContainerList::Main, "RANK", IndexText{.add = 1});
  } else if (task.key() == flags.master) {
    draft.add_env(ContainerList::Main, "RANK", "0");
  }
  return {};
}

}  // namespace

ConfiguredPlugin configure_pytorch(JobPluginArguments arguments) {
  PytorchFlags flags;
  const text::GoFlag known[] = {{.name = "master", .target = &flags.master},
                                {.name = "worker", .target = &flags.worker},
                                {.name = "port", .target = &flags.port},
                                {.name = "wait-master-enabled", .target = &flags.wait},
                                {.name = "wait-master-timeout", .target = &flags.timeout_s},
                                {.name = "wait-master-image", .target = &flags.image}};
  ConfiguredPlugin plugin{.name = "pytorch"};
  if (std::string warning = text::read_go_flags(arguments, known); !warning.empty()) plugin.warnings.push_back(warning);
  plugin.shape = [flags](TaskPodDraft& draft, const JobView& job, const TaskView& task) {
    return shape_pytorch(flags, draft, job, task);
  };
  return plugin;
}

}  // namespace basalt::volcano

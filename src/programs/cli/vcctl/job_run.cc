// job run, vsub: a job from flags or from a file.
#include <fmt/format.h>

#include <ostream>

#include "kube/api/object_fields.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/document_path.h"
#include "kube/text/quantity.h"
#include "programs/cli/vcctl/commands.h"
#include "programs/cli/vcctl/job_wait.h"
#include "programs/cli/vcctl/manifest.h"
#include "programs/cli/vcctl/shell_words.h"

namespace basalt::cli::vcctl {
namespace {

constexpr std::string_view kJobNameLabel = "job.volcano.sh";
constexpr std::string_view kGpuResource = "nvidia.com/gpu";

struct JobFlags {
  std::string name, namespace_name, image, scheduler;
  std::vector<std::string> command;
};

// "cpu=1000m,memory=100Mi" as a resource list; "" as none.
Result<text::Object> read_resources(std::string_view text) {
  text::Object resources;
  while (!text.empty()) {
    const std::string_view statement = text.substr(0, text.find(','));
    text.remove_prefix(std::min(statement.size() + 1, text.size()));
    const size_t equals = statement.find('=');
    if (equals == std::string_view::npos || statement.find('=', equals + 1) != std::string_view::npos) {
      return invalid(fmt::format("invalid argument syntax {}, expected <resource>=<value>", statement));
    }
    const auto quantity = text::Quantity::parse(statement.substr(equals + 1));
    if (!quantity) return std::unexpected(quantity.error().within(statement));
    resources[statement.substr(0, equals)] = quantity->to_string();
  }
  return resources;
}

text::Object container_of(const JobFlags& job, text::Object requests, text::Object limits) {
  text::Object resources;
  if (!requests.empty()) resources["requests"] = std::move(requests);
  if (!limits.empty()) resources["limits"] = std::move(limits);
  text::Object container{{"name", job.name},
                         {"image", job.image},
                         {"imagePullPolicy", "IfNotPresent"},
                         {"resources", std::move(resources)}};
  if (!job.command.empty()) container["command"] = text::Array(job.command.begin(), job.command.end());
  return container;
}

// GPUs are asked for by both lists: a device is never shared.
Result<void> add_gpus(const CommandSession& session, text::Object& requests, text::Object& limits) {
  const int64_t gpus = session.flags.number("gpus");
  if (gpus < 0) return invalid("--gpus: must not be less than 0");
  if (gpus == 0) return {};
  for (text::Object* amounts : {&requests, &limits}) {
    if (amounts->contains(kGpuResource)) {
      return invalid(fmt::format("{} is given twice: by --gpus and in a list of resources", kGpuResource));
    }
    amounts->emplace(kGpuResource, std::to_string(gpus));
  }
  return {};
}

text::Object spec_of(const CommandSession& session, const JobFlags& job, text::Object task) {
  text::Object spec{{"minAvailable", session.flags.number("min")},
                    {"schedulerName", job.scheduler},
                    {"tasks", text::Array{std::move(task)}}};
  if (const std::string& queue = session.flags.text("queue"); !queue.empty()) spec.emplace("queue", queue);
  if (const std::string& name = session.flags.text("priority"); !name.empty()) spec.emplace("priorityClassName", name);
  return spec;
}

// Says that the job is there, and stays with it where that is asked for.
Result<void> created_job(CommandSession& session, const text::Object& job) {
  session.terminal.out << fmt::format("run job {} successfully\n", api::name_of(job)) << std::flush;
  if (!session.flags.on("wait")) return {};
  const auto code = wait_for_job(session, job);
  if (!code) return std::unexpected(code.error());
  if (session.exit_code == 0) session.exit_code = *code;
  return {};
}

Result<void> create_from_flags(CommandSession& session, const JobFlags& job) {
  auto requests = read_resources(session.flags.text("requests"));
  if (!requests) return std::unexpected(requests.error());
  auto limits = read_resources(session.flags.text("limits"));
  if (!limits) return std::unexpected(limits.error());
  if (auto added = add_gpus(session, *requests, *limits); !added) return added;
  text::Object pod{{"restartPolicy", "Never"},
                   {"containers", text::Array{container_of(job, std::move(*requests), std::move(*limits))}}};
  text::Object task{
      {"replicas", session.flags.number("replicas")},
      {"template",
       text::Object{{"metadata", text::Object{{"name", job.name}, {"labels", text::Object{{kJobNameLabel, job.name}}}}},
                    {"spec", std::move(pod)}}}};
  text::Object object{{"apiVersion", kJob.api_version()},
                      {"kind", kJob.kind},
                      {"metadata", text::Object{{"name", job.name}, {"namespace", job.namespace_name}}},
                      {"spec", spec_of(session, job, std::move(task))}};
  const auto created = session.create(kJob, job.namespace_name, std::move(object));
  if (!created) return std::unexpected(created.error());
  return created_job(session, (*created)->get_object());
}

Result<void> create_from_file(CommandSession& session, const std::string& file) {
  for (const std::string_view flag : {"queue", "gpus", "priority"}) {
    if (session.flags.given(flag)) return invalid(fmt::format("--{} is for a job from flags; the file says it", flag));
  }
  const auto ends = [&file](std::string_view part) { return file.find(part) != std::string::npos; };
  if (file != "-" && !ends(".yaml") && !ends(".yml") && !ends(".json")) return invalid("only support yaml file");
  auto manifests = read_manifests(session.terminal, file, kJob);
  if (!manifests) return std::unexpected(manifests.error().within("failed to read file, err"));
  for (VcctlManifest& manifest : *manifests) {
    // Where the file names a namespace and the command line does not, the file is meant.
    const bool as_written = !session.flags.given("namespace") && !manifest.namespace_name.empty();
    const std::string place = as_written ? manifest.namespace_name : session.flags.text("namespace");
    const auto created = session.create(kJob, place, std::move(manifest.object));
    if (!created) {
      return manifests->size() == 1 ? std::unexpected(created.error())
                                    : std::unexpected(created.error().within(manifest.place));
    }
    if (auto shown = created_job(session, (*created)->get_object()); !shown) return shown;
  }
  return {};
}

// The flag, or the variable, or the default.
std::string flag_or_variable(const CommandSession& session, std::string_view flag, const std::string& variable,
                             std::string_view otherwise) {
  if (session.flags.given(flag)) return session.flags.text(flag);
  const std::string value = session.terminal.environment(variable);
  return value.empty() ? std::string(otherwise) : value;
}

}  // namespace

Result<void> run_job(CommandSession& session) {
  const FlagValues& flags = session.flags;
  if (!flags.text("filename").empty()) return create_from_file(session, flags.text("filename"));
  if (flags.text("name").empty()) return invalid("job name cannot be left blank");
  return create_from_flags(session, {.name = flags.text("name"),
                                     .namespace_name = flags.text("namespace"),
                                     .image = flags.text("image"),
                                     .scheduler = flags.text("scheduler"),
                                     .command = {}});
}

Result<void> submit_job(CommandSession& session) {
  if (session.flags.text("name").empty()) return invalid("job name cannot be left blank");
  auto command = split_shell_words(session.flags.text("command"));
  if (!command) return std::unexpected(command.error());
  return create_from_flags(
      session, {.name = session.flags.text("name"),
                .namespace_name = flag_or_variable(session, "namespace", "VOLCANO_DEFAULT_JOB_NAMESPACE", "default"),
                .image = flag_or_variable(session, "image", "VOLCANO_DEFAULT_IMAGE", "busybox"),
                .scheduler = flag_or_variable(session, "scheduler", "VOLCANO_SCHEDULER_NAME", api::keys::kScheduler),
                .command = std::move(*command)});
}

}  // namespace basalt::cli::vcctl

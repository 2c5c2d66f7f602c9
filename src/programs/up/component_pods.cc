#include "programs/up/component_pods.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <mutex>

#include "kube/api/object_fields.h"
#include "kube/text/log_text.h"
#include "kube/text/rfc3339.h"

namespace basalt::up {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSpace = "volcano-system";
constexpr std::string_view kSchedulerLine = "scheduler: ";

struct Component {
  std::string_view name;  // of the Deployment; its pod is NAME-0
  std::string_view app;   // the label, as charts have it: a Deployment's selector cannot be changed by them
  bool is_scheduler;
};
constexpr std::array<Component, 3> kComponents = {{
    {.name = "volcano-admission", .app = "volcano-admission", .is_scheduler = false},
    {.name = "volcano-controllers", .app = "volcano-controller", .is_scheduler = false},
    {.name = "volcano-scheduler", .app = "volcano-scheduler", .is_scheduler = true},
}};

std::string pod_name(std::string_view component) { return fmt::format("{}-0", component); }

text::Object metadata_of_component(std::string_view name, std::string_view app) {
  return {{"name", name},
          {"namespace", kSpace},
          {"labels", text::Object{{"app", app}, {"app.kubernetes.io/managed-by", "Helm"}}},
          {"annotations", text::Object{{"meta.helm.sh/release-name", "volcano"},
                                       {"meta.helm.sh/release-namespace", kSpace},
                                       {"kubernetes.io/description", "a part of the process basalt up"}}}};
}

text::Object pod_spec_of(std::string_view component) {
  return {{"schedulerName", kComponentScheduler},
          {"containers", text::Array{text::Object{{"name", component}, {"image", "basalt"}}}}};
}

text::Object condition(std::string_view type, const std::string& now) {
  return {{"type", type}, {"status", "True"}, {"lastTransitionTime", now}};
}

text::Object deployment_of(const Component& component) {
  text::Object labels{{"app", component.app}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", metadata_of_component(component.name, component.app)},
          {"spec", text::Object{{"replicas", 1},
                                {"selector", text::Object{{"matchLabels", labels}}},
                                {"template", text::Object{{"metadata", text::Object{{"labels", labels}}},
                                                          {"spec", pod_spec_of(component.name)}}}}}};
}

text::Object pod_of(const Component& component) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", metadata_of_component(pod_name(component.name), component.app)},
          {"spec", pod_spec_of(component.name)}};
}

text::Object pod_status(std::string_view component, const std::string& now) {
  text::Array conditions;
  for (const std::string_view type : {"PodScheduled", "Initialized", "ContainersReady", "Ready"}) {
    conditions.push_back(condition(type, now));
  }
  text::Object container{{"name", component},
                         {"image", "basalt"},
                         {"imageID", ""},
                         {"ready", true},
                         {"started", true},
                         {"restartCount", 0},
                         {"state", text::Object{{"running", text::Object{{"startedAt", now}}}}}};
  return {{"phase", "Running"},
          {"startTime", now},
          {"conditions", std::move(conditions)},
          {"containerStatuses", text::Array{std::move(container)}}};
}

Result<void> make(client::ObjectClient& client, const api::GroupVersionResource& resource, text::Object object) {
  const std::string name(api::name_of(object));
  api::Call create{.verb = api::Verb::Create, .resource = resource};
  create.namespace_name = kSpace;
  create.body = std::move(object);
  const client::ReplyOrError made = client.call(std::move(create));
  if (made || made.error().reason == "AlreadyExists") return {};
  return failure(ErrorCode::Io, fmt::format("cannot show {} {}: {}", resource.plural, name, made.error().message));
}

Result<void> set_status(client::ObjectClient& client, const api::GroupVersionResource& resource,
                        const std::string& name, text::Object status) {
  api::Call patch{.verb = api::Verb::Patch, .resource = resource, .name = name};
  patch.namespace_name = kSpace;
  patch.subresource = "status";
  patch.patch = api::PatchType::Merge;
  patch.body = text::Object{{"status", std::move(status)}};
  const client::ReplyOrError told = client.call(std::move(patch));
  if (told) return {};
  return failure(ErrorCode::Io, fmt::format("cannot show {} {}: {}", resource.plural, name, told.error().message));
}

// One log file, and the one before it.
class ComponentLog {
 public:
  ComponentLog(const fs::path& logs, std::string_view component)
      : directory_(logs / kSpace / pod_name(component)), file_(directory_ / fmt::format("{}.log", component)) {
    std::error_code ignored;
    fs::create_directories(directory_, ignored);
  }

  void write(const std::string& line) {
    if (!stream_.is_open()) open();
    stream_ << line << '\n' << std::flush;
    bytes_ += line.size() + 1;
    if (bytes_ < kMaxComponentLogBytes) return;
    stream_.close();
    std::error_code ignored;
    fs::path former = file_;
    fs::rename(file_, former.replace_extension(".previous.log"), ignored);
  }

 private:
  void open() {
    // For its owner only, as all logs here, before anybody can write to it.
    const int made = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (made >= 0) ::close(made);
    stream_.open(file_, std::ios::app);
    std::error_code ignored;
    const auto size = fs::file_size(file_, ignored);
    bytes_ = ignored ? 0 : size;
  }

  fs::path directory_, file_;
  std::ofstream stream_;
  size_t bytes_ = 0;
};

struct ComponentLogs {
  explicit ComponentLogs(const fs::path& logs)
      : scheduler(logs, "volcano-scheduler"), controllers(logs, "volcano-controllers") {}
  std::mutex mutex;
  ComponentLog scheduler, controllers;
};

}  // namespace

std::vector<std::string> component_apps(bool scheduler) {
  std::vector<std::string> apps;
  for (const Component& component : kComponents) {
    if (scheduler || !component.is_scheduler) apps.emplace_back(component.app);
  }
  return apps;
}

Result<void> create_component_pods(client::ObjectClient& client, bool scheduler, Instant now) {
  const api::GroupVersionResource deployments{.group = "apps", .version = "v1", .plural = "deployments"};
  const api::GroupVersionResource pods{.group = "", .version = "v1", .plural = "pods"};
  const std::string at = text::format_time(now);
  for (const Component& component : kComponents) {
    if (component.is_scheduler && !scheduler) continue;
    if (auto made = make(client, deployments, deployment_of(component)); !made) return made;
    if (auto made = make(client, pods, pod_of(component)); !made) return made;
    if (auto told = set_status(client, pods, pod_name(component.name), pod_status(component.name, at)); !told) {
      return told;
    }
  }
  return {};
}

LogLineFunction component_log(const fs::path& logs, LogLineFunction next, std::function<Instant()> clock) {
  // Shared by the copies of the function that it returns.
  const auto files = std::make_shared<ComponentLogs>(logs);
  return [files, next = std::move(next), clock = std::move(clock)](bool warning, const std::string& line) {
    if (next) next(warning, line);
    // As a kubelet writes the log of a container, of which the prefix is no part.
    const std::string told = fmt::format("{} stderr F {} {}", text::format_time(clock()), warning ? 'W' : 'I',
                                         text::log_text(line, kMaxLogLineBytes));
    const std::lock_guard lock(files->mutex);
    (line.starts_with(kSchedulerLine) ? files->scheduler : files->controllers).write(told);
  };
}

}  // namespace basalt::up

#include "control/volcano/job/plugins/ssh.h"

#include <fmt/format.h>

#include <utility>

#include "control/volcano/job/plugins/builtin_job_plugins.h"
#include "control/volcano/job/plugins/task_hosts.h"
#include "kube/api/object_fields.h"
#include "kube/text/base64.h"
#include "kube/text/go_flags.h"

namespace basalt::volcano {
namespace {

constexpr std::string_view kPrivateKey = "id_rsa";
constexpr std::string_view kPublicKey = "id_rsa.pub";
constexpr std::string_view kAuthorizedKeys = "authorized_keys";
constexpr std::string_view kConfig = "config";
constexpr std::string_view kFolder = ".ssh";
// In a container; in two parts because no path of a machine may stand in the sources.
constexpr std::string_view kRootPath =
    "/root"
    "/.ssh";
constexpr int64_t kOwnerOnly = 0600;
constexpr int64_t kReadableByAll = 0644;  // the reader is not root, and subPath mounts have no fsGroup to help
constexpr int64_t kDefaultPort = 22;
constexpr int64_t kMaxPort = 65535;

struct SshFlags {
  std::string path{kRootPath};
  std::string private_key, public_key;
  int64_t port = kDefaultPort;
};

std::string secret_name(const JobView& job) { return fmt::format("{}-ssh", job.name); }

Result<void> shape_ssh(const SshFlags& flags, TaskPodDraft& draft, const JobView& job) {
  const std::string secret = secret_name(job);
  text::Array items;
  for (const std::string_view key : {kPrivateKey, kPublicKey, kAuthorizedKeys, kConfig}) {
    items.push_back(text::Object{{"key", key}, {"path", fmt::format("{}/{}", kFolder, key)}});
  }
  draft.add_volume({{"name", secret},
                    {"secret", text::Object{{"secretName", secret},
                                            {"items", std::move(items)},
                                            {"defaultMode", flags.path == kRootPath ? kOwnerOnly : kReadableByAll}}}});
  for (const ContainerList list : kBothContainerLists) {
    draft.add_mount(list, {{"name", secret}, {"mountPath", flags.path}, {"subPath", kFolder}});
  }
  return {};
}

std::string ssh_config(const JobView& job, int64_t port) {
  std::string config = "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n";
  for (const TaskView& task : job.tasks) {
    for (int64_t i = 0; i < host_count(task); ++i) {
      const std::string short_name = task.hostname.empty() ? pod_name(job, task, i) : std::string(task.hostname);
      config += fmt::format("Host {}\n  HostName {}\n  Port {}\n", short_name, host_name(job, task, i), port);
    }
  }
  return config;
}

Result<std::vector<WantedObject>> objects_of_ssh(const SshFlags& flags, const JobView& job) {
  if (auto few = check_host_count(job, "ssh"); !few) return std::unexpected(few.error());
  text::Object data{{kConfig, text::encode_base64(ssh_config(job, flags.port))}};
  WantedObject wanted = wanted_object({.version = "v1", .plural = "secrets"},
                                      text::Object{{"apiVersion", "v1"},
                                                   {"kind", "Secret"},
                                                   {"metadata", owned_metadata(job, secret_name(job))},
                                                   {"data", std::move(data)}});
  wanted.needs_keys = flags.private_key.empty();
  if (!wanted.needs_keys) {
    put_ssh_keys(wanted.object, {.private_pem = flags.private_key, .public_line = flags.public_key});
  }
  std::vector<WantedObject> all;
  all.push_back(std::move(wanted));
  return all;
}

}  // namespace

void put_ssh_keys(text::Object& secret, const net::SshKeys& keys) {
  text::Object& data = api::object_in(secret, "data");
  data[kPrivateKey] = text::encode_base64(keys.private_pem);
  data[kPublicKey] = text::encode_base64(keys.public_line);
  data[kAuthorizedKeys] = text::encode_base64(keys.public_line);
}

ConfiguredPlugin configure_ssh(JobPluginArguments arguments) {
  SshFlags flags;
  const text::GoFlag known[] = {{.name = "ssh-key-file-path", .target = &flags.path},
                                {.name = "ssh-private-key", .target = &flags.private_key},
                                {.name = "ssh-public-key", .target = &flags.public_key},
                                {.name = "ssh-port", .target = &flags.port}};
  ConfiguredPlugin plugin{.name = "ssh"};
  if (std::string warning = text::read_go_flags(arguments, known); !warning.empty()) plugin.warnings.push_back(warning);
  if (flags.port <= 0 || flags.port > kMaxPort) {
    plugin.warnings.push_back(fmt::format("ssh-port {} is no port, {} is used", flags.port, kDefaultPort));
    flags.port = kDefaultPort;
  }
  plugin.shape = [flags](TaskPodDraft& draft, const JobView& job, const TaskView&) {
    return shape_ssh(flags, draft, job);
  };
  plugin.objects = [flags](const JobView& job) { return objects_of_ssh(flags, job); };
  return plugin;
}

}  // namespace basalt::volcano

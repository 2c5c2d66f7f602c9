// What a job plugin is: named in spec.plugins with arguments, it shapes the pods of a job and wants objects beside
// them.
//
// A JobPlugin is a row of the registry (job_plugin_registry.h). `configure` reads the arguments once and
// answers a ConfiguredPlugin, whose functions are pure. Arguments are Go's flags (kube/text/go_flags.h); a bad one is a
// warning, and what was read before it applies.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/volcano/job/expand/job_view.h"
#include "control/volcano/job/expand/task_pod_draft.h"
#include "kube/api/api_resource.h"
#include "kube/net/ssh_keys.h"

namespace basalt::volcano {

// Objects that list every host of a job, or variables that do, stay below this; a larger job gets an error.
inline constexpr int64_t kMaxListedHosts = 100'000;

// An object that has to exist as long as the job is not over.
struct WantedObject {
  api::GroupVersionResource resource;
  text::Object object;       // whole, owned by the job
  uint64_t fingerprint = 0;  // of everything but metadata; generated keys excluded
  bool once = true;          // made when absent and never changed; else `data` is kept as wanted (see object_change)
  bool needs_keys = false;   // see with_keys

  [[nodiscard]] std::string_view name() const;
};

struct ConfiguredPlugin {
  std::string_view name;
  bool controlled = true;             // recorded in status.controlledResources as plugin-<name>
  std::vector<std::string> warnings;  // about the arguments, for a person
  // Shapes the draft of a task's pods. An error means that no pod of the task can be made. Empty: does nothing.
  std::function<Result<void>(TaskPodDraft&, const JobView&, const TaskView&)> shape;
  // What has to exist. Cost: O(replicas) where hosts are listed. Empty: nothing.
  std::function<Result<std::vector<WantedObject>>(const JobView&)> objects;
};

struct JobPlugin {
  std::string_view name;
  ConfiguredPlugin (*configure)(std::span<const std::string_view> arguments);
};

// A pair of keys for ssh between the pods of a job. Expensive (tens of milliseconds) and random, so it is not called
// while planning but when a Secret that needs keys is about to be made.
using SshKeyGenerator = std::function<Result<net::SshKeys>()>;

// The object to create: with fresh keys where it needs them.
// Keys live as long as the job: never write them over an existing Secret, running pods would not see them.
[[nodiscard]] Result<text::Object> with_keys(const WantedObject& wanted, const SshKeyGenerator& keys);

// The merge patch that brings an existing object in step; nothing when it is, or when it is made `once`.
// Keys of `data` that are not wanted are removed: the object is the job's own.
[[nodiscard]] std::optional<text::Object> object_change(const WantedObject& wanted, const text::Object& current);

// "plugin-<name>", the key in status.controlledResources whose value is the plugin's name.
[[nodiscard]] std::string plugin_resource_key(std::string_view plugin);

// Used by the plugins themselves: the pod of a WantedObject with its fingerprint.
[[nodiscard]] WantedObject wanted_object(api::GroupVersionResource resource, text::Object object);

}  // namespace basalt::volcano

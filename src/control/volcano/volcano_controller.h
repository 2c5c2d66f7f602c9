// A controller as two pure functions: which items a change concerns, and what to write about one item.
//
// An item is a work queue key, mostly the key of an object ("namespace/name"). See control/loop/write_plan.h for what a
// plan promises. A new controller is one file with such a pair, and a row in controller_registry.cc
// (docs/guides/add-a-controller.md).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "control/loop/write_plan.h"
#include "control/volcano/controller_cache.h"
#include "control/volcano/job/plugins/job_plugin.h"
#include "control/volcano/write_refusals.h"
#include "kube/text/time_zone.h"

namespace basalt::volcano {

using loop::EventNote;
using loop::WritePlan;

// What the controllers are told by flags.
struct VolcanoControllerOptions {
  std::vector<std::string> schedulers{"volcano"};  // whose bare pods get PodGroups
  bool inherit_owner_annotations = true;
  std::string controllers = "*";  // "*,-gc-controller": see controller_registry.h
  std::string home_namespace = "volcano-system";
  std::string topology_config = "volcano-controller-configmap";  // the ConfigMap about HyperNode discovery, at home
};

// Services of the system that a plan may use; pure as far as it is concerned.
struct SystemServices {
  SshKeyGenerator generate_ssh_keys;                                                      // for the ssh plugin
  std::function<std::shared_ptr<const text::TimeZone>(std::string_view name)> time_zone;  // null: no such zone
};

// Probes that were good when they were last made, and when that was.
using GoodProbes = std::map<loop::Probe, Instant>;

struct VolcanoContext {
  const ControllerCache& seen;
  const GoodProbes& probes;
  const VolcanoControllerOptions& options;
  const SystemServices& system_services;
  const WriteRefusal* refusal = nullptr;  // of the item that is planned, when its last writes were refused
};

struct VolcanoController {
  std::string_view name;  // "job-controller", as Volcano's --controllers knows it
  void (*wake)(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items);
  WritePlan (*plan)(const VolcanoContext& context, const std::string& item, Instant now);
  // A write of a plan was refused; may explain it to people. May be null.
  void (*refused)(const VolcanoContext& context, const std::string& item, const api::Call& call,
                  const api::ApiError& error, std::vector<EventNote>& notes) = nullptr;
  // Does the item's next plan have to know of this refusal (VolcanoContext::refusal)? May be null: of none.
  bool (*heeds_refusal)(const api::Call& call, const api::ApiError& error) = nullptr;
};

}  // namespace basalt::volcano

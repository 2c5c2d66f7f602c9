// A controller as two pure functions: which items a change concerns, and what to write about one item.
//
// An item is a word in the controller's own terms, mostly the key of an object ("namespace/name"). See
// control/loop/plan.h for what a plan promises. A new controller is one file with such a pair, and a row in
// registry.cc.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "control/loop/plan.h"
#include "control/volcano/job/plugins/plugin.h"
#include "control/volcano/observed.h"
#include "kube/text/time_zone.h"

namespace basalt::volcano {

using loop::Note;
using loop::Plan;

// What the controllers are told by flags.
struct Options {
  std::vector<std::string> schedulers{"volcano"};  // whose bare pods get PodGroups
  bool inherit_owner_annotations = true;
  std::string controllers = "*";  // "*,-gc-controller": see registry.h
  std::string home_namespace = "volcano-system";
  std::string topology_config = "volcano-controller-configmap";  // the ConfigMap about HyperNode discovery, at home
};

// Things from outside that a plan may use; pure as far as it is concerned.
struct Outside {
  KeyMaker make_key;                                                                      // for the ssh plugin
  std::function<std::shared_ptr<const text::TimeZone>(std::string_view name)> time_zone;  // null: no such zone
};

// Probes that were good when they were last made, and when that was.
using GoodProbes = std::map<loop::Probe, Instant>;

struct World {
  const Observed& seen;
  const GoodProbes& probes;
  const Options& options;
  const Outside& outside;
};

struct Controller {
  std::string_view name;  // "job-controller", as Volcano's --controllers knows it
  void (*wake)(const World& world, const Change& change, std::vector<std::string>& items);
  Plan (*plan)(const World& world, const std::string& item, Instant now);
  // A write of a plan was refused; may explain it to people. May be null.
  void (*refused)(const World& world, const std::string& item, const api::Call& call, const api::ApiError& error,
                  std::vector<Note>& notes) = nullptr;
};

}  // namespace basalt::volcano

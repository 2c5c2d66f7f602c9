// conformance: what the cluster itself lives on is never evicted.
//
//   preemptable, reclaimable   all candidates but pods in namespace kube-system and pods of the priority classes
//                              system-cluster-critical and system-node-critical
//
// No arguments. Cost: three integer compares a candidate.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/plugin.h"

namespace basalt::plugins {

class Conformance {
 public:
  static constexpr std::string_view kName = "conformance";
  static Result<Conformance> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

  engine::Vote victims(model::TaskId preemptor, std::span<const model::TaskId> candidates,
                       std::vector<model::TaskId>& chosen) const;

 private:
  const engine::Session* session_ = nullptr;
  NameId system_namespace_;  // none while nobody uses the name: then no task can have it
  std::array<NameId, 2> critical_classes_;
};

}  // namespace basalt::plugins

// The policy in force, and its hot reload.
//
// A conf that does not load changes nothing: the old policy stays in force until a good one comes. Everything of a
// policy is rebuilt from its conf, so an argument that is removed goes back to its default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "control/scheduler/state/conf.h"

namespace basalt::state {

class ActivePolicy {
 public:
  // In force at first: enqueue, allocate, backfill; priority gang conformance | overcommit drf predicates proportion
  // nodeorder. `gate_queue_admission`: the feature gate SchedulingGatesQueueAdmission, which sets the argument of
  // allocate that a conf may also set by itself.
  // `unsupported`: what becomes of plugins and actions that Volcano has and we do not.
  explicit ActivePolicy(bool gate_queue_admission = false, Unsupported unsupported = Unsupported::Skip);

  // Puts the conf in `yaml` in force, or says why not. The error's message is for a person: line, key, remedy.
  Result<void> load(std::string_view yaml);
  // Puts the built-in policy in force again.
  void reset();

  [[nodiscard]] const engine::Policy& policy() const { return current_.policy; }
  [[nodiscard]] const policy::PolicySpec& spec() const { return current_.spec; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return current_.warnings; }
  [[nodiscard]] const std::vector<Skipped>& skipped() const { return current_.skipped; }
  // Moves with every successful load, and with reset().
  [[nodiscard]] uint64_t generation() const { return generation_; }

 private:
  bool gate_queue_admission_;
  Unsupported unsupported_;
  LoadedConf current_;
  uint64_t generation_ = 1;
};

}  // namespace basalt::state

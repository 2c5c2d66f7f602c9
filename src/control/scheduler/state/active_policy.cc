#include "control/scheduler/state/active_policy.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/policy/build_policy.h"

namespace basalt::state {
namespace {

// What the conf itself says about it wins.
void set_gate(policy::PolicySpec& spec) {
  const std::string action = "allocate";
  if (std::ranges::find(spec.actions, action) == spec.actions.end()) return;
  auto at = std::ranges::find(spec.configurations, action, &policy::ActionSpec::name);
  if (at == spec.configurations.end()) at = spec.configurations.insert(at, {.name = action, .arguments = {}});
  at->arguments.try_emplace("schedulingGatesQueueAdmission", engine::Argument{.value = true});
}

LoadedConf built_in(bool gate_queue_admission) {
  LoadedConf out;
  out.spec = policy::default_policy_spec();
  if (gate_queue_admission) set_gate(out.spec);
  auto built = policy::build_policy(out.spec);
  check(built.has_value(), "the built-in policy is valid");
  out.policy = std::move(*built);
  return out;
}

}  // namespace

ActivePolicy::ActivePolicy(bool gate_queue_admission, Unsupported unsupported)
    : gate_queue_admission_(gate_queue_admission),
      unsupported_(unsupported),
      current_(built_in(gate_queue_admission)) {}

void ActivePolicy::reset() {
  current_ = built_in(gate_queue_admission_);
  ++generation_;
}

Result<void> ActivePolicy::load(std::string_view yaml) {
  auto loaded = load_conf(yaml, unsupported_);
  if (!loaded) return std::unexpected(loaded.error());
  if (gate_queue_admission_) {
    set_gate(loaded->spec);
    auto built = policy::build_policy(loaded->spec);
    if (!built) return std::unexpected(built.error());
    loaded->policy = std::move(*built);
  }
  current_ = std::move(*loaded);
  ++generation_;
  return {};
}

}  // namespace basalt::state

#include "bridge/active_policy.h"

#include "base/check.h"
#include "policy/build_policy.h"

namespace basalt::bridge {

ActivePolicy::ActivePolicy() {
  current_.spec = policy::default_policy_spec();
  auto built = policy::build_policy(current_.spec);
  check(built.has_value(), "the built-in policy is valid");
  current_.policy = std::move(*built);
}

Result<void> ActivePolicy::load(std::string_view yaml) {
  auto loaded = load_conf(yaml);
  if (!loaded) return std::unexpected(loaded.error());
  current_ = std::move(*loaded);
  ++generation_;
  return {};
}

}  // namespace basalt::bridge

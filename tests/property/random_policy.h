// A random policy: the stock conf, or one put together from actions, queue plugins, scores and extras that go together.
#pragma once

#include <string>

#include "base/rng.h"
#include "engine/core/policy.h"
#include "engine/policy/policy_spec.h"

namespace basalt::property {

struct RandomPolicy {
  policy::PolicySpec spec;
  engine::Policy built;

  [[nodiscard]] bool has(std::string_view plugin) const;
  // One line: actions; tiers.
  [[nodiscard]] std::string text() const;
};

RandomPolicy random_policy(Rng& rng);

}  // namespace basalt::property

// Why, seen from inside a cycle: which plugin orders queues and jobs, what each node offers to a pending pod.
//
// Every plugin is opened once more into a hook table of its own, so that an answer can be named after the plugin that
// gave it. The session's decisions are not touched.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/session.h"

namespace basalt::lab::scenario {

// The state of things when the cycle opens, as indented lines of text.
[[nodiscard]] std::string explain_session(engine::Session& session);

// "4", "8Gi", "2": an amount in the spelling of Kubernetes.
[[nodiscard]] std::string amount_text(std::string_view resource, model::Amount amount);

}  // namespace basalt::lab::scenario

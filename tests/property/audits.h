// Questions put to a cycle while it runs: does what is kept incrementally equal what a fresh look gives?
//
// audited() puts an audit before, between and after the actions of a policy. An audit changes nothing that a decision
// could see, so an audited policy must decide like the plain one.
#pragma once

#include <string>

#include "base/rng.h"
#include "engine/core/policy.h"
#include "engine/core/session.h"

namespace basalt::property {

// "" or what differs.

// Columns that were synced along the way against columns built now, and their totals against scores computed one by
// one; once with the session's own plugins, once with plugins opened now.
std::string audit_columns(engine::Session& session);

// Orders, limits and votes of plugins that counted along against those of plugins opened now. Only asked while nothing
// is pipelined and nothing was evicted: plugins charge a pipelined task, but one opened later does not know of it.
std::string audit_accounts(engine::Session& session);

// A random transaction with checkpoints and rollbacks: state and answers are the same afterwards.
std::string audit_rollback(engine::Session& session, Rng& rng);

// What the session's plugins answer to every question that has a short answer. Admission is asked on demand: a job let
// in is charged its whole minimum until the cycle ends, then only what it does not hold.
std::string answers(engine::Session& session, bool with_admission = true);

// Findings are appended to `wrong`. Requires: both live as long as the policy is run.
engine::Policy audited(const engine::Policy& policy, Rng& rng, std::string& wrong);

}  // namespace basalt::property

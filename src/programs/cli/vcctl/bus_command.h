// Requests to controllers: a bus Command that is owned by the object it is about.
#pragma once

#include <string_view>

#include "base/result.h"
#include "programs/cli/vcctl/command_session.h"

namespace basalt::cli::vcctl {

// Asks for `action` ("AbortJob") on `target`, by a Command called "<target>-<action in small letters>-…" in
// `namespace_name`. A controller carries it out and deletes it.
[[nodiscard]] Result<void> issue_command(CommandSession& session, const VcctlKind& kind, const text::Object& target,
                                         std::string_view namespace_name, std::string_view action);

}  // namespace basalt::cli::vcctl

// Which job a command is about.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "programs/cli/vcctl/command_session.h"

namespace basalt::cli::vcctl {

struct JobTarget {
  std::string namespace_name, name;
};

// By --name and --namespace. In vcctl -n is the namespace, in the stand-alone tools it is the name, and documents mix
// them up: `vcctl job view -n my-job`. So where -n is the namespace and no name is given, a job in `default` that is
// called like the namespace is meant, and a line on `err` says so. Else the error is `mandatory`.
[[nodiscard]] Result<JobTarget> target_job(CommandSession& session, std::string_view mandatory);

}  // namespace basalt::cli::vcctl

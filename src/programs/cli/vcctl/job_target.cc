#include "programs/cli/vcctl/job_target.h"

#include <fmt/format.h>

#include <ostream>

namespace basalt::cli::vcctl {

Result<JobTarget> target_job(CommandSession& session, std::string_view mandatory) {
  JobTarget target{.namespace_name = session.flags.text("namespace"), .name = session.flags.text("name")};
  if (!target.name.empty()) return target;
  const bool mixed_up = session.flags.given("namespace") && session.flags.letter("namespace") == 'n';
  if (mixed_up && !target.namespace_name.empty() && !session.volcano_output()) {
    constexpr std::string_view kDefault = "default";
    if (session.get(kJob, kDefault, target.namespace_name).has_value()) {
      session.terminal.err << fmt::format("note: taking \"{0}\" as the name of a job; the flag for that is -N {0}\n",
                                          printable(target.namespace_name));
      return JobTarget{.namespace_name = std::string(kDefault), .name = target.namespace_name};
    }
  }
  return invalid(std::string(mandatory));
}

}  // namespace basalt::cli::vcctl

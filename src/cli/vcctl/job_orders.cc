// job suspend, resume, delete; vsuspend, vresume, vcancel.
#include <fmt/format.h>

#include <ostream>

#include "cli/vcctl/bus_command.h"
#include "cli/vcctl/commands.h"
#include "cli/vcctl/job_target.h"

namespace basalt::cli::vcctl {
namespace {

Result<void> order(Session& session, std::string_view verb, std::string_view action) {
  const auto target = target_job(session, fmt::format("job name is mandatory to {} a particular job", verb));
  if (!target) return std::unexpected(target.error());
  const auto job = session.get(kJob, target->namespace_name, target->name);
  if (!job) return std::unexpected(job.error());
  return issue_command(session, kJob, (*job)->get_object(), target->namespace_name, action);
}

Result<void> remove(Session& session, std::string_view verb) {
  const auto target = target_job(session, fmt::format("job name is mandatory to {} a particular job", verb));
  if (!target) return std::unexpected(target.error());
  if (auto removed = session.remove(kJob, target->namespace_name, target->name); !removed) return removed;
  session.terminal.out << fmt::format("{} job {} successfully\n", verb, target->name);
  return {};
}

}  // namespace

Result<void> suspend_job(Session& session) { return order(session, "suspend", "AbortJob"); }
Result<void> resume_job(Session& session) { return order(session, "resume", "ResumeJob"); }
Result<void> delete_job(Session& session) { return remove(session, "delete"); }
Result<void> cancel_job(Session& session) { return remove(session, "cancel"); }

}  // namespace basalt::cli::vcctl

// job suspend, resume, delete; vsuspend, vresume, vcancel.
#include <fmt/format.h>

#include <ostream>

#include "kube/api/job_phase.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_job_view.h"
#include "programs/cli/vcctl/bus_command.h"
#include "programs/cli/vcctl/commands.h"
#include "programs/cli/vcctl/job_target.h"

namespace basalt::cli::vcctl {
namespace {

Result<void> order(CommandSession& session, std::string_view verb, std::string_view action) {
  const auto target = target_job(session, fmt::format("job name is mandatory to {} a particular job", verb));
  if (!target) return std::unexpected(target.error());
  const auto job = session.get(kJob, target->namespace_name, target->name);
  if (!job) return std::unexpected(job.error());
  const text::Object& object = (*job)->get_object();
  const std::string_view phase = api::VolcanoJobView(object).status().state().phase();
  if (!session.volcano_output() && api::is_finished_job(phase)) {
    return invalid(fmt::format("job {} is {}: there is nothing to {}", api::key_of(object), phase, verb));
  }
  if (auto issued = issue_command(session, kJob, object, target->namespace_name, action); !issued) return issued;
  session.tell(fmt::format("{} ordered for job {} (was {})", verb, api::key_of(object), phase.empty() ? "new" : phase));
  return {};
}

Result<void> remove(CommandSession& session, std::string_view verb) {
  const auto target = target_job(session, fmt::format("job name is mandatory to {} a particular job", verb));
  if (!target) return std::unexpected(target.error());
  if (auto removed = session.remove(kJob, target->namespace_name, target->name); !removed) return removed;
  session.terminal.out << fmt::format("{} job {} successfully\n", verb, target->name);
  return {};
}

}  // namespace

Result<void> suspend_job(CommandSession& session) { return order(session, "suspend", "AbortJob"); }
Result<void> resume_job(CommandSession& session) { return order(session, "resume", "ResumeJob"); }
Result<void> delete_job(CommandSession& session) { return remove(session, "delete"); }
Result<void> cancel_job(CommandSession& session) { return remove(session, "cancel"); }

}  // namespace basalt::cli::vcctl

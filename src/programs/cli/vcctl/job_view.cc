// job view, and vjobs with a name.
#include <fmt/format.h>

#include <ostream>

#include "kube/api/views/volcano_job_view.h"
#include "programs/cli/vcctl/commands.h"
#include "programs/cli/vcctl/job_page.h"
#include "programs/cli/vcctl/job_target.h"
#include "programs/cli/vcctl/show_objects.h"

namespace basalt::cli::vcctl {
namespace {

Result<void> show_job(CommandSession& session, const JobTarget& target, JobPageOptions page) {
  return show_page(session, kJob, target.namespace_name, target.name, [&](const text::Object& job) -> Result<void> {
    session.terminal.out << job_page(job, page);
    // By uid: events of an earlier job of the same name are another story.
    const std::string_view uid = api::VolcanoJobView(job).metadata().uid();
    const auto events = session.list(
        kEvent, {.namespace_name = target.namespace_name, .field_selector = fmt::format("involvedObject.uid={}", uid)});
    if (!events) session.terminal.err << "Failed to list events: " << events.error().message << '\n';
    session.terminal.out << events_page(events ? events->items : std::vector<client::ObjectPtr>(),
                                        session.terminal.now(), session.volcano_output());
    return {};
  });
}

}  // namespace

Result<void> view_job(CommandSession& session) {
  const auto target = target_job(session, "job name (specified by --name or -N) is mandatory to view a particular job");
  if (!target) return std::unexpected(target.error());
  return show_job(session, *target, {.conditions = true, .volcano = session.volcano_output()});
}

Result<void> view_or_list_jobs(CommandSession& session) {
  if (session.flags.text("name").empty()) return list_jobs(session);
  return show_job(session, {.namespace_name = session.flags.text("namespace"), .name = session.flags.text("name")},
                  {.conditions = !session.volcano_output(), .volcano = session.volcano_output()});
}

}  // namespace basalt::cli::vcctl

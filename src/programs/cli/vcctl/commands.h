// What each command does. The table in command_table.cc has a row for every one, with its words and flags.
//
// A command reads only the flags of its row, talks to the API and writes to the terminal; an error is shown by the
// caller. Where a stand-alone tool (vsub, vjobs …) does what a command of vcctl does, both rows name one function.
#pragma once

#include "base/result.h"
#include "programs/cli/vcctl/session.h"

namespace basalt::cli::vcctl {

// Jobs.
[[nodiscard]] Result<void> run_job(Session& session);     // job run
[[nodiscard]] Result<void> submit_job(Session& session);  // vsub
[[nodiscard]] Result<void> list_jobs(Session& session);
[[nodiscard]] Result<void> view_job(Session& session);
[[nodiscard]] Result<void> view_or_list_jobs(Session& session);  // vjobs
[[nodiscard]] Result<void> suspend_job(Session& session);
[[nodiscard]] Result<void> resume_job(Session& session);
[[nodiscard]] Result<void> delete_job(Session& session);
[[nodiscard]] Result<void> cancel_job(Session& session);  // vcancel

// Queues.
[[nodiscard]] Result<void> create_queue(Session& session);
[[nodiscard]] Result<void> delete_queue(Session& session);
[[nodiscard]] Result<void> operate_queue(Session& session);
[[nodiscard]] Result<void> list_queues(Session& session);
[[nodiscard]] Result<void> get_queue(Session& session);
[[nodiscard]] Result<void> view_queues(Session& session);  // vqueues

// Job flows and job templates.
[[nodiscard]] Result<void> create_flows(Session& session);
[[nodiscard]] Result<void> list_flows(Session& session);
[[nodiscard]] Result<void> get_flow(Session& session);
[[nodiscard]] Result<void> describe_flows(Session& session);
[[nodiscard]] Result<void> delete_flows(Session& session);
[[nodiscard]] Result<void> create_templates(Session& session);
[[nodiscard]] Result<void> list_templates(Session& session);
[[nodiscard]] Result<void> get_template(Session& session);
[[nodiscard]] Result<void> describe_templates(Session& session);
[[nodiscard]] Result<void> delete_templates(Session& session);

// Pods and their groups.
[[nodiscard]] Result<void> list_pods(Session& session);
[[nodiscard]] Result<void> list_pod_groups(Session& session);
[[nodiscard]] Result<void> get_pod_group(Session& session);

// The names of objects, one per line, for completion.
[[nodiscard]] Result<void> print_names(Session& session);

// Without a server.
[[nodiscard]] std::string_view program_version();  // one line, for --version
[[nodiscard]] Result<void> print_version(const Flags& flags, Terminal& terminal);
[[nodiscard]] Result<void> print_completion(const Flags& flags, Terminal& terminal);

}  // namespace basalt::cli::vcctl

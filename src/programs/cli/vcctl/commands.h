// What each command does. The table in command_table.cc has a row for every one, with its words and flags.
//
// A command reads only the flags of its row, talks to the API and writes to the terminal; an error is shown by the
// caller. Where a stand-alone tool (vsub, vjobs …) does what a command of vcctl does, both rows name one function.
#pragma once

#include "base/result.h"
#include "programs/cli/vcctl/command_session.h"

namespace basalt::cli::vcctl {

// Jobs.
[[nodiscard]] Result<void> run_job(CommandSession& session);     // job run
[[nodiscard]] Result<void> submit_job(CommandSession& session);  // vsub
[[nodiscard]] Result<void> list_jobs(CommandSession& session);
[[nodiscard]] Result<void> view_job(CommandSession& session);
[[nodiscard]] Result<void> view_or_list_jobs(CommandSession& session);  // vjobs
[[nodiscard]] Result<void> suspend_job(CommandSession& session);
[[nodiscard]] Result<void> resume_job(CommandSession& session);
[[nodiscard]] Result<void> delete_job(CommandSession& session);
[[nodiscard]] Result<void> cancel_job(CommandSession& session);  // vcancel

// Queues.
[[nodiscard]] Result<void> create_queue(CommandSession& session);
[[nodiscard]] Result<void> delete_queue(CommandSession& session);
[[nodiscard]] Result<void> operate_queue(CommandSession& session);
[[nodiscard]] Result<void> list_queues(CommandSession& session);
[[nodiscard]] Result<void> get_queue(CommandSession& session);
[[nodiscard]] Result<void> view_queues(CommandSession& session);  // vqueues

// Job flows and job templates.
[[nodiscard]] Result<void> create_flows(CommandSession& session);
[[nodiscard]] Result<void> list_flows(CommandSession& session);
[[nodiscard]] Result<void> get_flow(CommandSession& session);
[[nodiscard]] Result<void> describe_flows(CommandSession& session);
[[nodiscard]] Result<void> delete_flows(CommandSession& session);
[[nodiscard]] Result<void> create_templates(CommandSession& session);
[[nodiscard]] Result<void> list_templates(CommandSession& session);
[[nodiscard]] Result<void> get_template(CommandSession& session);
[[nodiscard]] Result<void> describe_templates(CommandSession& session);
[[nodiscard]] Result<void> delete_templates(CommandSession& session);

// Pods and their groups.
[[nodiscard]] Result<void> list_pods(CommandSession& session);
[[nodiscard]] Result<void> list_pod_groups(CommandSession& session);
[[nodiscard]] Result<void> get_pod_group(CommandSession& session);

// The names of objects, one per line, for completion.
[[nodiscard]] Result<void> print_names(CommandSession& session);

// Without a server.
[[nodiscard]] std::string_view program_version();  // one line, for --version
[[nodiscard]] Result<void> print_version(const FlagValues& flags, Terminal& terminal);
[[nodiscard]] Result<void> print_completion(const FlagValues& flags, Terminal& terminal);

}  // namespace basalt::cli::vcctl

// pod list, podgroup list, podgroup get.
#include <fmt/format.h>

#include "kube/api/object_view.h"
#include "kube/api/pod_summary.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "kube/api/volcano_keys.h"
#include "programs/cli/vcctl/commands.h"
#include "programs/cli/vcctl/show_objects.h"

namespace basalt::cli::vcctl {
namespace {

constexpr Width kSpacious{.rule = WidthRule::Spacious};

TableColumn pod_column(std::string_view header, Cell (*cell)(const api::PodSummary&, Instant)) {
  return {.header = header, .width = kSpacious, .cell = [cell](const text::Object& pod, Instant now) {
            return cell(api::summarize_pod(api::PodView(pod)), now);
          }};
}

std::vector<TableColumn> columns_of_pods(bool all_namespaces) {
  std::vector<TableColumn> columns;
  if (all_namespaces) columns.push_back(namespace_column(kSpacious));
  columns.push_back(name_column(kSpacious));
  columns.push_back(
      pod_column("Ready", [](const api::PodSummary& pod, Instant) { return Cell{.text = pod.ready_text()}; }));
  columns.push_back(pod_column("Status", [](const api::PodSummary& pod, Instant) { return phase_cell(pod.status); }));
  columns.push_back(pod_column(
      "Restart", [](const api::PodSummary& pod, Instant now) { return Cell{.text = pod.restarts_text(now)}; }));
  columns.push_back(age_column(kSpacious));
  return columns;
}

// The pods of one job must not be asked for in another queue than theirs.
Result<void> check_queue(CommandSession& session, const ListScope& scope, const std::string& job,
                         const std::string& queue) {
  const auto pods = session.list(kPod, scope);
  if (!pods) return std::unexpected(pods.error());
  for (const client::ObjectPtr& pod : pods->items) {
    const std::string_view of_pod = api::ObjectView(*pod).metadata().labels()[api::keys::kJobQueue];
    if (!of_pod.empty() && of_pod != queue) {
      return invalid(fmt::format("the input vcjob {} does not match the queue {}", printable(job), printable(queue)));
    }
  }
  return {};
}

ShowOptions shown_groups(bool all_namespaces) {
  std::vector<TableColumn> columns;
  if (all_namespaces) columns.push_back(namespace_column(kListWidth));
  columns.push_back(name_column(kListWidth));
  columns.push_back(phase_column("Phase", kListWidth, {"status", "phase"}));
  columns.push_back(number_column("MinMember", kListWidth, {"spec", "minMember"}));
  columns.push_back(number_column("Running", kListWidth, {"status", "running"}));
  columns.push_back(number_column("Succeeded", kListWidth, {"status", "succeeded"}));
  columns.push_back(number_column("Failed", kListWidth, {"status", "failed"}));
  columns.push_back(text_column("Queue", kListWidth, {"spec", "queue"}));
  columns.push_back(age_column(kListWidth));
  return {.kind = kPodGroup,
          .columns = std::move(columns),
          .wide = {text_column("PriorityClass", kListWidth, {"spec", "priorityClassName"})}};
}

}  // namespace

Result<void> list_pods(CommandSession& session) {
  const std::string &job = session.flags.text("job"), &queue = session.flags.text("queue");
  ShowOptions shown{
      .kind = kPod,
      .columns = columns_of_pods(session.flags.on("all-namespaces")),
      .wide = {text_column("IP", kSpacious, {"status", "podIP"}), text_column("Node", kSpacious, {"spec", "nodeName"})},
      .scope = {.namespace_name = session.namespace_flag()}};
  if (!job.empty()) {
    shown.scope.label_selector = fmt::format("{} in ({})", api::keys::kJobName, job);
    if (!queue.empty()) {
      if (auto matches = check_queue(session, shown.scope, job, queue); !matches) return matches;
    }
  } else if (!queue.empty()) {
    shown.filter = [&queue](const text::Object& pod) {
      return api::ObjectView(pod).metadata().labels()[api::keys::kJobQueue] == queue ||
             api::ObjectView(pod).metadata().annotations()[api::keys::kQueueName] == queue;
    };
  } else {
    shown.scope.label_selector = api::keys::kJobName;  // it exists: pods of jobs
  }
  return show_list(session, std::move(shown));
}

Result<void> list_pod_groups(CommandSession& session) {
  ShowOptions shown = shown_groups(session.flags.on("all-namespaces"));
  shown.scope.namespace_name = session.namespace_flag();
  if (const std::string& queue = session.flags.text("queue"); !queue.empty()) {
    shown.filter = [&queue](const text::Object& group) { return api::PodGroupView(group).spec().queue() == queue; };
  }
  return show_list(session, std::move(shown));
}

Result<void> get_pod_group(CommandSession& session) {
  const std::string& name = session.flags.text("name");
  if (name.empty()) return invalid("name is mandatory to get the particular podgroup details");
  return show_one(session, shown_groups(false), session.flags.text("namespace"), name);
}

}  // namespace basalt::cli::vcctl

// queue create, delete, operate, list, get; vqueues.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "kube/api/views/volcano_queue_view.h"
#include "programs/cli/vcctl/bus_command.h"
#include "programs/cli/vcctl/commands.h"
#include "programs/cli/vcctl/show_objects.h"

namespace basalt::cli::vcctl {
namespace {

constexpr Width kNameWidth{.rule = WidthRule::Fixed, .blanks = 25};
constexpr Width kCountWidth{.rule = WidthRule::Fixed, .blanks = 8};
constexpr std::string_view kCommandNamespace = "default";  // queues have none; their commands need one
constexpr std::string_view kVolcanosQueueName = "test";    // of `queue create` without a name, with --volcano-output

// Queue → phase → how many groups.
using GroupCounts = std::map<std::string, std::map<std::string, int64_t, std::less<>>, std::less<>>;

Result<void> count_groups(CommandSession& session, GroupCounts& counts) {
  const auto groups = session.list(kPodGroup, {});
  if (!groups) return std::unexpected(groups.error().within("failed to list podgroups with err"));
  counts.clear();
  for (const client::ObjectPtr& group : groups->items) {
    const text::Object& object = group->get_object();
    ++counts[std::string(api::PodGroupView(object).spec().queue())]
            [std::string(api::PodGroupView(object).status().phase())];
  }
  return {};
}

TableColumn count_column(const std::shared_ptr<GroupCounts>& counts, std::string_view phase) {
  return {.header = phase, .width = kCountWidth, .cell = [counts, phase](const text::Object& queue, Instant) {
            int64_t count = 0;
            if (const auto of_queue = counts->find(api::name_of(queue)); of_queue != counts->end()) {
              const auto of_phase = of_queue->second.find(phase);
              if (of_phase != of_queue->second.end()) count = of_phase->second;
            }
            return Cell{.text = std::to_string(count)};
          }};
}

using AmountsOfQueue = api::MapView<const text::Value*> (*)(api::QueueView queue);

// {"cpu":"4","memory":"8Gi"} as "cpu=4,memory=8Gi".
TableColumn amounts_column(std::string_view header, AmountsOfQueue amounts_of) {
  return {.header = header, .width = {}, .cell = [amounts_of](const text::Object& queue, Instant) {
            std::map<std::string_view, std::string> amounts;
            for (const auto& [name, value] : amounts_of(api::QueueView(queue))) {
              amounts.emplace(name, value->is_string() ? std::string(value->get_string()) : text::to_json(*value));
            }
            std::string text;
            for (const auto& [name, value] : amounts)
              text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
            return Cell{.text = text.empty() ? "<none>" : text};
          }};
}

enum class Columns : uint8_t { All, Few };  // of `queue list` / of vqueues

ShowOptions shown_queues(CommandSession& session, Columns which) {
  // Shared by the columns and by the step that fills it, which all live in one ShowOptions.
  const auto counts = std::make_shared<GroupCounts>();
  std::vector<TableColumn> columns{name_column(kNameWidth), number_column("Weight", kCountWidth, {"spec", "weight"}),
                                   phase_column("State", kCountWidth, {"status", "state"})};
  if (which == Columns::All) columns.push_back(text_column("Parent", kCountWidth, {"spec", "parent"}));
  for (const std::string_view phase : {"Inqueue", "Pending", "Running", "Unknown"}) {
    columns.push_back(count_column(counts, phase));
  }
  if (which == Columns::All) columns.push_back(count_column(counts, "Completed"));
  return {.kind = kQueue,
          .columns = std::move(columns),
          .wide = {number_column("Priority", {}, {"spec", "priority"}),
                   amounts_column("Deserved", [](api::QueueView queue) { return queue.spec().deserved(); }),
                   amounts_column("Capability", [](api::QueueView queue) { return queue.spec().capability(); }),
                   amounts_column("Allocated", [](api::QueueView queue) { return queue.status().allocated(); }),
                   age_column({})},
          .prepare = [&session, counts] { return count_groups(session, *counts); }};
}

Result<void> issue_queue_command(CommandSession& session, const std::string& name, std::string_view verb,
                                 std::string_view action) {
  const auto queue = session.get(kQueue, "", name);
  if (!queue) return std::unexpected(queue.error());
  const text::Object& object = (*queue)->get_object();
  if (auto issued = issue_command(session, kQueue, object, kCommandNamespace, action); !issued) return issued;
  const std::string_view state = api::QueueView(object).status().state();
  session.tell(fmt::format("{} ordered for queue {} (was {})", verb, name, state.empty() ? "new" : state));
  return {};
}

Result<void> update_weight(CommandSession& session, const std::string& name) {
  const int64_t weight = session.flags.number("weight");
  if (weight == 0) {
    return invalid(fmt::format("when update queue {}, weight must be specified, the value must be greater than 0",
                               printable(name)));
  }
  auto patched = session.merge_patch(kQueue, name, text::Object{{"spec", text::Object{{"weight", weight}}}});
  if (patched) session.tell(fmt::format("queue {} has weight {} now", name, weight));
  return patched;
}

}  // namespace

Result<void> create_queue(CommandSession& session) {
  std::string name = session.flags.text("name");
  const std::string& state = session.flags.text("state");
  if (name.empty() && session.volcano_output()) name = kVolcanosQueueName;
  if (name.empty()) return invalid("queue name must be specified");
  if (state != "Open" && state != "Closed") {
    return invalid(fmt::format("state {} invalid, valid states are Open and Closed", printable(state)));
  }
  const auto created = session.create(kQueue, "",
                                      text::Object{{"apiVersion", kQueue.api_version()},
                                                   {"kind", kQueue.kind},
                                                   {"metadata", text::Object{{"name", name}}},
                                                   {"spec", text::Object{{"weight", session.flags.number("weight")}}}});
  if (!created) return std::unexpected(created.error());
  // A state cannot be created, it is reached: the controller opens queues by itself, and closes them when told to.
  if (state == "Closed") {
    auto closed = issue_command(session, kQueue, (*created)->get_object(), kCommandNamespace, "CloseQueue");
    if (!closed) return closed;
  }
  session.tell(fmt::format("queue {} created with weight {}{}", name, session.flags.number("weight"),
                           state == "Closed" ? ", close ordered" : ""));
  return {};
}

Result<void> delete_queue(CommandSession& session) {
  const std::string& name = session.flags.text("name");
  if (name.empty()) return invalid("queue name must be specified");
  auto removed = session.remove(kQueue, "", name);
  if (removed) session.tell(fmt::format("queue {} deleted", name));
  return removed;
}

Result<void> operate_queue(CommandSession& session) {
  const std::string &name = session.flags.text("name"), &action = session.flags.text("action");
  if (name.empty()) return invalid("queue name must be specified");
  if (action.empty()) return invalid("action can not be null");
  if (action == "open") return issue_queue_command(session, name, "open", "OpenQueue");
  if (action == "close") return issue_queue_command(session, name, "close", "CloseQueue");
  if (action == "update") return update_weight(session, name);
  return invalid(fmt::format("action {} invalid, valid actions are open, close and update", printable(action)));
}

Result<void> list_queues(CommandSession& session) { return show_list(session, shown_queues(session, Columns::All)); }

Result<void> get_queue(CommandSession& session) {
  const std::string& name = session.flags.text("name");
  if (name.empty()) return invalid("name is mandatory to get the particular queue details");
  return show_one(session, shown_queues(session, Columns::All), "", name);
}

Result<void> view_queues(CommandSession& session) {
  const std::string& name = session.flags.text("name");
  if (name.empty()) return show_list(session, shown_queues(session, Columns::Few));
  return show_one(session, shown_queues(session, Columns::Few), "", name);
}

}  // namespace basalt::cli::vcctl

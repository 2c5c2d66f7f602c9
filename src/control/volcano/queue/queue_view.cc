#include "control/volcano/queue/queue_view.h"

#include <charconv>
#include <string>
#include <tuple>

#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_command_view.h"
#include "kube/api/views/volcano_queue_view.h"
#include "kube/text/rfc3339.h"

namespace basalt::volcano {
namespace {

// The order in which commands were created: by time, within a second by the revision that created them.
std::tuple<Instant, uint64_t, std::string> order_of(const QueueCommand& command) {
  const std::string_view version = api::CommandView(*command.object).metadata().resource_version();
  uint64_t revision = 0;
  std::from_chars(version.data(), version.data() + version.size(), revision);
  return {command.created, revision, api::key_of(*command.object)};
}

}  // namespace

QueueLifecycleState queue_state(const text::Object& queue) {
  const std::string_view state = api::QueueView(queue).status().state();
  if (state.empty()) return QueueLifecycleState::None;
  if (state == "Open") return QueueLifecycleState::Open;
  if (state == "Closed") return QueueLifecycleState::Closed;
  return state == "Closing" ? QueueLifecycleState::Closing : QueueLifecycleState::Unknown;
}

std::string_view to_text(QueueLifecycleState state) {
  switch (state) {
    case QueueLifecycleState::None:
      return "";
    case QueueLifecycleState::Open:
      return "Open";
    case QueueLifecycleState::Closed:
      return "Closed";
    case QueueLifecycleState::Closing:
      return "Closing";
    case QueueLifecycleState::Unknown:
      break;
  }
  return "Unknown";
}

bool is_queue_command(const text::Object& command) {
  const api::OwnerReferenceView target = api::CommandView(command).target();
  return target.kind() == "Queue" && target.api_version() == api_version_of(VolcanoKind::Queue);
}

QueueCommand read_command(const text::Object& command) {
  const std::string_view action = api::CommandView(command).action();
  const auto created = text::parse_time(api::CommandView(command).metadata().creation_timestamp());
  return {.object = &command,
          .action = action == "OpenQueue"    ? QueueAction::Open
                    : action == "CloseQueue" ? QueueAction::Close
                                             : QueueAction::Sync,
          .created = created ? *created : kNever};
}

std::optional<QueueCommand> first_command(const ControllerCache& seen, const text::Object& queue) {
  std::optional<QueueCommand> first;
  for (const std::string& key : seen.commands_for(api::QueueView(queue).metadata().uid())) {
    const text::Object* object = seen.find(VolcanoKind::Command, key);
    if (object == nullptr || !is_queue_command(*object)) continue;
    const QueueCommand command = read_command(*object);
    if (!first || order_of(command) < order_of(*first)) first = command;
  }
  return first;
}

QueueLifecycleState next_state(QueueLifecycleState state, QueueAction action, bool holds) {
  const QueueLifecycleState shut = holds ? QueueLifecycleState::Closing : QueueLifecycleState::Closed;
  if (action == QueueAction::Open) return QueueLifecycleState::Open;
  switch (state) {
    case QueueLifecycleState::None:
    case QueueLifecycleState::Open:
      return action == QueueAction::Close ? shut : QueueLifecycleState::Open;
    case QueueLifecycleState::Closed:
      return QueueLifecycleState::Closed;
    case QueueLifecycleState::Closing:
      return shut;
    case QueueLifecycleState::Unknown:
      break;
  }
  return action == QueueAction::Close ? shut : QueueLifecycleState::Unknown;
}

}  // namespace basalt::volcano

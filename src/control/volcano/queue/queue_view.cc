#include "control/volcano/queue/queue_view.h"

#include <charconv>
#include <string>
#include <tuple>

#include "kube/api/object_fields.h"
#include "kube/text/time.h"

namespace basalt::volcano {
namespace {

using api::string_at;

// The order in which commands were created: by time, within a second by the revision that created them.
std::tuple<Instant, uint64_t, std::string> order_of(const QueueCommand& command) {
  const std::string_view version = string_at(*command.object, {"metadata", "resourceVersion"});
  uint64_t revision = 0;
  std::from_chars(version.data(), version.data() + version.size(), revision);
  return {command.created, revision, api::key_of(*command.object)};
}

}  // namespace

QueueState queue_state(const text::Object& queue) {
  const std::string_view state = string_at(queue, {"status", "state"});
  if (state.empty()) return QueueState::None;
  if (state == "Open") return QueueState::Open;
  if (state == "Closed") return QueueState::Closed;
  return state == "Closing" ? QueueState::Closing : QueueState::Unknown;
}

std::string_view to_text(QueueState state) {
  switch (state) {
    case QueueState::None:
      return "";
    case QueueState::Open:
      return "Open";
    case QueueState::Closed:
      return "Closed";
    case QueueState::Closing:
      return "Closing";
    case QueueState::Unknown:
      break;
  }
  return "Unknown";
}

bool is_queue_command(const text::Object& command) {
  return string_at(command, {"target", "kind"}) == "Queue" &&
         string_at(command, {"target", "apiVersion"}) == api_version_of(Kind::Queue);
}

QueueCommand read_command(const text::Object& command) {
  const std::string_view action = string_at(command, "action");
  const auto created = text::parse_time(string_at(command, {"metadata", "creationTimestamp"}));
  return {.object = &command,
          .action = action == "OpenQueue"    ? QueueAction::Open
                    : action == "CloseQueue" ? QueueAction::Close
                                             : QueueAction::Sync,
          .created = created ? *created : kNever};
}

std::optional<QueueCommand> first_command(const Observed& seen, const text::Object& queue) {
  std::optional<QueueCommand> first;
  for (const std::string& key : seen.commands_for(string_at(queue, {"metadata", "uid"}))) {
    const text::Object* object = seen.find(Kind::Command, key);
    if (object == nullptr || !is_queue_command(*object)) continue;
    const QueueCommand command = read_command(*object);
    if (!first || order_of(command) < order_of(*first)) first = command;
  }
  return first;
}

QueueState next_state(QueueState state, QueueAction action, bool holds) {
  const QueueState shut = holds ? QueueState::Closing : QueueState::Closed;
  if (action == QueueAction::Open) return QueueState::Open;
  switch (state) {
    case QueueState::None:
    case QueueState::Open:
      return action == QueueAction::Close ? shut : QueueState::Open;
    case QueueState::Closed:
      return QueueState::Closed;
    case QueueState::Closing:
      return shut;
    case QueueState::Unknown:
      break;
  }
  return action == QueueAction::Close ? shut : QueueState::Unknown;
}

}  // namespace basalt::volcano

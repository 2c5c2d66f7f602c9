#include "control/volcano/queue/queue_controller.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "control/volcano/queue/queue_view.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/volcano_command_view.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "kube/api/views/volcano_queue_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {
namespace keys = api::keys;

constexpr std::string_view kOpenReason = "OpenQueue";
constexpr std::string_view kCloseReason = "CloseQueue";

std::string_view parent_of(const text::Object& queue) { return api::QueueView(queue).spec().parent(); }
bool is_root(const text::Object& queue) { return api::name_of(queue) == keys::kRootQueue; }

// What there is to write about a queue.
struct QueueVerdict {
  QueueLifecycleState state = QueueLifecycleState::None;
  bool closed_by_parent = false;               // what the mark is to say, where it says something or has to
  const text::Object* done_command = nullptr;  // carried out or refused: it goes
  Instant again = kNever;
  std::string_view reason;  // of the event; "": none
  bool warning = false;
  std::string message;
};

void say(QueueVerdict& verdict, bool warning, std::string_view reason, std::string message) {
  verdict.warning = warning;
  verdict.reason = reason;
  verdict.message = std::move(message);
}

// Whether a queue may open under its parent, in words when not. What is directly below root always may.
std::string obstacle_of(const VolcanoContext& context, const text::Object& queue) {
  const std::string_view name = parent_of(queue);
  if (name.empty() || name == keys::kRootQueue) return "";
  const text::Object* parent = context.seen.find(VolcanoKind::Queue, name);
  if (parent == nullptr) {
    return fmt::format("Failed to get parent queue {} of queue {}: it does not exist", name, api::name_of(queue));
  }
  if (!is_shut(queue_state(*parent))) return "";
  return fmt::format(
      "Failed to open queue {} because its parent queue {} is closing or closed. Open the parent queue first.",
      api::name_of(queue), name);
}

bool is_below_shut_parent(const VolcanoContext& context, const text::Object& queue) {
  const std::string_view name = parent_of(queue);
  if (is_root(queue) || name.empty() || name == keys::kRootQueue) return false;
  const text::Object* parent = context.seen.find(VolcanoKind::Queue, name);
  return parent != nullptr && is_shut(queue_state(*parent));
}

// The action that the oldest Command asks for now.
QueueAction obey(const VolcanoContext& context, const text::Object& queue, Instant now, QueueVerdict& verdict) {
  const std::optional<QueueCommand> command = first_command(context.seen, queue);
  if (!command) return QueueAction::Sync;
  const QueueLifecycleState state = queue_state(queue);
  if (command->action == QueueAction::Open && state != QueueLifecycleState::Open) {
    std::string obstacle = obstacle_of(context, queue);
    if (!obstacle.empty() && now < command->created + kParentOpenTimeout) {
      verdict.again = command->created + kParentOpenTimeout;
      return QueueAction::Sync;
    }
    verdict.done_command = command->object;
    if (obstacle.empty()) return QueueAction::Open;
    say(verdict, true, kOpenReason, std::move(obstacle));
    return QueueAction::Sync;
  }
  verdict.done_command = command->object;
  if (command->action == QueueAction::Close && is_root(queue)) {
    say(verdict, true, kCloseReason, "Root queue cannot be closed");
    return QueueAction::Sync;
  }
  return command->action;
}

QueueVerdict judge(const VolcanoContext& context, const text::Object& queue, Instant now) {
  QueueVerdict verdict;
  const QueueLifecycleState state = queue_state(queue);
  const bool holds = !context.seen.groups_in(api::name_of(queue)).empty();
  const bool marked = api::QueueView(queue).metadata().annotations()[keys::kClosedByParent] == "true";
  const QueueAction action = obey(context, queue, now, verdict);
  verdict.state = next_state(state, action, holds);
  // Who closes a queue below an open parent means it: the queue no longer waits for its parent.
  const bool below_shut = is_below_shut_parent(context, queue);
  verdict.closed_by_parent = marked && is_shut(state) && (below_shut || action != QueueAction::Close);
  if (below_shut) {
    if (!is_shut(verdict.state)) {
      verdict.state = next_state(verdict.state, QueueAction::Close, holds);
      verdict.closed_by_parent = true;
    }
  } else if (verdict.closed_by_parent && obstacle_of(context, queue).empty()) {
    verdict.state = QueueLifecycleState::Open;
  }
  if (!is_shut(verdict.state)) verdict.closed_by_parent = false;
  if (verdict.reason.empty() && is_shut(verdict.state) && !is_shut(state)) {
    say(verdict, false, kCloseReason, "Close queue succeed");
  }
  if (verdict.reason.empty() && verdict.state == QueueLifecycleState::Open &&
      (is_shut(state) || state == QueueLifecycleState::Unknown)) {
    say(verdict, false, kOpenReason, "Open queue succeed");
  }
  return verdict;
}

text::Object status_change(const VolcanoContext& context, const text::Object& queue, QueueLifecycleState state) {
  text::Object change;
  if (state != queue_state(queue)) change["state"] = to_text(state);
  const PodGroupCounts counts = context.seen.group_counts(api::name_of(queue));
  const api::QueueStatusView status = api::QueueView(queue).status();
  const auto count = [&](std::string_view key, std::optional<int64_t> written, int64_t number) {
    if (written.value_or(0) != number) change[key] = number;
  };
  count("pending", status.pending(), counts.pending);
  count("running", status.running(), counts.running);
  count("inqueue", status.inqueue(), counts.inqueue);
  count("unknown", status.unknown(), counts.unknown);
  count("completed", status.completed(), counts.completed);
  return change;
}

WritePlan plan_queue(const VolcanoContext& context, const text::Object& queue, Instant now) {
  WritePlan plan;
  QueueVerdict verdict = judge(context, queue, now);
  const std::string_view mark = api::QueueView(queue).metadata().annotations()[keys::kClosedByParent];
  const auto set_mark = [&](bool closed) {
    const text::Object marks{{keys::kClosedByParent, closed ? "true" : "false"}};
    plan.write(patch_object(VolcanoKind::Queue, queue, {{"metadata", text::Object{{"annotations", marks}}}}));
  };
  if (!is_root(queue) && parent_of(queue).empty()) {
    plan.write(patch_object(VolcanoKind::Queue, queue, {{"spec", text::Object{{"parent", keys::kRootQueue}}}}));
  }
  // The mark is written while the state is Open, before it closes and after it opened: Volcano's admission refuses
  // other changes of a queue that is Closing.
  const bool opens = !is_shut(verdict.state);
  const bool remark = (mark == "true") != verdict.closed_by_parent;
  if (remark && !opens) set_mark(verdict.closed_by_parent);
  text::Object status = status_change(context, queue, verdict.state);
  // A new queue of the same name must not get the old one's state; counts, and being open at first, do no harm.
  const bool guarded = status.contains("state") && queue_state(queue) != QueueLifecycleState::None;
  if (guarded && !plan.stages.empty())
    return plan;  // in the version that this makes, which wakes us, the state follows
  if (!status.empty()) {
    plan.write(
        patch_status(VolcanoKind::Queue, queue, std::move(status), guarded ? RefuseIf::Changed : RefuseIf::Replaced));
  }
  if (remark && opens) plan.then(), set_mark(false);
  if (verdict.done_command != nullptr) {
    plan.then();
    plan.write(delete_object(VolcanoKind::Command, *verdict.done_command));
  }
  if (!verdict.reason.empty()) {
    const auto note = verdict.warning ? warning : normal;
    plan.notes.push_back(note(VolcanoKind::Queue, queue, std::string(verdict.reason), std::move(verdict.message)));
  }
  plan.look_again(verdict.again);
  return plan;
}

// The queue that a Command names and that is the one it means.
const text::Object* queue_of(const VolcanoContext& context, const text::Object& command) {
  const text::Object* queue = context.seen.find(VolcanoKind::Queue, api::CommandView(command).target().name());
  if (queue == nullptr) return nullptr;
  return api::QueueView(*queue).metadata().uid() == api::CommandView(command).target().uid() ? queue : nullptr;
}

WritePlan plan_lost_command(const VolcanoContext& context, const std::string& key, Instant now) {
  WritePlan plan;
  const text::Object* command = context.seen.find(VolcanoKind::Command, key);
  if (command == nullptr || !is_queue_command(*command) || queue_of(context, *command) != nullptr) return plan;
  const Instant end = read_command(*command).created + kParentOpenTimeout;
  if (now < end) {
    plan.look_again(end);
  } else {
    plan.write(delete_object(VolcanoKind::Command, *command));
  }
  return plan;
}

WritePlan plan_queues(const VolcanoContext& context, const std::string& item, Instant now) {
  if (item.find('/') != std::string::npos) return plan_lost_command(context, item, now);
  const text::Object* queue = context.seen.find(VolcanoKind::Queue, item);
  return queue == nullptr ? WritePlan{} : plan_queue(context, *queue, now);
}

void wake_for_queue(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  if (change.now != nullptr) items.emplace_back(change.key);
  const bool gone = change.now == nullptr;
  if (gone || change.before == nullptr || queue_state(*change.now) != queue_state(*change.before)) {
    for (const std::string& child : context.seen.children_of(change.key)) items.push_back(child);
  }
  if (!gone) return;
  for (const std::string& key : context.seen.commands_for(api::ObjectView(*change.before).metadata().uid())) {
    items.push_back(key);
  }
}

void wake_for_group(const ObjectChange& change, std::vector<std::string>& items) {
  const auto look = [](const text::Object* group) {
    if (group == nullptr) return std::pair<std::string_view, std::string_view>();
    return std::pair(api::PodGroupView(*group).spec().queue(), api::PodGroupView(*group).status().phase());
  };
  const auto before = look(change.before);
  const auto now = look(change.now);
  if (before == now) return;
  if (!now.first.empty()) items.emplace_back(now.first);
  if (!before.first.empty() && before.first != now.first) items.emplace_back(before.first);
}

void wake_queues(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  if (change.kind == VolcanoKind::Queue) return wake_for_queue(context, change, items);
  if (change.kind == VolcanoKind::PodGroup) return wake_for_group(change, items);
  if (change.kind != VolcanoKind::Command || !is_queue_command(change.either())) return;
  if (const text::Object* queue = queue_of(context, change.either())) {
    items.emplace_back(api::name_of(*queue));
  } else if (change.now != nullptr) {
    items.emplace_back(change.key);
  }
}

// Conflicts and outages are tried again in silence; what the server judges wrong is for people to see.
void refused_queues(const VolcanoContext& context, const std::string& item, const api::Call& call,
                    const api::ApiError& error, std::vector<EventNote>& notes) {
  const text::Object* queue = context.seen.find(VolcanoKind::Queue, item);
  if (queue == nullptr || call.subresource != "status" || (error.code != 403 && error.code != 422)) return;
  const bool closing = !is_shut(queue_state(*queue));
  notes.push_back(warning(VolcanoKind::Queue, *queue, std::string(closing ? kCloseReason : kOpenReason),
                          fmt::format("Update queue status failed for {}", error.message)));
}

}  // namespace

VolcanoController queue_controller() {
  return {.name = "queue-controller", .wake = wake_queues, .plan = plan_queues, .refused = refused_queues};
}

}  // namespace basalt::volcano

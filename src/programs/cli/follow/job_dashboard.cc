#include "programs/cli/follow/job_dashboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "kube/api/job_phase.h"
#include "kube/api/object_fields.h"
#include "kube/api/resource_list.h"
#include "kube/api/views/event_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "kube/api/views/volcano_queue_view.h"
#include "kube/text/utf8.h"
#include "programs/cli/follow/dashboard_rows.h"
#include "programs/cli/follow/text_wrap.h"

namespace basalt::cli::follow {
namespace {

using vcctl::printable;
using vcctl::Terminal;

std::string amounts_text(api::MapView<const text::Value*> amounts) {
  return api::resource_list_text(api::resource_list_in(amounts.json()));
}

void add_lines(std::vector<std::string>& lines, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(lines));
}

std::string queue_text(const JobObjects& objects) {
  const std::string name(api::VolcanoJobView(objects.job()).spec().queue());
  const api::QueueView queue(objects.queue());
  if (!queue) return fmt::format("{} (not seen)", name);
  const std::string used = amounts_text(queue.status().allocated());
  const std::string cap = amounts_text(queue.spec().capability());
  return fmt::format("{}  {}  weight {}{}{}", name, queue.status().state(), queue.spec().weight().value_or(1),
                     used.empty() ? "" : "  in use: " + used, cap.empty() ? "" : "  at most: " + cap);
}

std::string gang_text(const GangProgress& fill) {
  std::string text = fmt::format("{} running", fill.running);
  if (fill.placed > 0) text += fmt::format(", {} more on nodes", fill.placed);
  if (fill.succeeded > 0) text += fmt::format(", {} succeeded", fill.succeeded);
  if (fill.failed > 0) text += fmt::format(", {} failed", fill.failed);
  text += fmt::format(", of {} needed", fill.needed);
  return fill.wanted == fill.needed ? text : text + fmt::format(" ({} wanted)", fill.wanted);
}

// '#' runs or ran well, '=' is on a node, '.' is not there yet.
std::string bar_of(const GangProgress& fill) {
  const int64_t whole = std::max({fill.wanted, fill.needed, int64_t{1}});
  const auto cells = [whole](int64_t pods) { return std::clamp(pods, int64_t{0}, whole) * kBarCells / whole; };
  const int64_t ran = cells(fill.running + fill.succeeded), placed = cells(fill.running + fill.succeeded + fill.placed);
  return "[" + std::string(static_cast<size_t>(ran), '#') + std::string(static_cast<size_t>(placed - ran), '=') +
         std::string(static_cast<size_t>(kBarCells - placed), '.') + "]";
}

// A group that is not let in has no condition that says why, but an event. "0/0 tasks …" only says that there are no
// pods yet.
std::string reason_from_events(const JobObjects& objects, std::string_view group) {
  std::string reason;
  for (const text::Object* object : objects.events()) {
    const api::EventView event(object);
    const std::string_view message = event.message();
    if (event.involved_object().name() == group && !message.starts_with("0/0 tasks") &&
        event.reason() == "Unschedulable") {
      reason = printable(message);
    }
  }
  return reason;
}

api::PodGroupConditionView condition_of(const text::Object& group, std::string_view type) {
  for (const api::PodGroupConditionView condition : api::PodGroupView(group).status().conditions()) {
    if (condition.type() == type) return condition;
  }
  return {};
}

}  // namespace

GangProgress gang_progress(const JobObjects& objects) {
  GangProgress fill;
  const api::VolcanoJobSpecView spec = api::VolcanoJobView(objects.job()).spec();
  fill.needed = spec.min_available().value_or(0);
  for (const api::TaskSpecView task : spec.tasks()) fill.wanted += task.replicas().value_or(0);
  for (const text::Object* object : objects.pods()) {
    const api::PodView pod(object);
    const std::string_view phase = pod.status().phase();
    if (phase == "Succeeded") {
      ++fill.succeeded;
    } else if (phase == "Failed") {
      ++fill.failed;
    } else if (!pod.metadata().deletion_timestamp().empty()) {
      continue;
    } else if (phase == "Running") {
      ++fill.running;
    } else if (!pod.spec().node_name().empty()) {
      ++fill.placed;
    }
  }
  return fill;
}

std::string waiting_reason(const JobObjects& objects) {
  const text::Object* group = objects.group();
  if (group == nullptr || (objects.phase() != "Pending" && objects.phase() != "Running")) return "";
  if (const api::PodGroupConditionView waiting = condition_of(*group, "Waiting")) {
    const GangProgress fill = gang_progress(objects);
    const bool placed = fill.needed > 0 && fill.running + fill.succeeded + fill.placed >= fill.needed;
    const bool waits = waiting.status() == "True" && !placed;  // the pods may be ahead of the group
    return waits ? printable(waiting.message()) : "";
  }
  if (objects.phase() != "Pending") return "";
  // Words of a scheduler that is not ours.
  if (const api::PodGroupConditionView found = condition_of(*group, "Unschedulable"); found.status() == "True") {
    return printable(found.message());
  }
  return reason_from_events(objects, api::name_of(*group));
}

std::vector<std::string> dashboard_lines(const JobObjects& objects, const Terminal& terminal) {
  const text::Object* job = objects.job();
  const std::string phase = objects.phase().empty() ? "not begun" : objects.phase();
  const GangProgress fill = gang_progress(objects);
  std::vector<std::string> lines;
  const std::string key = job == nullptr ? std::string(objects.job_name()) : api::key_of(*job);
  const std::string shown = vcctl::painted(terminal, printable(phase), vcctl::tone_of(phase));
  const std::string whose = screen_text(key);
  if (std::string_view("job      ").size() + text::character_count(whose) + phase.size() <= terminal.width) {
    lines.push_back(fmt::format("job    {}  {}", whose, shown));
  } else {
    add_lines(lines, wrapped_lines("job    ", whose, terminal.width, kMaxTextLines));
    lines.push_back(fmt::format("       {}", shown));
  }
  // Three texts, and at least the rows that are counted below.
  const size_t most = std::clamp((std::max(terminal.height, size_t{8}) - 8) / 3, size_t{1}, kMaxTextLines);
  const auto add = [&](std::string_view head, std::string_view text) {
    add_lines(lines, wrapped_lines(head, screen_text(text), terminal.width, most));
  };
  if (const std::string why = waiting_reason(objects); !why.empty()) add("why    ", why);
  add("queue  ", queue_text(objects));
  add("gang   ", fmt::format("{} {}", bar_of(fill), gang_text(fill)));
  // Around the rows: two blank lines, the header, the count of what is left out, and the line of the cursor.
  const PodTable pods(objects, terminal.width);
  const size_t around = lines.size() + 4 + pods.header_height();
  const size_t room = terminal.height > around + 1 ? terminal.height - around : 1;
  const size_t half = room / 2;
  const std::vector<std::string> events =
      event_rows(objects, terminal, std::max(half, room - std::min(room, pods.full_height())));
  lines.emplace_back();
  add_lines(lines, pods.lines(room - std::min(room, events.size())));
  lines.emplace_back();
  add_lines(lines, events);
  if (lines.size() >= terminal.height) lines.resize(std::max(terminal.height, size_t{2}) - 1);  // a tiny screen
  return lines;
}

std::string state_line(const JobObjects& objects) {
  const text::Object *job = objects.job(), *group = objects.group();
  if (job == nullptr) return "no job";
  const std::string phase = objects.phase().empty() ? "not begun" : objects.phase();
  const bool ended = api::is_stopped_job(phase);
  std::string line =
      fmt::format("job {} {}, queue {}", api::key_of(*job), phase, api::VolcanoJobView(*job).spec().queue());
  const std::string_view group_phase = api::PodGroupView(group).status().phase();
  if (!group_phase.empty() && !ended) line += fmt::format(", group {}", group_phase);
  line += ", " + gang_text(gang_progress(objects));
  if (const std::string why = waiting_reason(objects); !why.empty()) line += ": " + why;
  return printable(line);
}

std::string event_line(const text::Object& object) {
  const api::EventView event(object);
  return printable(fmt::format("{} {} {}/{}: {}", event.type(), event.reason(), event.involved_object().kind(),
                               event.involved_object().name(), event.message()));
}

std::optional<bool> reached(const JobObjects& objects, FollowGoal goal) {
  const std::string phase = objects.phase();
  if (phase == "Completed") return true;
  if (goal == FollowGoal::Running && (phase == "Running" || phase == "Completing")) return true;
  if (api::is_stopped_job(phase)) return false;
  return std::nullopt;
}

}  // namespace basalt::cli::follow

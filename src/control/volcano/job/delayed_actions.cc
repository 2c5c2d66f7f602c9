#include "control/volcano/job/delayed_actions.h"

#include "control/volcano/controller_annotations.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/metadata_view.h"
#include "kube/text/rfc3339.h"

namespace basalt::volcano {
namespace {

DelayedAction read(const text::Object& entry) {
  const auto word = [&](std::string_view key) { return std::string(api::string_at(entry, key)); };
  const auto at = text::parse_time(api::string_at(entry, "at"));
  return {.event = word("event"),
          .task = word("task"),
          .pod = word("pod"),
          .uid = word("uid"),
          .action = word("action"),
          .partition = static_cast<int32_t>(api::int_at(entry, {"partition"}, -1)),
          .version = api::int_at(entry, {"version"}),
          .at = at ? *at : kNever};
}

text::Object write(const DelayedAction& action) {
  text::Object entry{{"event", action.event}};
  const auto put = [&](std::string_view key, const std::string& word) {
    if (!word.empty()) entry[key] = word;
  };
  put("task", action.task);
  put("pod", action.pod);
  put("uid", action.uid);
  put("action", action.action);
  if (action.partition >= 0) entry["partition"] = action.partition;
  entry["version"] = action.version;
  entry["at"] = text::format_time(action.at);
  return entry;
}

}  // namespace

std::vector<DelayedAction> delayed_actions(const JobView& job) {
  std::vector<DelayedAction> actions;
  const std::string_view text = api::StringMapView(job.annotations)[kDelayedActionsAnnotation];
  if (text.empty()) return actions;
  const auto list = text::parse_json(text);
  if (!list || !list->is_array()) return actions;
  for (const text::Value& value : list->get_array()) {
    if (!value.is_object() || actions.size() >= kMaxDelayedActions) continue;
    DelayedAction action = read(value.get_object());
    if (action.at.is_set()) actions.push_back(std::move(action));
  }
  return actions;
}

std::string to_annotation(const std::vector<DelayedAction>& actions) {
  if (actions.empty()) return "";
  text::Array list;
  for (const DelayedAction& action : actions) list.push_back(write(action));
  return text::to_json(list);
}

}  // namespace basalt::volcano

#include "lab/conformance/case_events.h"

namespace basalt::lab {
namespace {

using text::Field;

Result<void> read_member(std::string_view key, const Field& member, CaseEvent& event) {
  const auto names = [&member](std::vector<std::string>& into) {
    return member.each([&into](const Field& pod) -> Result<void> {
      auto name = pod.as_string();
      if (!name) return std::unexpected(name.error());
      into.push_back(std::move(*name));
      return {};
    });
  };
  if (key == "finish") return names(event.finish);
  if (key == "fail") return names(event.fail);
  if (key == "delete") return names(event.remove);
  if (key == "afterCycle" || key == "addPods" || key == "addPodGroups") return {};
  return invalid("an event of a kind that is not known: " + std::string(key));
}

Result<CaseEvent> read_event(const Field& item) {
  CaseEvent event;
  const auto cycle = item.field("afterCycle").int_or(0);
  if (!cycle) return std::unexpected(cycle.error());
  event.after_cycle = *cycle;
  auto done =
      item.each_member([&event](std::string_view key, const Field& member) { return read_member(key, member, event); });
  if (!done) return std::unexpected(done.error());
  for (const std::string_view list : {"addPodGroups", "addPods"}) {
    done = item.field(list).each([&event](const Field& one) -> Result<void> {
      auto object = api::decode_any(one);
      if (!object) return std::unexpected(object.error());
      event.add.push_back(std::move(*object));
      return {};
    });
    if (!done) return std::unexpected(done.error());
  }
  return event;
}

}  // namespace

Result<std::vector<CaseEvent>> read_events(const Field& events) {
  std::vector<CaseEvent> out;
  auto done = events.each([&out](const Field& item) -> Result<void> {
    auto event = read_event(item);
    if (!event) return std::unexpected(event.error());
    out.push_back(std::move(*event));
    return {};
  });
  if (!done) return std::unexpected(done.error());
  return out;
}

}  // namespace basalt::lab

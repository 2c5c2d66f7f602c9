#include "programs/cli/follow/job_objects.h"

#include <algorithm>
#include <tuple>

#include "kube/api/age_text.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/event_view.h"
#include "kube/api/views/volcano_job_view.h"

namespace basalt::cli::follow {
namespace {

bool owned_by_job(const text::Object& object, std::string_view job) {
  for (const api::OwnerReferenceView owner : api::ObjectView(object).metadata().owner_references()) {
    if (owner.kind() == "Job" && owner.name() == job) return true;
  }
  return false;
}

// Shorter first among names that differ in their number only: "a-2" before "a-10".
bool before_by_name(const text::Object* left, const text::Object* right) {
  const auto parts = [](std::string_view name) {
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    return std::tuple(name.substr(0, digits), name.size(), name);
  };
  return parts(api::name_of(*left)) < parts(api::name_of(*right));
}

}  // namespace

Instant time_of_event(const text::Object& object) {
  const api::EventView event(object);
  return std::max({api::time_of(event.last_timestamp()), api::time_of(event.event_time()),
                   api::time_of(event.series().last_observed_time()),
                   api::time_of(event.metadata().creation_timestamp())});
}

bool JobObjects::belongs(JobObjectKind part, const text::Object& object) const {
  if (part == JobObjectKind::Group) return owned_by_job(object, job_name_);
  if (part != JobObjectKind::Event) return true;
  // Which pods are ours may be known later than their events: events() looks closer.
  return api::EventView(object).involved_object().name().starts_with(job_name_);
}

void JobObjects::put(JobObjectKind part, client::ObjectPtr object) {
  const text::Object& content = object->get_object();
  if (!belongs(part, content)) return;
  std::string name(api::name_of(content));
  tables_[part].insert_or_assign(std::move(name), std::move(object));
  if (part == JobObjectKind::Event) forget_old_events();
}

void JobObjects::remove(JobObjectKind part, const text::Object& object) {
  Table& table = tables_[part];
  if (const auto found = table.find(api::name_of(object)); found != table.end()) table.erase(found);
}

void JobObjects::replace(JobObjectKind part, std::span<const client::ObjectPtr> objects) {
  tables_[part].clear();
  for (const client::ObjectPtr& object : objects) put(part, object);
}

void JobObjects::forget_old_events() {
  Table& table = tables_[JobObjectKind::Event];
  if (table.size() <= kMaxJobEvents) return;
  table.erase(std::min_element(table.begin(), table.end(), [](const auto& left, const auto& right) {
    return time_of_event(left.second->get_object()) < time_of_event(right.second->get_object());
  }));
}

const text::Object* JobObjects::first(JobObjectKind part) const {
  const auto table = tables_.find(part);
  if (table == tables_.end() || table->second.empty()) return nullptr;
  return &table->second.begin()->second->get_object();
}

std::vector<const text::Object*> JobObjects::pods() const {
  std::vector<const text::Object*> pods;
  if (const auto table = tables_.find(JobObjectKind::Pod); table != tables_.end()) {
    for (const auto& [name, pod] : table->second) pods.push_back(&pod->get_object());
  }
  std::sort(pods.begin(), pods.end(), &before_by_name);
  return pods;
}

std::vector<const text::Object*> JobObjects::events() const {
  std::vector<const text::Object*> events;
  const auto table = tables_.find(JobObjectKind::Event);
  if (table == tables_.end()) return events;
  const auto pods = tables_.find(JobObjectKind::Pod);
  const text::Object* our_group = group();
  for (const auto& [event_name, event] : table->second) {
    const std::string_view about = api::EventView(event->get_object()).involved_object().name();
    const bool ours = about == job_name_ || (our_group != nullptr && about == api::name_of(*our_group)) ||
                      (pods != tables_.end() && pods->second.contains(about));
    if (ours) events.push_back(&event->get_object());
  }
  std::stable_sort(events.begin(), events.end(), [](const text::Object* left, const text::Object* right) {
    return time_of_event(*left) < time_of_event(*right);
  });
  return events;
}

std::string JobObjects::phase() const {
  const text::Object* found = job();
  return found == nullptr ? "" : std::string(api::VolcanoJobView(*found).status().state().phase());
}

}  // namespace basalt::cli::follow

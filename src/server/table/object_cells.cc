#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "server/table/builtin_columns.h"
#include "server/table/cell_values.h"

namespace basalt::server {
namespace {

// An Event as both of its versions tell it: v1 of the core group, and of events.k8s.io with other names for the same.
struct EventFields {
  const text::Value& event;

  [[nodiscard]] const text::Value& about() const {
    static const text::Value kNothing;
    const text::Value* about = at(event, {"involvedObject"});
    if (about == nullptr) about = at(event, {"regarding"});
    return about == nullptr ? kNothing : *about;
  }
  [[nodiscard]] std::string message() const { return text_or(event, {"message"}, text_at(event, {"note"})); }
  [[nodiscard]] Instant first() const { return either("firstTimestamp", "deprecatedFirstTimestamp"); }
  [[nodiscard]] Instant last() const { return either("lastTimestamp", "deprecatedLastTimestamp"); }
  [[nodiscard]] int64_t count() const {
    const int64_t count = int_at(event, {"count"});
    return count != 0 ? count : int_at(event, {"deprecatedCount"});
  }
  [[nodiscard]] std::string source(std::string_view field) const {
    return text_or(event, {"source", field}, text_at(event, {"deprecatedSource", field}));
  }

 private:
  [[nodiscard]] Instant either(std::string_view name, std::string_view other) const {
    const Instant time = time_at(event, {name});
    return time.is_set() ? time : time_at(event, {other});
  }
};

std::string event_source(const EventFields& fields) {
  std::string component = fields.source("component"), host = fields.source("host");
  if (component.empty()) {
    component = text_or(fields.event, {"reportingController"}, text_at(fields.event, {"reportingComponent"}));
  }
  if (host.empty()) host = text_at(fields.event, {"reportingInstance"});
  return host.empty() ? component : component + ", " + host;
}

}  // namespace

void fill_namespace(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(text_at(object, {"status", "phase"}));
  cells.emplace_back(age_of(object, now));
}

void fill_config_map(const text::Value& object, Instant now, text::Array& cells) {
  const size_t entries = object_at(object, {"data"}).size() + object_at(object, {"binaryData"}).size();
  cells.emplace_back(name_of(object));
  cells.emplace_back(static_cast<int64_t>(entries));
  cells.emplace_back(age_of(object, now));
}

void fill_secret(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(text_at(object, {"type"}));
  cells.emplace_back(static_cast<int64_t>(object_at(object, {"data"}).size()));
  cells.emplace_back(age_of(object, now));
}

void fill_service_account(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(age_of(object, now));
}

void fill_event(const text::Value& object, Instant now, text::Array& cells) {
  const EventFields fields{object};
  const Instant first_time = fields.first(), last_time = fields.last();
  const std::string first = age_since(first_time.is_set() ? first_time : time_at(object, {"eventTime"}), now);
  std::string last = last_time.is_set() ? age_since(last_time, now) : first;
  int64_t count = std::max<int64_t>(fields.count(), 1);
  if (at(object, {"series"}) != nullptr) {
    last = age_since(time_at(object, {"series", "lastObservedTime"}), now);
    count = int_at(object, {"series", "count"});
  }
  const text::Value& about = fields.about();
  std::string target = lower(text_at(about, {"kind"}));
  if (const std::string_view name = text_at(about, {"name"}); !name.empty()) target += fmt::format("/{}", name);

  cells.emplace_back(last);
  cells.emplace_back(text_at(object, {"type"}));
  cells.emplace_back(text_at(object, {"reason"}));
  cells.emplace_back(target);
  cells.emplace_back(text_at(about, {"fieldPath"}));
  cells.emplace_back(event_source(fields));
  cells.emplace_back(trimmed(fields.message()));
  cells.emplace_back(first);
  cells.emplace_back(count);
  cells.emplace_back(name_of(object));
}

void fill_resource_quota(const text::Value& object, Instant now, text::Array& cells) {
  std::map<std::string_view, std::string> by_resource;
  for (const auto& [key, value] : object_at(object, {"status", "hard"})) {
    const std::string_view resource = key;
    const std::string used = quantity_at(object, {"status", "used", resource});
    by_resource.emplace(resource, fmt::format("{}: {}/{}", resource, used, quantity_at(value, {})));
  }
  std::vector<std::string> requests, limits;
  for (auto& [resource, text] : by_resource) {
    (resource.starts_with("limits.") ? limits : requests).push_back(std::move(text));
  }
  cells.emplace_back(name_of(object));
  cells.emplace_back(join(requests, ", "));
  cells.emplace_back(join(limits, ", "));
  cells.emplace_back(age_of(object, now));
}

void fill_priority_class(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(int_at(object, {"value"}));
  cells.emplace_back(bool_at(object, {"globalDefault"}));
  cells.emplace_back(age_of(object, now));
  cells.emplace_back(text_at(object, {"preemptionPolicy"}));
}

void fill_lease(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(text_at(object, {"spec", "holderIdentity"}));
  cells.emplace_back(age_of(object, now));
}

void fill_disruption_budget(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  for (const std::string_view bound : {"minAvailable", "maxUnavailable"}) {
    const text::Value* value = at(object, {"spec", bound});
    cells.emplace_back(value == nullptr     ? "N/A"
                       : value->is_string() ? std::string(value->get_string())
                                            : text::to_json(*value));
  }
  cells.emplace_back(int_at(object, {"status", "disruptionsAllowed"}));
  cells.emplace_back(age_of(object, now));
}

void fill_role_binding(const text::Value& object, Instant now, text::Array& cells) {
  std::vector<std::string> users, groups, accounts;
  for (const text::Value& subject : list_at(object, {"subjects"})) {
    const std::string_view kind = text_at(subject, {"kind"}), name = text_at(subject, {"name"});
    if (kind == "User") users.emplace_back(name);
    if (kind == "Group") groups.emplace_back(name);
    if (kind == "ServiceAccount") accounts.push_back(fmt::format("{}/{}", text_at(subject, {"namespace"}), name));
  }
  cells.emplace_back(name_of(object));
  cells.emplace_back(fmt::format("{}/{}", text_at(object, {"roleRef", "kind"}), text_at(object, {"roleRef", "name"})));
  cells.emplace_back(age_of(object, now));
  for (const auto* words : {&users, &groups, &accounts}) cells.emplace_back(join(*words, ", "));
}

void fill_webhooks(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(static_cast<int64_t>(list_at(object, {"webhooks"}).size()));
  cells.emplace_back(age_of(object, now));
}

}  // namespace basalt::server

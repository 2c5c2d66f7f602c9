// A fixture for tests of plans: objects as JSON in, plans as short lines out, and their writes carried out on what was
// seen, as a server would. No server.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "control/volcano/volcano_controller.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/text/patch.h"

namespace basalt::volcano {

inline constexpr Instant kNow = Instant::from_unix_seconds(1'700'000'000);  // 2023-11-14T22:13:20Z, a Tuesday

using Lines = std::vector<std::string>;

class ControllersFixture {
 public:
  ControllersFixture() : seen_({"volcano"}) {}

  // Takes the object's new state (a newer version where it names none); answers the items of `controller` that this
  // wakes.
  Lines see(const std::string& json, const VolcanoController& controller = {}) {
    return take(text::parse_json(json).value().as_object(), controller);
  }
  Lines lose(VolcanoKind kind, const std::string& key, const VolcanoController& controller = {}) {
    Lines items;
    seen_.forget(kind, key, now, [&](const ObjectChange& change) { wake(change, controller, items); });
    return items;
  }

  [[nodiscard]] VolcanoContext context() const {
    return {.seen = seen_, .probes = probes, .options = options, .system_services = system_services};
  }
  // "patch queues/q/status {…}", "delete … Foreground", "create …", "event …", "again in 40 s"; "then" between stages.
  [[nodiscard]] Lines plan(const VolcanoController& controller, const std::string& item) const {
    return lines_of(controller.plan(context(), item, now));
  }
  // Carries the writes of the plan out, up to `most` of them (a crash follows), and answers the plan.
  Lines run(const VolcanoController& controller, const std::string& item, size_t most = SIZE_MAX) {
    const WritePlan plan = controller.plan(context(), item, now);
    for (const WritePlan::Stage& stage : plan.stages) {
      for (const api::Call& call : stage) {
        if (most-- == 0) return lines_of(plan);
        carry_out(call);
      }
    }
    return lines_of(plan);
  }

  [[nodiscard]] const ControllerCache& seen() const { return seen_; }
  [[nodiscard]] ControllerCache& seen() { return seen_; }
  // The object as JSON; "" when it is not there.
  [[nodiscard]] std::string json(VolcanoKind kind, std::string_view key,
                                 std::initializer_list<std::string_view> path) const {
    const text::Object* object = seen_.find(kind, key);
    const text::Value* value = object == nullptr ? nullptr : api::value_at(*object, path);
    return value == nullptr ? "" : text::to_json(*value);
  }

  Instant now = kNow;
  VolcanoControllerOptions options;
  SystemServices system_services;
  GoodProbes probes;

 private:
  static VolcanoKind kind_named(std::string_view api_version, std::string_view name) {
    for (const VolcanoKindRow& row : kind_rows()) {
      if (row.name == name && api_version_of(row.kind) == api_version) return row.kind;
    }
    ADD_FAILURE() << "no kind " << api_version << " " << name;
    return VolcanoKind::Job;
  }

  Lines take(text::Object object, const VolcanoController& controller) {
    text::Object& metadata = api::metadata_of(object);
    if (api::string_at(metadata, "resourceVersion").empty()) metadata["resourceVersion"] = std::to_string(++revision_);
    if (api::string_at(metadata, "uid").empty()) metadata["uid"] = fmt::format("uid-{}", api::name_of(object));
    const VolcanoKind kind = kind_named(api::string_at(object, "apiVersion"), api::string_at(object, "kind"));
    Lines items;
    seen_.learn(kind, std::make_shared<const text::Value>(std::move(object)),
                [&](const ObjectChange& change) { wake(change, controller, items); });
    return items;
  }
  void wake(const ObjectChange& change, const VolcanoController& controller, Lines& items) const {
    if (controller.wake != nullptr) controller.wake(context(), change, items);
  }

  static VolcanoKind kind_of_call(const api::Call& call) {
    for (const VolcanoKindRow& row : kind_rows()) {
      if (row.group == call.resource.group && row.plural == call.resource.plural) return row.kind;
    }
    ADD_FAILURE() << "no kind of " << call.resource.plural;
    return VolcanoKind::Job;
  }
  void carry_out(const api::Call& call) {
    const VolcanoKind kind = kind_of_call(call);
    const std::string key = call.namespace_name.empty() ? call.name : call.namespace_name + "/" + call.name;
    if (call.verb == api::Verb::Delete) return static_cast<void>(lose(kind, key));
    if (call.verb == api::Verb::Create) return static_cast<void>(take(call.body.get_object(), {}));
    const text::Object* before = seen_.find(kind, key);
    if (kind == VolcanoKind::Pod) {
      const auto at = seen_.ungrouped().find(key);
      before = at == seen_.ungrouped().end() ? nullptr : &at->second->get_object();
    }
    ASSERT_NE(before, nullptr) << "a patch of what is not there: " << key;
    text::Value next = text::merge_patch(*before, call.body);
    api::metadata_of(next.get_object()).erase("resourceVersion");
    take(std::move(next.get_object()), {});
  }

  [[nodiscard]] Lines lines_of(const WritePlan& plan) const {
    Lines lines;
    for (const WritePlan::Stage& stage : plan.stages) {
      if (&stage != &plan.stages.front()) lines.emplace_back("then");
      for (const api::Call& call : stage) lines.push_back(line_of(call));
    }
    for (const loop::WriteNote& one : plan.write_notes) {
      const EventNote& note = one.note;
      lines.push_back(fmt::format("event {} {}: {}", note.warning ? "Warning" : "Normal", note.reason, note.message));
    }
    for (const EventNote& note : plan.notes) {
      lines.push_back(fmt::format("event {} {}: {}", note.warning ? "Warning" : "Normal", note.reason, note.message));
    }
    if (plan.again.is_set()) lines.push_back(fmt::format("again in {} s", (plan.again - now).nanos / 1'000'000'000));
    return lines;
  }
  static std::string line_of(const api::Call& call) {
    std::string place = call.resource.plural;
    for (const std::string* part : {&call.namespace_name, &call.name, &call.subresource}) {
      if (!part->empty()) place += "/" + *part;
    }
    text::Object body = call.body.is_object() ? call.body.get_object() : text::Object();
    if (call.verb == api::Verb::Delete) {
      return fmt::format("delete {} {}", place, api::string_at(body, "propagationPolicy"));
    }
    text::Object& metadata = api::metadata_of(body);
    if (call.verb == api::Verb::Create) return fmt::format("create {}/{}", place, api::string_at(metadata, "name"));
    for (const std::string_view key : {"uid", "resourceVersion"}) metadata.erase(key);
    if (metadata.empty()) body.erase("metadata");
    return fmt::format("patch {} {}", place, text::to_json(body));
  }

  ControllerCache seen_;
  uint64_t revision_ = 100;
};

}  // namespace basalt::volcano

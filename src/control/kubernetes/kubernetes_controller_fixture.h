// A fixture for tests of plans: objects as JSON in, plans as short lines out. No server.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/kubernetes/kubernetes_controller.h"
#include "kube/api/object_fields.h"

namespace basalt::kubernetes {

class KubernetesControllerFixture {
 public:
  KubernetesControllerFixture() : cache_(kinds_), quota_usage_(kinds_, cache_) {
    for (const WatchedKind& kind : kinds_.all()) synced_.insert(kind.id);
  }

  // A custom kind comes to be served.
  void define(std::string_view group, std::string_view version, std::string_view kind, std::string_view plural) {
    const auto definition = text::parse_json(
        fmt::format(R"({{"spec":{{"group":"{}","names":{{"kind":"{}","plural":"{}"}},"scope":"Namespaced",)"
                    R"("versions":[{{"name":"{}","served":true,"storage":true}}]}}}})",
                    group, kind, plural, version));
    const WatchedKind* defined = kinds_.define(definition.value().get_object());
    ASSERT_NE(defined, nullptr);
    synced_.insert(defined->id);
  }
  // Takes the object's new state; answers the items of `controller` that this wakes.
  std::vector<std::string> see(const std::string& json, const KubernetesController& controller = {}) {
    const auto object = std::make_shared<const text::Value>(text::parse_json(json).value());
    const text::Object& root = object->get_object();
    const WatchedKind* kind = kinds_.find_owner(api::string_at(root, "apiVersion"), api::string_at(root, "kind"));
    EXPECT_NE(kind, nullptr) << json;
    if (kind == nullptr) return {};
    const std::string key = api::key_of(root);
    const auto before = cache_.put(record_of(*kind, object, cache_.find(kind->id, key), now, pools_), now);
    return note(*kind, before ? &*before : nullptr, cache_.find(kind->id, key), controller);
  }
  std::vector<std::string> lose(std::string_view group, std::string_view kind_name, const std::string& key,
                                const KubernetesController& controller = {}) {
    const WatchedKind& kind = *kinds_.find(group, kind_name);
    const auto before = cache_.remove({.kind = kind.id, .key = key}, now);
    return before ? note(kind, &*before, nullptr, controller) : std::vector<std::string>();
  }

  [[nodiscard]] KubernetesContext context() const {
    return {.kinds = kinds_,
            .cache = cache_,
            .quota_usage = quota_usage_,
            .periods = periods,
            .synced = synced_,
            .components = components};
  }
  // "patch pods/ns/name/status {…}", "delete …", "ask …", "again in 40 s".
  [[nodiscard]] std::vector<std::string> plan(const KubernetesController& controller, const std::string& item) const {
    std::vector<std::string> lines;
    const ControllerPlan plan = controller.plan(context(), item, now);
    for (const api::Call& call : plan.writes) lines.push_back(line_of(call));
    for (const OwnerLookup& lookup : plan.owner_lookups)
      lines.push_back("ask " + place_of(lookup.get) + " for " + lookup.uid);
    for (const loop::EventNote& note : plan.notes) {
      lines.push_back(fmt::format("note {} {}: {}", api::string_at(note.regarding, "kind"), note.reason, note.message));
    }
    if (plan.again.is_set()) lines.push_back(fmt::format("again in {} s", (plan.again - now).nanos / 1'000'000'000));
    return lines;
  }

  [[nodiscard]] const WatchedKinds& kinds() const { return kinds_; }
  [[nodiscard]] ObjectCache& cache() { return cache_; }
  [[nodiscard]] const QuotaUsageIndex& quota_usage() const { return quota_usage_; }

  Instant now = Instant::from_unix_seconds(1'700'000'000);
  Periods periods;
  std::vector<std::string> components;

 private:
  std::vector<std::string> note(const WatchedKind& kind, const ObjectRecord* before, const ObjectRecord* after,
                                const KubernetesController& controller) {
    quota_usage_.note(before, after);
    std::vector<std::string> items;
    if (controller.wake != nullptr) {
      controller.wake(context(), {.kind = kind, .before = before, .now = after}, items);
    }
    return items;
  }
  static std::string place_of(const api::Call& call) {
    std::string place = call.resource.plural;
    for (const std::string* part : {&call.namespace_name, &call.name, &call.subresource}) {
      if (!part->empty()) place += "/" + *part;
    }
    return place;
  }
  static std::string line_of(const api::Call& call) {
    switch (call.verb) {
      case api::Verb::Create:
        return "create " + place_of(call);
      case api::Verb::Delete:
        return fmt::format("delete {} {}", place_of(call), api::string_at(call.body.get_object(), "propagationPolicy"));
      case api::Verb::DeleteCollection:
        return "delete all " + place_of(call);
      case api::Verb::Patch: {
        text::Object body = call.body.get_object();
        text::Object& metadata = api::metadata_of(body);
        metadata.erase("uid");
        metadata.erase("resourceVersion");
        if (metadata.empty()) body.erase("metadata");
        return fmt::format("patch {} {}", place_of(call), text::to_json(body));
      }
      default:
        return "put " + place_of(call);
    }
  }

  WatchedKinds kinds_;
  RecordPools pools_;
  ObjectCache cache_;
  QuotaUsageIndex quota_usage_;
  std::set<KindId> synced_;
};

}  // namespace basalt::kubernetes

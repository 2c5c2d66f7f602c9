// Namespaces: one that is being deleted is emptied, then let go.
//
// As in Kubernetes pods go first, everything else when they are gone; conditions in the status say what remains.
#include <fmt/format.h>

#include "control/kubernetes/controller.h"
#include "control/kubernetes/writes.h"
#include "kube/api/object_fields.h"

namespace basalt::kubernetes {
namespace {

constexpr std::string_view kFinalizer = "kubernetes";

void wake_namespaces(const World& world, const Change& change, std::vector<std::string>& items) {
  const Facts& one = change.either();
  if (change.is("", "Namespace")) {
    if (change.now != nullptr && one.leaving()) items.push_back(one.name);
    return;
  }
  if (one.space.empty()) return;
  const Facts* space = world.find("", "Namespace", one.space);
  if (space != nullptr && space->leaving()) items.push_back(one.space);
}

std::vector<Condition> what_remains(const World& world, const ObjectCache::Contents* contents) {
  Condition content{"NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"};
  Condition finalizers{"NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers",
                       "All content-preserving finalizers finished"};
  if (contents != nullptr) {
    std::set<std::string> parts;  // by name, so that the text is stable
    for (const auto& [id, count] : contents->objects) {
      const Kind& kind = world.kinds.at(id);
      parts.insert(fmt::format("{}.{} has {} resource instances", kind.resource.plural, kind.resource.group, count));
    }
    content = {"NamespaceContentRemaining", "True", "SomeResourcesRemain",
               fmt::format("Some resources are remaining: {}", fmt::join(parts, ", "))};
    parts.clear();
    for (const auto& [finalizer, count] : contents->finalizers) {
      parts.insert(fmt::format("{} in {} resource instances", finalizer, count));
    }
    if (!parts.empty()) {
      finalizers = {"NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain",
                    fmt::format("Some content in the namespace has finalizers remaining: {}", fmt::join(parts, ", "))};
    }
  }
  return {
      {"NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"},
      {"NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions",
       "All legacy kube types successfully parsed"},
      {"NamespaceDeletionContentFailure", "False", "ContentDeleted",
       "All content successfully deleted, may be waiting on finalization"},
      content,
      finalizers};
}

api::Call finalize(const Kind& kind, const Facts& space) {
  text::Object body = space.object();
  text::Array kept;
  const text::Array* finalizers = api::array_at(space.object(), {"spec", "finalizers"});
  if (finalizers != nullptr) {
    for (const text::Value& one : *finalizers) {
      if (one != text::Value(kFinalizer)) kept.push_back(one);
    }
  }
  api::object_in(body, "spec")["finalizers"] = std::move(kept);
  api::Call call = call_of(api::Verb::Update, kind, "", space.name);
  call.subresource = "finalize";
  call.body = std::move(body);
  return call;
}

bool is_finalized(const Facts& space) {
  const text::Array* finalizers = api::array_at(space.object(), {"spec", "finalizers"});
  return finalizers == nullptr || std::ranges::find(*finalizers, text::Value(kFinalizer)) == finalizers->end();
}

bool all_synced(const World& world) {
  for (const Kind& kind : world.kinds.all()) {
    if (kind.known && kind.namespaced && !world.synced.contains(kind.id)) return false;
  }
  return true;
}

void delete_content(const World& world, const Facts& space, const ObjectCache::Contents& contents, Plan& plan) {
  const KindId pods = world.kinds.builtin("", "Pod").id;
  const bool pods_remain = contents.objects.contains(pods);
  for (const auto& [id, count] : contents.living) {
    const Kind& kind = world.kinds.at(id);
    if (!kind.known || (pods_remain && id != pods)) continue;
    plan.writes.push_back(delete_all(kind, space.name));
  }
}

Plan plan_namespaces(const World& world, const std::string& item, Instant now) {
  Plan plan;
  const Kind& kind = world.kinds.builtin("", "Namespace");
  const Facts* space = world.cache.find(kind.id, item);
  if (space == nullptr || !space->leaving() || is_finalized(*space)) return plan;
  const ObjectCache::Contents* contents = world.cache.contents(item);
  if (contents == nullptr && all_synced(world)) {
    plan.writes.push_back(finalize(kind, *space));
    return plan;
  }
  if (contents == nullptr) {
    plan.again = now + Duration::seconds(1);
    return plan;
  }
  delete_content(world, *space, *contents, plan);
  text::Array conditions = conditions_of(space->object());
  bool changed = false;
  for (const Condition& condition : what_remains(world, contents)) {
    changed = set_condition(conditions, condition, now) || changed;
  }
  // What is deleted now is gone in a moment; what stays after that is worth telling.
  if (changed && plan.writes.empty()) {
    plan.writes.push_back(patch_status(kind, *space, {{"conditions", std::move(conditions)}}));
  }
  return plan;
}

}  // namespace

Controller namespace_controller() { return {.name = "namespaces", .wake = wake_namespaces, .plan = plan_namespaces}; }

}  // namespace basalt::kubernetes

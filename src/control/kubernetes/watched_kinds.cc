#include "control/kubernetes/watched_kinds.h"

#include <algorithm>

#include "base/check.h"
#include "kube/api/api_resource.h"
#include "kube/api/views/definition_view.h"

namespace basalt::kubernetes {
namespace {

std::string storage_name(const api::GroupVersionResource& resource) {
  return resource.group.empty() ? resource.plural : resource.plural + "." + resource.group;
}

// ".spec.replicas" as its steps.
std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps;
  while (!path.empty()) {
    if (path.front() == '.') path.remove_prefix(1);
    const size_t end = std::min(path.find('.'), path.size());
    if (end > 0) steps.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return steps;
}

// The version to watch: the stored one when it is served, else the first that is.
api::CustomResourceDefinitionVersionView chosen_version(api::CustomResourceDefinitionSpecView spec) {
  api::CustomResourceDefinitionVersionView chosen;
  for (const api::CustomResourceDefinitionVersionView version : spec.versions()) {
    if (!version.served()) continue;
    if (version.storage()) return version;
    if (!chosen) chosen = version;
  }
  return chosen;
}

}  // namespace

WatchedKinds::WatchedKinds() {
  for (const api::ApiResource& row : api::builtin_resources()) {
    if (row.verbs == std::vector<std::string>{"create"}) continue;  // asked for, never stored
    if (row.storage_group != row.group) continue;                   // another name of objects that are there already
    WatchedKind kind{.resource = {.group = row.group, .version = row.version, .plural = row.plural},
                     .kind = row.kind,
                     .namespaced = row.namespaced};
    if (row.scale) kind.replicas_path = steps_of(row.scale->spec_replicas);
    add(std::move(kind));
  }
}

const WatchedKind* WatchedKinds::add(WatchedKind kind) {
  kind.id = KindId(kinds_.size());
  kind.storage_name = storage_name(kind.resource);
  by_name_[{kind.resource.group, kind.kind}] = kind.id;
  kinds_.push_back(std::move(kind));
  return &kinds_.back();
}

const WatchedKind* WatchedKinds::find(std::string_view group, std::string_view kind) const {
  const auto at = by_name_.find(std::pair<std::string, std::string>(group, kind));
  return at == by_name_.end() ? nullptr : &kinds_[at->second.index()];
}

const WatchedKind* WatchedKinds::find_owner(std::string_view api_version, std::string_view kind) const {
  const size_t slash = api_version.find('/');
  return find(slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash), kind);
}

const WatchedKind& WatchedKinds::builtin(std::string_view group, std::string_view kind) const {
  const WatchedKind* found = find(group, kind);
  check(found != nullptr, "upkeep names built-in kinds only");
  return *found;
}

bool WatchedKinds::is_served(const text::Object& definition) {
  return bool(chosen_version(api::CustomResourceDefinitionView(definition).spec()));
}

const WatchedKind* WatchedKinds::define(const text::Object& definition) {
  const api::CustomResourceDefinitionSpecView spec = api::CustomResourceDefinitionView(definition).spec();
  const api::CustomResourceDefinitionVersionView version = chosen_version(spec);
  check(bool(version), "a kind has a version");
  WatchedKind kind{.resource = {.group = std::string(spec.group()),
                                .version = std::string(version.name()),
                                .plural = std::string(spec.names().plural())},
                   .kind = std::string(spec.names().kind()),
                   .namespaced = spec.scope() != "Cluster"};
  kind.replicas_path = steps_of(version.subresources().scale().spec_replicas_path());
  const auto at = by_name_.find(std::pair(kind.resource.group, kind.kind));
  if (at == by_name_.end()) return kinds_.size() < kMaxKinds ? add(std::move(kind)) : nullptr;
  WatchedKind& known = kinds_[at->second.index()];
  if (known.resource.plural != kind.resource.plural) return nullptr;  // a built-in kind, or another definition's
  known.replicas_path = std::move(kind.replicas_path);
  if (known.resource.version == kind.resource.version) return nullptr;
  known.resource.version = kind.resource.version;
  return &known;
}

const WatchedKind* WatchedKinds::forget(const text::Object& definition) {
  const api::CustomResourceDefinitionSpecView spec = api::CustomResourceDefinitionView(definition).spec();
  const auto at = by_name_.find(std::pair(std::string(spec.group()), std::string(spec.names().kind())));
  if (at == by_name_.end()) return nullptr;
  WatchedKind& kind = kinds_[at->second.index()];
  if (kind.resource.plural != spec.names().plural()) return nullptr;
  kind.known = false;
  by_name_.erase(at);
  return &kind;
}

}  // namespace basalt::kubernetes

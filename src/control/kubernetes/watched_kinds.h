// The kinds that the controllers watch: every stored built-in kind, and those of CustomResourceDefinitions as they
// come and go.
//
// A WatchedKind is found by its group and kind alone: owner references name a version that may have changed since. Ids
// are dense and never used twice, so an index by id outlives a kind; the order of ids is the order in which kinds
// became known, which makes every walk over kinds repeatable.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/loop/kind_id.h"
#include "kube/api/call.h"
#include "kube/api/quota_usage.h"

namespace basalt::kubernetes {

using loop::KindId;

inline constexpr size_t kMaxKinds = 10'000;  // defined over the life of a process; more are not looked after

struct WatchedKind {
  KindId id;
  api::GroupVersionResource resource;  // with a version that is served
  std::string kind;
  bool namespaced = true;
  bool known = true;                       // false: its definition is gone
  std::vector<std::string> replicas_path;  // of the scale subresource: {"spec", "replicas"}; empty: has none
  std::string storage_name;                // "pods", "jobs.batch.volcano.sh"

  [[nodiscard]] api::QuotaKind for_quota() const {
    return {.group = resource.group, .kind = kind, .plural = resource.plural, .storage_name = storage_name};
  }
};

class WatchedKinds {
 public:
  WatchedKinds();  // the built-in ones

  [[nodiscard]] const WatchedKind& at(KindId id) const { return kinds_[id.index()]; }
  [[nodiscard]] const std::deque<WatchedKind>& all() const { return kinds_; }  // also those that are gone
  // nullptr: not known (any more).
  [[nodiscard]] const WatchedKind* find(std::string_view group, std::string_view kind) const;
  // By the two words of an owner reference: "apps/v1", "ReplicaSet".
  [[nodiscard]] const WatchedKind* find_owner(std::string_view api_version, std::string_view kind) const;
  // Of the built-in kinds. Requires: there is one.
  [[nodiscard]] const WatchedKind& builtin(std::string_view group, std::string_view kind) const;

  // Under any version at all.
  [[nodiscard]] static bool is_served(const text::Object& definition);
  // What a definition serves now. Answers the kind when it is new or served at another version (watch it), else
  // nullptr. Requires: is_served.
  const WatchedKind* define(const text::Object& definition);
  // Answers the kind that went, or nullptr.
  const WatchedKind* forget(const text::Object& definition);

 private:
  const WatchedKind* add(WatchedKind kind);

  std::deque<WatchedKind> kinds_;
  std::map<std::pair<std::string, std::string>, KindId, std::less<>> by_name_;  // group and kind
};

}  // namespace basalt::kubernetes

// What every object carries: its names, labels and age.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/api/typed_decode.h"

namespace basalt::api {

inline constexpr std::string_view kDefaultNamespace = "default";

struct OwnerReference {
  std::string kind, name, uid;
  bool controller = false;
  std::string api_version = {};  // "batch.volcano.sh/v1alpha1": kinds of several groups have the same name

  // "batch.volcano.sh"; "" of the core group.
  [[nodiscard]] std::string_view group() const {
    const size_t slash = api_version.find('/');
    return slash == std::string::npos ? std::string_view() : std::string_view(api_version).substr(0, slash);
  }
};

struct ObjectMeta {
  std::string name;
  std::string namespace_name;  // "" for cluster-scoped kinds; `namespace` is a C++ word
  std::string uid;
  std::string resource_version;
  StringMap labels;
  StringMap annotations;
  Instant creation_time;  // kNever: not given
  Instant deletion_time;  // set: the object is being deleted
  std::vector<OwnerReference> owners;

  // "namespace/name", or just the name without a namespace.
  [[nodiscard]] std::string key() const { return namespace_name.empty() ? name : namespace_name + "/" + name; }
};

// One condition of a pod, node or pod group. Absent fields are empty.
struct Condition {
  std::string type, status, reason, message;
  std::string transition_id;  // PodGroup only
  Instant last_transition_time;
};

// The value of `key`, or nullptr.
[[nodiscard]] inline const std::string* find_in(const StringMap& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

[[nodiscard]] Result<void> read(const text::Field& at, OwnerReference& out);
[[nodiscard]] Result<void> read(const text::Field& at, ObjectMeta& out);
[[nodiscard]] Result<void> read(const text::Field& at, Condition& out);

// For the readers of kinds: the metadata of `root`, whose name is required. A namespaced kind without a namespace is
// in "default"; a cluster-scoped kind has none, whatever is written.
[[nodiscard]] Result<void> read_namespaced(const text::Field& root, ObjectMeta& out);
[[nodiscard]] Result<void> read_cluster_scoped(const text::Field& root, ObjectMeta& out);

}  // namespace basalt::api

// The kinds of objects that life-cycle scenarios speak about, by the words that they use for them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/api/api_resource.h"

namespace basalt::lab {

struct LifeKind {
  std::string_view word;  // "job", "pvc", "batchjob"
  std::string_view group, version, plural, kind;
  bool namespaced = true;

  [[nodiscard]] api::GroupVersionResource resource() const {
    return {.group = std::string(group), .version = std::string(version), .plural = std::string(plural)};
  }
  [[nodiscard]] std::string api_version() const;
};

// The PodGroup of a job, by the job's name: its own name ends in the job's uid.
inline constexpr std::string_view kGroupWord = "group";

// An error lists the words.
[[nodiscard]] Result<const LifeKind*> life_kind(std::string_view word);
// nullptr: scenarios have no word for it.
[[nodiscard]] const LifeKind* life_kind_of(const api::GroupVersionResource& resource);
// By apiVersion and kind of an object; an error says which kinds there are.
[[nodiscard]] Result<const LifeKind*> life_kind_of(std::string_view api_version, std::string_view kind);

struct LifeObjectName {
  std::string namespace_name, name;
};
inline constexpr std::string_view kLifeNamespace = "default";
// "name" or "namespace/name".
[[nodiscard]] LifeObjectName life_name(const LifeKind& kind, std::string_view text);

}  // namespace basalt::lab

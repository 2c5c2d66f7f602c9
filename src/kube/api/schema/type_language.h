// The language in which src/kube/api/schema/builtin/*.types describe kinds.
//
//   package io.k8s.api.core.v1                        # the names below are io.k8s.api.core.v1.ContainerPort, …
//   use meta = io.k8s.apimachinery.pkg.apis.meta.v1   # meta.ObjectMeta is a name of that package
//
//   type ContainerPort  "A port that a container listens on."
//     containerPort  int32   required write  "The port number."
//     protocol       string  omit default="TCP"
//   type Phase = string enum=["Pending", "Running"]   # another name for a type, with its limits
//
// A line at the margin opens something, indented lines belong to it, '#' starts a comment. A field line has the name,
// the type, words, and at last a description in quotes. Types:
//   string bool int32 int64 number quantity int-or-string time micro-time bytes any · int: whole, of no stated width
//   [T] a list, {T} a map from strings, Name of this package, alias.Name, or a full name with dots
// Words of a field:
//   required nullable · omit write: SchemaField::when_empty, keep if neither · default=JSON embedded-default=JSON
//   merge merge=KEY retain-keys: strategic merge
// Words of its type (on a field they make a type of its own; on a `type` line they hold for all who name it):
//   list=set list=map(KEY,…) · atomic granular · preserve-unknown embedded-resource
//   enum=[…] min= max= multiple-of= exclusive-min exclusive-max min-length= max-length= min-items= max-items=
//   min-properties= max-properties= unique-items pattern="…" format=NAME rule=["CEL","message"]
//
// A kind that is served by a CustomResourceDefinition adds a line, and its printer columns:
//   crd Job group=batch.volcano.sh version=v1alpha1 plural=jobs singular=job scope=Namespaced short=vcjob,vj status
//     column STATUS  string  .status.state.phase  "…" priority=1
// `status` gives it the status subresource; `no-subresources` writes an empty list of them.
//
// Types may be used before they are written, and in any text of the same call. Nothing here trusts its input: every
// mistake is an error that names text and line, "pod.types: line 3: …".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/api/schema/schema.h"

namespace basalt::api {

inline constexpr size_t kMaxTypeNesting = 8;               // lists of maps of lists …
inline constexpr std::string_view kNoFormat = "unstated";  // ValueLimits::format of `int`

struct TypeText {
  std::string_view name;  // for messages
  std::string_view text;
};

struct CrdColumn {
  std::string name, type, json_path, description;
  int32_t priority = 0;
};

struct CrdRow {
  const Schema* type = nullptr;
  std::string kind, group, version, plural, singular, scope;
  std::vector<std::string> short_names;
  bool status = false;
  bool no_subresources = false;
  std::vector<CrdColumn> columns;
};

struct TypeLibrary {
  SchemaSet schemas;
  std::vector<CrdRow> crds;
};

// Reads all texts as one. Names that they do not define are looked for in `base` (may be null), which must outlive the
// library. Cost: O(text · log types).
[[nodiscard]] Result<TypeLibrary> parse_types(std::span<const TypeText> texts, const SchemaSet* base = nullptr);

// The embedded texts (generated from builtin/ by cmake/embed.cmake): those of the built-in kinds, and Volcano's.
[[nodiscard]] std::span<const TypeText> builtin_type_texts();
[[nodiscard]] std::span<const TypeText> volcano_type_texts();

}  // namespace basalt::api

// Objects as rows: meta.k8s.io/v1 Table, which `kubectl get` asks for and prints as it is.
//
// Columns of built-in kinds are those of Kubernetes (builtin_columns.h); those of a CustomResourceDefinition are its
// additionalPrinterColumns; every other kind has its name and its age. A cell never fails: what an object does not
// have, or has in a wrong shape, gives an empty cell or the word that Kubernetes prints there.
//
// Cost: O(objects × columns), plus one copy of the metadata per object.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "kube/api/api_resource.h"
#include "kube/text/json.h"

namespace basalt::server {

struct TableOptions {
  bool include_none = false;             // includeObject=None: rows of cells only
  bool include_object_metadata = false;  // includeObject=Metadata, which is also what you get without a choice
  bool include_full_object = false;      // includeObject=Object
  bool headers = true;                   // column definitions; a watch sends them with its first event only
};

using text::ObjectPtr;

// `continue_token` may be empty, `remaining` (remainingItemCount) absent. The rows stand in the order of `objects`.
// Requires: no object is null.
[[nodiscard]] text::Value render_table(const api::ApiResource& resource, const std::vector<ObjectPtr>& objects,
                                       const std::string& list_version, const std::string& continue_token,
                                       TableOptions options, Instant now, std::optional<int64_t> remaining = {});

// A Table of one row: what an event of a watch carries, and what a get of one object answers.
[[nodiscard]] text::Value table_row(const api::ApiResource& resource, const text::Value& object, TableOptions options,
                                    Instant now);

// The metadata of an object where only that is shown. A DaemonSet does not show there the annotation into which
// Kubernetes writes the generation of its template on the way out.
[[nodiscard]] text::Value table_metadata(const text::Value& object);

}  // namespace basalt::server

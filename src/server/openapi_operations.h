// The paths of an OpenAPI document: which operations a resource has, and of which kind their bodies are.
//
// Clients look for an operation by its x-kubernetes-group-version-kind and then at its query parameters
// (fieldValidation, dryRun, fieldManager, force) and at the content types of its body; the rest is for people who read
// the document.
#pragma once

#include <string>
#include <string_view>

#include "kube/api/api_resource.h"
#include "kube/text/json.h"

namespace basalt::server {

inline constexpr std::string_view kPatchSchema = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
inline constexpr std::string_view kStatusSchema = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
inline constexpr std::string_view kDeleteOptionsSchema = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

// "/api/v1" or "/apis/<group>/<version>".
[[nodiscard]] std::string version_path(std::string_view group, std::string_view version);

// {"$ref": "#/components/schemas/<name>"}
[[nodiscard]] text::Object schema_reference(std::string_view name);

// Adds the paths of one resource and of its subresources. `schema` and `list_schema` name its types in the document.
void add_paths(const api::ApiResource& resource, std::string_view schema, std::string_view list_schema,
               text::Object& paths);

}  // namespace basalt::server

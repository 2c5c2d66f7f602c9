// Writes a Schema as the openAPIV3Schema of a CustomResourceDefinition; the way back is compile_structural.
//
// Types are written out where they are used, as CRDs have no references. What a built-in type says only to built-in
// kinds stays out: its defaults (SchemaField::embedded_fallback is written instead), when_empty and strategic merge.
// Metadata within the object is cut down to what an embedded template may have: annotations, finalizers, labels, name
// and namespace. A type within itself becomes an object that keeps whatever it is given.
// Cost: O(what is written); a pod template is about 60 kB of text.
#pragma once

#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

// The schema of a whole kind: apiVersion, kind and metadata at its top are left to the server.
[[nodiscard]] text::Value structural_schema(const Schema& kind);

}  // namespace basalt::api

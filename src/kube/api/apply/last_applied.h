// How objects move from `kubectl apply` in the client to server-side apply.
//
// The client's apply keeps what it applied in an annotation. When the manager "kubectl" applies on the server, what
// that annotation says and the live object still has counts as kubectl's own, whoever is recorded as its owner; and the
// annotation is kept up to date, so that both ways can be mixed. Other managers do not take part.
#pragma once

#include <string_view>

#include "kube/api/apply/field_set.h"
#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
inline constexpr std::string_view kClientSideApplier = "kubectl";

// The annotation's configuration, null when there is none that can be used. `api_version` is that of the request.
[[nodiscard]] text::Value last_applied_config(const Schema& schema, const text::Value& live,
                                              std::string_view api_version);

// The fields of `last_applied` that `live` has with the same value. Points into both.
[[nodiscard]] FieldSet fields_last_applied(FieldArena& arena, const Schema& schema, const text::Value& last_applied,
                                           const text::Value& live);

// Writes `config` into the annotation, if `object` has it.
void renew_last_applied(text::Value& object, const text::Value& config);

}  // namespace basalt::api

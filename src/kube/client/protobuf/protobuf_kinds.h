// Which calls a lean client makes in Kubernetes' binary form, and which fields it reads of the answers.
//
// The form is offered for built-in kinds; those of CRDs (vcjobs, podgroups, queues) are JSON only. Here are the
// built-in kinds that our loops follow or write, row by row (protobuf_kinds.cc); what has no row is asked for and sent
// as JSON. The layouts are those of kube/api/schema/protobuf_layout.h, the field numbers are written nowhere else. For
// answers they lack metadata.managedFields: half of a small pod, and no loop reads it. A field is left out by its name
// alone: what a reader of ours asks for next year is there without a change here.
#pragma once

#include <span>
#include <string_view>

#include "kube/api/call.h"
#include "kube/api/schema/protobuf_layout.h"

namespace basalt::client {

// The message that the object in the call's answer is (of a list and a watch: each one), or nullptr: ask for JSON.
// Answers may still come as JSON, or be a Status. Cost: O(rows).
[[nodiscard]] const api::ProtobufMessage* answer_layout(const api::Call& call);

// The message that the call's body is, or nullptr: send JSON.
[[nodiscard]] const api::ProtobufMessage* body_layout(const api::Call& call);

// A Status, which answers any call.
[[nodiscard]] const api::ProtobufMessage& status_layout();

struct ProtobufKind {
  std::string_view group, version, plural;
  std::string_view type;  // as layouts call it
};
[[nodiscard]] std::span<const ProtobufKind> protobuf_kinds();

}  // namespace basalt::client

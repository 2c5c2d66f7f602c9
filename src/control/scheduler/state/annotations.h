// Reading labels and annotations that several kinds share.
#pragma once

#include <string>
#include <string_view>

#include "kube/api/metadata.h"

namespace basalt::state {

// The annotation `key`, else the label, else nullptr.
[[nodiscard]] const std::string* annotation_or_label(const api::ObjectMeta& meta, std::string_view key);

[[nodiscard]] std::string annotation_or_empty(const api::ObjectMeta& meta, std::string_view key);

// volcano.sh/preemptable on the object: `fallback` when absent, false when it is no boolean.
[[nodiscard]] bool is_preemptable(const api::ObjectMeta& meta, bool fallback);

// volcano.sh/revocable-zone: only "*" is a zone; without it the annotation preemptable: true means "*".
[[nodiscard]] bool is_revocable(const api::ObjectMeta& meta);

}  // namespace basalt::state
